import { z } from 'zod';
import { ACTIVITY_KINDS, type Activities, type ActivityKind, type Slice } from '../../../analysis/path/activities.ts';
import { ActivityBuilder } from '../../../analysis/path/formats/activity-builder.ts';

import type { Problem } from '../../../analysis/problems.ts';
import { badInput } from '../../../base/errors.ts';

const time = z.number().int().safe();
const identity = z.union([z.number(), z.string()]);
const optionalText = z.string().nullish();
const caseSchema = z.object({
  slices: z.array(z.tuple([time, time])).optional(),
  workers: z.array(
    z.object({
      id: identity,
      activities: z.array(z.object({ start: time, end: time, type: z.string(), name: optionalText })),
    }),
  ),
  comm: z.array(
    z.object({ src: identity, dst: identity, start: time, end: time, type: z.string().optional(), name: optionalText }),
  ),
});

/** An instant is a vertex whether or not something without length is there. */
const IS_NO_EDGE: ReadonlySet<string> = new Set(['activity of zero duration', 'transfer to itself of zero duration']);

/** An abstract activity graph, with the words of its file. */
export interface GraphCase {
  readonly activities: Activities;
  readonly slices: readonly Slice[];
  /** As the file calls them, in the order of `activities.workers`. */
  readonly workers: readonly (string | number)[];
  /** What each entry of `activities.names` is in the file. */
  readonly labels: readonly GraphLabel[];
  /** Activities without length, which are no edges; numbers count the activities of a worker from 1. */
  readonly problems: readonly Problem[];
}

export interface GraphLabel {
  readonly type: string;
  readonly name: string | null;
  /** Of a transfer: its index in the file. */
  readonly index?: number;
}

/**
 * Reads `{workers: [{id, activities: [{start, end, type, name}]}], comm: [{src, dst, start, end, type, name}], slices: [[s, e]]}`.
 * Null for what has another shape. `wait` and `waiting` are waits; any other type is work. Errors: badInput for what no graph holds.
 */
export function readGraphCase(input: unknown): GraphCase | null {
  const read = caseSchema.safeParse(input);
  if (!read.success) {
    if (!(typeof input === 'object' && input !== null && 'workers' in input && 'comm' in input)) return null;
    const [issue] = read.error.issues;
    throw badInput(`The graph's ${issue?.path.join('.') || 'file'} cannot be read (${issue?.message}): correct it.`);
  }
  const { workers, comm, slices } = read.data;
  const backwards = slices?.findIndex(([start, end]) => end < start) ?? -1;
  if (backwards >= 0) throw badInput(`The graph's slices.${backwards} ends before it starts: correct it.`);
  const builder = new ActivityBuilder();
  for (const { id, activities } of workers) {
    for (const [index, { start, end, type, name }] of activities.entries()) {
      const kind = kindOf(type);
      builder.addWork({
        worker: String(id),
        startNs: start,
        endNs: end,
        kind,
        name: labelText({ type, name: name ?? null }),
        line: index + 1,
      });
    }
  }
  const known = new Map(workers.map(({ id }) => [String(id), id]));
  for (const [index, { src, dst, start, end, type = 'comm', name }] of comm.entries()) {
    const stranger = [src, dst].find((id) => !known.has(String(id)));
    if (stranger !== undefined)
      throw badInput(`comm.${index} names worker ${stranger}, which the graph does not have.`);
    const ends = { from: String(src), to: String(dst), startNs: start, endNs: end };
    const label = labelText({ type, name: name ?? null, index });
    builder.addTransfer({ ...ends, name: label, bytes: Number.NaN, line: index + 1 });
  }
  const activities = builder.build();
  const problems = builder.problems.list();
  const problem = problems.find(({ kind }) => !IS_NO_EDGE.has(kind));
  if (problem !== undefined) {
    throw badInput(
      `The graph has the fault '${problem.kind}' (${problem.count} in all, the first at number ${problem.lines[0]}): correct it.`,
    );
  }
  const whole: Slice[] = activities.workers.length === 0 ? [] : [wholeOf(activities)];
  return {
    activities,
    slices: slices?.map(([startNs, endNs]) => ({ startNs, endNs })) ?? whole,
    workers: activities.workers.map((name) => known.get(name) ?? name),
    problems,
    labels: activities.names.map((text) => JSON.parse(text) as GraphLabel),
  };
}

function wholeOf({ bornNs, goneNs }: Activities): Slice {
  const least = (a: number, b: number): number => Math.min(a, b);
  const most = (a: number, b: number): number => Math.max(a, b);
  return {
    startNs: bornNs.reduce(least, Number.POSITIVE_INFINITY),
    endNs: goneNs.reduce(most, Number.NEGATIVE_INFINITY),
  };
}

/** Activities alike in type and name share a text; every transfer has its own. */
function labelText(label: GraphLabel): string {
  return JSON.stringify(label);
}

const OTHER_WORDS: Readonly<Record<string, ActivityKind>> = {
  waiting: 'wait',
  waiting_for_input: 'wait-input',
  wait_input: 'wait-input',
};

function kindOf(type: string): ActivityKind {
  return OTHER_WORDS[type] ?? ACTIVITY_KINDS.find((kind) => kind === type) ?? 'op';
}

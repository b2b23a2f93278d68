import { z } from 'zod';
import { ascending, badInput, COUNTS, own, parseCount, parseRange, RANGES, shortened } from '../base/index.ts';
import { chosenCellSchema, parseCells } from './parse-cells.ts';
import { type StackProfile, sizeSchema, stackProfileSchema } from './records.ts';
import type { Workload } from './workloads/workload.ts';

/** What to measure: the product of nodes, scales and bandwidths, each `reps` times with `roots` searches. */
export const sweepSchema = z.strictObject({
  /** `graph500`, or the YAML file of a workload as the user named it. */
  workload: z.string().min(1),
  nodes: z.array(z.int().positive()).min(1),
  /** Dataset size exponents. */
  scales: z.array(sizeSchema).min(1),
  /** Percent of the line rate, (0, 100], ascending; 100 is always among them. */
  bw: z
    .array(z.number().positive().max(100))
    .min(1)
    .refine((values) => values.includes(100), 'the baseline of 100 % is missing'),
  reps: z.int().positive(),
  roots: z.int().positive(),
  /** Seed of the graph and of the choice of roots. */
  seed: z.int().nonnegative().default(1),
  /** Values of what the workload is told beside the scale, by name: every combination is measured. */
  params: z.record(z.string().regex(/^\w+$/), z.array(z.union([z.string().min(1), z.number()])).min(1)).optional(),
  /** Ranks on each node, where they are part of what varies; else as the inventory says. */
  ranksPerNode: z.array(z.int().positive()).min(1).optional(),
  /** Of a named experiment, its name, and the longest makespan that counts, seconds. */
  preset: z.strictObject({ name: z.string().min(1), slaS: z.number().positive() }).optional(),
  /** Node counts of an earlier sweep of the campaign: their 100 % baseline is visited in every block, so that both can be compared. */
  anchors: z.array(z.int().positive()).optional(),
  /** Every cell is run once more with its ranks profiled, beside its measurements. */
  profile: stackProfileSchema.optional(),
  /** Present when cells were named one by one: these are measured, not the product of the lists above. */
  cells: z.array(chosenCellSchema).min(1).optional(),
});
export type Sweep = z.infer<typeof sweepSchema>;

/** A sweep in texts; those left out have the defaults of `parseSweep`. */
export interface SweepTexts {
  readonly workload?: string | undefined;
  readonly nodes?: string | undefined;
  readonly scales?: string | undefined;
  readonly cells?: string | undefined;
  readonly bw?: string | undefined;
  readonly reps?: string | undefined;
  readonly roots?: string | undefined;
  readonly seed?: string | undefined;
  readonly ranksPerNode?: string | undefined;
  readonly profile?: string | undefined;
  readonly profileHz?: string | undefined;
  /** `algorithm=bfs,pr`: a parameter of the workload and its values. */
  readonly param?: readonly string[] | undefined;
}

/**
 * Texts such as `4,9,16,25` (nodes), `10..50/10` (bw, step 2 when none is given) -> a sweep; 100 % is added to bw.
 * Errors are `badInput` and name the text and the value.
 */
export function parseSweep(texts: SweepTexts): Sweep {
  const { workload = 'graph500', nodes, cells: chosen, scales = '20', bw = '10..50', param = [] } = texts;
  const { reps = '1', roots = '64', seed = '1' } = texts;
  const params = {
    ...(param.length === 0 ? {} : { params: parseParameters(param) }),
    ...(texts.ranksPerNode === undefined ? {} : { ranksPerNode: parseRanks(texts.ranksPerNode) }),
    ...profileOf(texts),
  };
  const counts = {
    reps: parseCount(reps, '--reps'),
    roots: parseCount(roots, '--roots'),
    seed: parseCount(seed, '--seed'),
  };
  if (chosen !== undefined && nodes === undefined) {
    const cells = parseCells(chosen);
    const values = (of: (cell: (typeof cells)[number]) => number): number[] => ascending(cells.map(of));
    const levels = values((cell) => cell.bw);
    return {
      workload,
      nodes: values((cell) => cell.nodes),
      scales: values((cell) => cell.scale),
      bw: levels.includes(100) ? levels : [...levels, 100],
      ...counts,
      ...params,
      cells,
    };
  }
  if (nodes === undefined || chosen !== undefined) {
    throw badInput('Say what to measure: either --nodes 4,9,16 (with --scales and --bw) or --cells NODES:SCALE:BW.');
  }
  return {
    workload,
    nodes: [...parseRange(nodes, { what: '--nodes', ...RANGES['sweep --nodes'] })],
    scales: [...parseRange(scales, { what: '--scales', ...RANGES['--scale'] })],
    bw: parseBandwidths(bw),
    ...counts,
    ...params,
  };
}

/** A sweep over all that a workload is told of, in place of scales and parameters. Errors: `badInput` for scales that were given. */
export function withChoices(sweep: Sweep, { choices }: Pick<Workload, 'choices'>): Sweep {
  if (choices === null) return sweep;
  const values = (name: string): (string | number)[] => [
    ...new Set(choices.flatMap(({ params }) => own(params, name) ?? [])),
  ];
  const names = [...new Set(choices.flatMap(({ params }) => Object.keys(params)))];
  return {
    ...sweep,
    scales: ascending(choices.map(({ scale }) => scale)),
    params: Object.fromEntries(names.map((name) => [name, values(name)])),
  };
}

function profileOf({ profile: kind, profileHz }: SweepTexts): { readonly profile?: StackProfile } {
  if (kind === undefined) {
    if (profileHz === undefined) return {};
    throw badInput('--profile-hz sets how often stacks are recorded: add --profile cpu or --profile wall.');
  }
  if (kind !== 'cpu' && kind !== 'wall') {
    throw badInput(`--profile ${shortened(kind)}: write cpu (time on processors) or wall (all time).`);
  }
  return { profile: { kind, hz: parseCount(profileHz ?? String(USUAL_HZ), '--profile-hz') } };
}

/** Not a round number, so that no program works in step with it. */
const USUAL_HZ = 99;

function parseParameters(texts: readonly string[]): Record<string, string[]> {
  const named = texts.map(parseParameter);
  const twice = named.find(([name], index) => named.findIndex(([other]) => other === name) < index)?.[0];
  if (twice !== undefined) {
    throw badInput(`--param ${shortened(twice)} is given twice: write all its values once, ${twice}=VALUE,VALUE.`);
  }
  return Object.fromEntries(named);
}

function parseParameter(text: string): [name: string, values: string[]] {
  const [, name, list = ''] = /^\s*([A-Za-z]\w*)\s*=(.*)$/s.exec(text) ?? [];
  const values = list.split(',').map((value) => value.trim());
  if (name === undefined || values.includes('')) {
    throw badInput(`'${shortened(text)}' is not a parameter: write NAME=VALUE or NAME=VALUE,VALUE.`);
  }
  return [name, [...new Set(values)]];
}

function parseRanks(text: string): number[] {
  return [...parseRange(text, { what: '--ranks-per-node', ...COUNTS['--ranks-per-node'] })];
}

function parseBandwidths(text: string): number[] {
  const values = parseRange(text, { what: '--bw', step: 2, ...RANGES['--bw'], integer: false });
  return values.includes(100) ? [...values] : [...values, 100];
}

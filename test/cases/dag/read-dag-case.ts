import type { z } from 'zod';
import type { DagShape } from '../../../analysis/dag/judge/graph.ts';
import type { DagThresholds, PeriodShares, Saturation } from '../../../analysis/dag/judge/judge.ts';
import { badInput } from '../../../base/errors.ts';
import { flinkShape, flinkShares } from '../../../orchestrator/dag/flink/flink-answers.ts';
import { caseSchemas } from './dag-case-schemas.ts';
import { readPipeRecording } from './pipe-recording.ts';
import { type Span, sharesOfTracks } from './tracks.ts';

/** A job with its periods, whatever they came from. */
export interface DagCase {
  readonly shape: { readonly vertices: readonly CaseVertex[]; readonly edges: DagShape['edges'] };
  readonly thresholds: DagThresholds;
  readonly periods: readonly PeriodShares[];
  /** What people should know of the input, a sentence each. */
  readonly notes: readonly string[];
}

interface CaseVertex {
  readonly id: string;
  readonly label: string;
  readonly instances: number;
}

/**
 * Reads a case: fractions of periods, tracks, a recording of processes and pipes, or answers of Flink. `saturation` takes the place of
 * what the case says. Errors: `badInput` naming what is wrong.
 */
export function readDagCase(
  input: unknown,
  { saturation }: { readonly saturation?: Saturation | undefined } = {},
): DagCase {
  const has = (key: keyof typeof caseSchemas): boolean => typeof input === 'object' && input !== null && key in input;
  if (has('recording')) return recordedCase(parsed(caseSchemas.recording, input), saturation);
  if (has('flink')) return flinkCase(parsed(caseSchemas.flink, input));
  if (has('tracks')) return trackedCase(parsed(caseSchemas.tracks, input), saturation);
  if (has('periods')) return givenCase(parsed(caseSchemas.periods, input));
  throw badInput('The case has no input: give vertices, edges and periods, a recording, or responses of Flink.');
}

function parsed<Schema extends z.ZodType>(schema: Schema, input: unknown): z.infer<Schema> {
  const read = schema.safeParse(input);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw badInput(`The case's ${issue?.path.join('.') || 'content'} cannot be read (${issue?.message}): correct it.`);
}

function recordedCase(read: z.infer<typeof caseSchemas.recording>, saturation = read.saturation): DagCase {
  return { thresholds: read, ...readPipeRecording(read.recording, { periodS: read.periodS, saturation }) };
}

function flinkCase({ flink: { job, plan, snapshots }, ...thresholds }: z.infer<typeof caseSchemas.flink>): DagCase {
  const shape = flinkShape(job, plan);
  refuseDisorder(snapshots, 'flink.snapshots');
  const periods = snapshots.map(({ startNs, endNs, backpressure }) => {
    refuseStrangers(backpressure, shape.vertices, 'a vertex');
    const shares = new Map(Object.entries(backpressure).map(([id, answer]) => [id, flinkShares(answer)]));
    return {
      ...{ startNs, endNs },
      processing: Object.fromEntries([...shares].map(([id, { processing }]) => [id, processing])),
      saturated: Object.fromEntries(shape.edges.map(({ id, from }) => [id, shares.get(from)?.pressure ?? []])),
    };
  });
  return { shape, thresholds, periods, notes: [] };
}

function trackedCase(read: z.infer<typeof caseSchemas.tracks>, saturation = read.saturation): DagCase {
  const { tracks, vertices, edges } = read;
  refuseDisorder(read.periods, 'periods');
  refuseStrangers(tracks.waiting, vertices, 'a vertex');
  for (const list of [tracks.full, tracks.blocked]) refuseStrangers(list, edges, 'an edge');
  const measured = saturation === 'buffer' ? tracks.full : tracks.blocked;
  const without = edges.filter(({ id }) => !Object.hasOwn(measured, id)).map(({ id }) => `'${id}'`);
  return {
    shape: { vertices: vertices.map(labelled), edges },
    thresholds: read,
    periods: sharesOfTracks(tracks, { spans: read.periods, edges, saturation }),
    notes:
      without.length === 0
        ? []
        : [
            `The case has no tracks for the measure '${saturation}' of ${without.join(', ')}, so this is never reported as a bottleneck.`,
          ],
  };
}

function givenCase(read: z.infer<typeof caseSchemas.periods>): DagCase {
  refuseDisorder(read.periods, 'periods');
  for (const { processing, saturated } of read.periods) {
    refuseStrangers(processing, read.vertices, 'a vertex');
    refuseStrangers(saturated, read.edges, 'an edge');
  }
  const shape = { vertices: read.vertices.map(labelled), edges: read.edges };
  return { shape, thresholds: read, periods: read.periods, notes: [] };
}

function labelled({ id, instances }: { readonly id: string; readonly instances: number }): CaseVertex {
  return { id, label: id, instances };
}

function refuseDisorder(spans: readonly Span[], where: string): void {
  let lastNs = Number.NEGATIVE_INFINITY;
  for (const [index, { startNs, endNs }] of spans.entries()) {
    if (endNs <= startNs)
      throw badInput(`${where}.${index} ends at ${endNs} ns, not after its start at ${startNs} ns: correct it.`);
    if (startNs < lastNs)
      throw badInput(`${where}.${index} starts at ${startNs} ns, before the one before it ends: sort them.`);
    lastNs = endNs;
  }
}

function refuseStrangers(
  record: Readonly<Record<string, unknown>>,
  known: readonly { readonly id: string }[],
  what: string,
): void {
  const ids = new Set(known.map(({ id }) => id));
  const stranger = Object.keys(record).find((id) => !ids.has(id));
  if (stranger !== undefined)
    throw badInput(`A period or track names '${stranger}', which is not the id of ${what} of the job: correct it.`);
}

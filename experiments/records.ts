import { z } from 'zod';
import { PATH_NAME } from '../base/paths.ts';
import { asBitsPerSecond, asPercent, type BitsPerSecond, rateOf } from '../base/units.ts';
import { burstBytes } from '../throttle/link-command.ts';

// The plain data that passes between rooms. docs/design.md lists who writes and who reads each record.

/**
 * Dataset size exponent: 2^scale vertices of a Graph500 graph, a whole number; of another graph that of a Graph500 graph with as
 * many edges, to two decimals.
 */
export const sizeSchema = z
  .number()
  .min(0)
  .max(60)
  .refine((scale) => Number.isInteger(Math.round(scale * 1e4) / 100), 'a size has two decimals at most');

/** How ranks are profiled: by their time on processors, or by all time of each rank's first thread. */
export const stackProfileSchema = z.strictObject({
  kind: z.enum(['cpu', 'wall']),
  /** Samples per second on a processor. */
  hz: z.int().positive().max(9999),
});
export type StackProfile = z.infer<typeof stackProfileSchema>;

/** What one cell runs. The id is a hash of everything else in the cell, so equal content has an equal id. */
export const cellSchema = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{16}$/),
  /** Name of the workload definition stored in campaign.json. */
  workload: z.string(),
  nodes: z.int().positive(),
  ranks: z.int().positive(),
  scale: sizeSchema,
  /** What the workload is told beside the scale: an algorithm, a dataset. Left out where there is nothing to tell. */
  params: z.record(z.string().regex(/^\w+$/), z.union([z.string().min(1), z.number()])).optional(),
  /** Available bandwidth in percent of the line rate, (0, 100]. */
  bw: z.number().positive().max(100),
  /** Repetition, from 1. */
  rep: z.int().positive(),
  /** `drift`: the baseline again at the end of its (nodes, scale, parameters) group; `profile`: profiled, so its times are no measurement. */
  role: z.enum(['measure', 'drift', 'profile']),
  /** Of a cell with that role alone. */
  profile: stackProfileSchema.optional(),
  /** Timed runs asked for: searches from as many keys, or repetitions. */
  roots: z.int().positive(),
});
export type Cell = z.infer<typeof cellSchema>;

/** One timed search, or one timed run of a program without searches: `ct` in seconds. */
export const timedRunSchema = z.strictObject({
  /** From 0, in the order of the run. */
  index: z.int().nonnegative(),
  ct: z.number().positive(),
  teps: z.number().positive().nullable(),
  nedge: z.number().nonnegative().nullable(),
  validateS: z.number().nullable(),
});
export type TimedRun = z.infer<typeof timedRunSchema>;

/** Byte counters of the throttled class (or, at bw 100, of the interface) over one run. */
const classProofSchema = z.strictObject({
  host: z.string(),
  direction: z.enum(['out', 'in']),
  bytes: z.number().nonnegative(),
  overlimits: z.number().nonnegative(),
  drops: z.number().nonnegative(),
  /** Mean rate over the run, bits per second. */
  averageBps: z.number().nonnegative(),
});

const probeProofSchema = z.strictObject({
  host: z.string(),
  /** Goodput of a TCP stream, bits per second. */
  outBps: z.number().nonnegative(),
  inBps: z.number().nonnegative(),
  /** What nine of ten small messages to the next host and back took at most beside the stream. */
  roundTripMs: z.number().nonnegative().optional(),
});

/** Why a measurement at this bandwidth can be believed. */
const proofSchema = z.strictObject({
  bw: z.number(),
  /** The enforced rate per host and direction, bits per second. */
  rateBps: z.number().positive(),
  /** What each host adds to what it sends; left out without a latency. */
  latencyMs: z.number().positive().optional(),
  probes: z.array(probeProofSchema),
  classes: z.array(classProofSchema),
});
export type Proof = z.infer<typeof proofSchema>;

/**
 * Something about a measured cell that its reader must know. The figures stay, and models see them; what made a run no
 * measurement at all is a fault instead, and the run is repeated.
 */
const markSchema = z.strictObject({
  kind: z.enum([
    /** A sampler died, is missing or left gaps, so what is known of the run's host is not whole. */
    'sampler',
    /** Bytes on the data network that are not the run's. */
    'foreign-traffic',
    /** Processors that worked for others while ranks ran on them. */
    'stolen-cpu',
    /** Free links that are far from the inventory's line rate, so that percentages of it mean something else. */
    'link-below-rate',
    'link-above-rate',
    /** A slow link that is meant: the inventory accepts it as it is. */
    'link-accepted',
    /** What the program printed was too long to be read whole. */
    'output-cut',
    /** Call stacks of a profiled run that are missing. */
    'stacks',
  ]),
  /** Null where it is about the run as a whole. */
  host: z.string().nullable(),
  /** One sentence with figures. */
  text: z.string(),
});
export type Mark = z.infer<typeof markSchema>;

/** A finished cell. A failed run has the same shape plus the reason. */
export const recordSchema = z.strictObject({
  cell: cellSchema,
  status: z.enum(['ok', 'failed']),
  /** One sentence; null when ok. */
  reason: z.string().nullable(),
  /** The last lines of the workload's output when it failed. */
  outputTail: z.array(z.string()),
  exitCode: z.int().nullable(),
  command: z.string(),
  hosts: z.array(z.string()),
  startedAt: z.iso.datetime(),
  /**
   * Milliseconds of each step; `workloadMs` is the launcher's own run time, or that of the timed runs of one that serves several
   * cells. `startMs`, of such a cell alone: until that run was there, 0 where it was there already.
   */
  timing: z.strictObject({
    totalMs: z.number(),
    startMs: z.number().optional(),
    throttleMs: z.number(),
    workloadMs: z.number(),
    collectMs: z.number(),
  }),
  /** Values the workload itself reported (Graph500's summary block), by its own names. */
  summary: z.record(z.string(), z.union([z.number(), z.string()])),
  proof: proofSchema.nullable(),
  runs: z.array(timedRunSchema),
  /** Per host: clock minus the controller's clock, ns, with the half width of the bound. */
  clocks: z.array(z.strictObject({ host: z.string(), offsetNs: z.number(), errorNs: z.number() })),
  /** Per host: what sampling cost; null where the sampler did not live to say it. */
  samplers: z.array(
    z.strictObject({ host: z.string(), samples: z.int(), missed: z.int().nullable(), cpuNs: z.number().nullable() }),
  ),
  /** What was seen during the run that casts a doubt on it; `withMarks` adds what only a comparison of cells shows. */
  marks: z.array(markSchema).default([]),
});
export type CellRecord = z.infer<typeof recordSchema>;

/**
 * record.json: the record without its runs, which roots.parquet holds, what its other files are, and a digest of all that.
 * Schema 1 had a second copy of the runs instead, which is not read.
 */
export const storedRecordSchema = z.discriminatedUnion('schema', [
  recordSchema.omit({ runs: true }).extend({ schema: z.literal(1), roots: z.array(z.unknown()) }),
  recordSchema.omit({ runs: true }).extend({
    schema: z.literal(2),
    /** By name, those in the cell's folder beside record.json. */
    files: z.record(z.string().regex(PATH_NAME), z.strictObject({ bytes: z.int(), sha256: z.string() })),
    digest: z.string(),
  }),
]);
export type StoredRecord = z.infer<typeof storedRecordSchema>;

/** One row for modelling: one timed run with its coordinates. Units: ct s, bw percent. */
export interface Observation {
  readonly scale: number;
  readonly nodes: number;
  readonly ranks: number;
  readonly bw: number;
  /** Of each rank; absent for one. */
  readonly threads?: number;
  readonly rep: number;
  readonly ct: number;
}

/** What a link passes each way. */
export interface LinkRate {
  /** ns that a byte takes. */
  readonly nsPerByte: number;
  /** What passes at once after a pause, in ns at that rate. */
  readonly burstNs: number;
}

/**
 * The link of a cell's hosts, were it so many times as slow: a throttled one with the burst that the throttle gives it at that rate,
 * an open one without. `lineRateBps`: of the full link, bit/s.
 */
export function cellLink(bw: number, lineRateBps: number, slower = 1): LinkRate {
  const rateBps: BitsPerSecond = rateOf(asBitsPerSecond(lineRateBps), asPercent(bw));
  const nsPerByte = (8e9 / rateBps) * slower;
  if (slower <= 0 || bw === 100) return { nsPerByte, burstNs: 0 };
  return { nsPerByte, burstNs: burstBytes(asBitsPerSecond(rateBps / slower)) * nsPerByte };
}

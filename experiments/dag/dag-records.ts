import { z } from 'zod';

const id = z.string().min(1).max(4096);
/** Share of a period, 0 to 1. */
const fraction = z.number().min(0).max(1);
const time = z.number().int().safe().nonnegative();
const amount = z.number().finite().nonnegative();

/** A task: `instances` run the same sequential code side by side (Battre et al., section II). */
const dagVertexSchema = z.strictObject({
  id,
  /** What people call it: a command, an operator's name. */
  label: z.string(),
  /** Where each instance runs; empty where nobody knows. */
  hosts: z.array(z.string()),
  instances: z.number().int().nonnegative(),
});
export type DagVertex = z.infer<typeof dagVertexSchema>;

/** All channels between the instances of two tasks. Parallel edges are told apart by `id`. */
const dagEdgeSchema = z.strictObject({
  id,
  from: id,
  to: id,
  /** What one channel holds, in `unit`; null where nobody knows. */
  capacity: amount.nullable(),
  unit: z.enum(['bytes', 'records']),
  /** Rate of the network link that carries it, bit/s; null for a channel within a host, or where nobody knows. */
  linkBps: amount.nullable(),
});
export type DagEdge = z.infer<typeof dagEdgeSchema>;

export const DAG_RUN_SCHEMA = 1;

/** A watched job as it began: run.json. */
export const dagRunSchema = z.strictObject({
  schema: z.literal(DAG_RUN_SCHEMA),
  source: z.enum(['pipes', 'flink', 'bullmq', 'simulation']),
  startedAt: z.iso.datetime(),
  /** Length of a period as it was asked for, s. */
  periodS: z.number().positive(),
  /** Samples per second; null where the source keeps its own account. */
  hz: z.number().positive().nullable(),
  vertices: z.array(dagVertexSchema),
  edges: z.array(dagEdgeSchema),
  command: z.string().nullable(),
  /** Bandwidth of the links between its hosts, percent of the line rate; null where they are not throttled by us. */
  bw: z.number().positive().max(100).nullable(),
  /** Processors of each host; hosts of which nobody knows are left out. */
  cores: z.record(z.string(), z.number().int().positive()).optional(),
  /** What people should know of how it was watched, a sentence each. */
  notes: z.array(z.string()),
});
export type DagRun = z.infer<typeof dagRunSchema>;

/** Null for an instance or channel that did not live in the period. */
const each = z.array(fraction.nullable());

/** What the instances of a task did in a period. */
const vertexPeriodSchema = z.strictObject({
  /** Share of its life in the period that each was PROCESSING, not blocked on a channel. */
  processing: each,
  /** Of PROCESSING: on a CPU or waiting for one, and waiting for a disk; mean over instances, null where unknown. */
  cpu: fraction.nullable(),
  disk: fraction.nullable(),
  /** On a CPU alone, as the kernel counts it; mean over instances. */
  onCpu: fraction.nullable().optional(),
  /** Where PROCESSING of instances is not known, the most that it can have been, by what else is known of them; mean over instances. */
  busyAtMost: fraction.nullable().optional(),
  /** Records that all instances together went through; null where unknown. */
  records: amount.nullable(),
});
export type VertexPeriod = z.infer<typeof vertexPeriodSchema>;

/** What the channels of an edge held in a period. */
const edgePeriodSchema = z.strictObject({
  /** Share of the time that each channel's buffer was full; null where fill levels are not measured. */
  buffer: each.nullable(),
  /** Share of the time that each producing instance was blocked writing to this edge; null where that is not measured. */
  writer: each.nullable(),
  /** The same as a share of all waiting of that instance, 0 where it waits for less than 5 % of the time. */
  pressure: each.nullable(),
  /** What all channels together carried; null where unknown. */
  bytes: amount.nullable(),
  records: amount.nullable(),
});
export type EdgePeriod = z.infer<typeof edgePeriodSchema>;

/** Lines of periods.jsonl. Times are ns since the run's `startedAt`, periods ascending without overlap, their end exclusive. */
export const dagLineSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('period'),
    startNs: time,
    endNs: time,
    /** Tasks and edges without an entry did not live. */
    vertices: z.record(z.string(), vertexPeriodSchema),
    edges: z.record(z.string(), edgePeriodSchema),
  }),
  /** A task or edge joins, or has other instances, from the next period on. */
  z.strictObject({ kind: z.literal('vertex'), atNs: time, vertex: dagVertexSchema }),
  z.strictObject({ kind: z.literal('edge'), atNs: time, edge: dagEdgeSchema }),
  /** All instances of a task ended; `why` in a few words, such as an exit status or a signal. */
  z.strictObject({ kind: z.literal('vertex-gone'), atNs: time, id, why: z.string() }),
  z.strictObject({ kind: z.literal('edge-gone'), atNs: time, id, why: z.string() }),
  /** Something that people should know, a sentence. */
  z.strictObject({ kind: z.literal('note'), atNs: time, text: z.string() }),
]);
export type DagLine = z.infer<typeof dagLineSchema>;
export type DagPeriod = Extract<DagLine, { kind: 'period' }>;

/** Below this share of waiting, what an instance waits for says nothing. */
const LEAST_WAITING = 0.05;
/** Of what equals it the last digits of a sum must not make less. */
const ROUNDING = 1e-12;

/** Share of an instance's waiting that it is blocked writing to one edge; 0 where it hardly waits at all. */
export function computePressure(blocked: number, waiting: number): number {
  return waiting < LEAST_WAITING - ROUNDING ? 0 : Math.min(1, blocked / waiting);
}

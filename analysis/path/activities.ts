// What workers did and what went from one to another, on one clock: the activity graph of Sager (ETH 2016), definition 3.3,
// in columns. An instant of a worker is a vertex, an activity an edge; vertices need not be stored.

/** Kinds of what a worker does (Sager, section 3.2). On a critical path may be all but `wait`. */
export const ACTIVITY_KINDS = [
  'op',
  'serialization',
  'buffer',
  'io',
  'idle',
  'unknown',
  'application',
  'wait-input',
  'wait',
] as const;
export type ActivityKind = (typeof ACTIVITY_KINDS)[number];

/** A stretch of time, ns. */
export interface Slice {
  readonly startNs: number;
  readonly endNs: number;
}

/** One after another per worker: sorted by worker, then start; two of a worker may touch, never overlap. Times in ns. */
interface WorkerColumns {
  /** Where the activities of each worker begin; one entry more than there are workers. */
  readonly first: Uint32Array;
  readonly startNs: Float64Array;
  readonly endNs: Float64Array;
  /** Index into `ACTIVITY_KINDS`. */
  readonly kind: Uint8Array;
  /** Index into `names`. */
  readonly name: Int32Array;
}

/** From one worker to another, or to itself; sorted by target, then end. Times in ns, `startNs` <= `endNs`. */
interface TransferColumns {
  /** Where the arrivals of each worker begin; one entry more than there are workers. */
  readonly first: Uint32Array;
  readonly from: Int32Array;
  readonly startNs: Float64Array;
  readonly endNs: Float64Array;
  readonly name: Int32Array;
  /** NaN where it is not known. */
  readonly bytes: Float64Array;
}

/** What is between the activities of a running worker is `unknown` and need not be stored. */
export interface Activities {
  /** What workers are called, in their order: ranks, threads, hosts. */
  readonly workers: readonly string[];
  /** What activities and transfers are called; an index is of this list. */
  readonly names: readonly string[];
  readonly work: WorkerColumns;
  readonly transfers: TransferColumns;
  /** When each worker runs: from its birth to its end, ns. */
  readonly bornNs: Float64Array;
  readonly goneNs: Float64Array;
}

/** One step of a critical path, oldest first. A transfer is on the way from `worker` to `to`. */
export interface PathStep {
  readonly worker: number;
  readonly to: number | null;
  readonly kind: ActivityKind | 'transfer';
  /** What a profile counts it under: `compute`, `fold transfer`, `op:Map#3`. */
  readonly key: string;
  readonly startNs: number;
  readonly endNs: number;
}

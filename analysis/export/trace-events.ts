/**
 * Trace Event Format, "Trace Event Format" (Duca, Sinclair, 2016), as ui.perfetto.dev reads it. Times in microseconds.
 * https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
 */
export type TraceEvent = CompleteEvent | CounterEvent | MetadataEvent;

interface ThreadPlace {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
}

/** A stretch of time on a thread. */
export interface CompleteEvent extends ThreadPlace {
  readonly ph: 'X';
  readonly cat: string;
  readonly ts: number;
  readonly dur: number;
  readonly args: Readonly<Record<string, unknown>>;
}

/** A value from `ts` until the next event of the same name and process. */
export interface CounterEvent extends ThreadPlace {
  readonly ph: 'C';
  readonly ts: number;
  readonly args: Readonly<Record<string, number>>;
}

interface MetadataEvent extends ThreadPlace {
  readonly ph: 'M';
  readonly args: Readonly<Record<string, string | number>>;
}

/**
 * Whole nanoseconds as microseconds. Perfetto takes 1000 times the number and cuts off the fraction, so that 1.001 would come
 * out as 1000 ns and nested events as overlapping: where that happens the next double is given. Exact below 2^50 ns (13 days).
 */
export function microseconds(ns: number): number {
  const nearest = ns / 1000;
  return Math.trunc(nearest * 1000) === ns ? nearest : nearest * (1 + Number.EPSILON);
}

/** A process's name and place. Events that belong to no thread have the process's number for one. */
export function processMetadata({ name, pid }: { readonly name: string; readonly pid: number }): MetadataEvent[] {
  return [
    { name: 'process_name', ph: 'M', pid, tid: pid, args: { name } },
    { name: 'process_sort_index', ph: 'M', pid, tid: pid, args: { sort_index: pid } },
  ];
}

/** A thread's name and place. */
export function threadMetadata({ name, pid, tid }: ThreadPlace): MetadataEvent[] {
  return [
    { name: 'thread_name', ph: 'M', pid, tid, args: { name } },
    { name: 'thread_sort_index', ph: 'M', pid, tid, args: { sort_index: tid } },
  ];
}

/** Names with their numbers in order: rank 2 before rank 10. */
export function byName(a: string, b: string): number {
  return collator.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0);
}

const collator = new Intl.Collator('en', { numeric: true });

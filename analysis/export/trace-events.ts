/**
 * Trace Event Format, "Trace Event Format" (Duca, Sinclair, 2016), as ui.perfetto.dev reads it. Times in microseconds.
 * https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
 */
export interface TraceEvent {
  readonly name: string;
  readonly cat?: string;
  /**
   * X: a stretch of time on a thread; C: a value until the next one of this name and process; M: about a process or thread;
   * s and f: the ends of an arrow, of one id.
   */
  readonly ph: 'X' | 'C' | 'M' | 's' | 'f';
  readonly id?: number;
  /** Of an arrow's end: it belongs to the event around it. */
  readonly bp?: 'e';
  readonly pid: number;
  readonly tid: number;
  readonly ts?: number;
  readonly dur?: number;
  readonly args: Readonly<Record<string, unknown>>;
}

/** A whole trace, one event per line, for grep and diff; made one by one, as a job may have millions. */
export function renderEvents(events: Iterable<TraceEvent>): string {
  const lines: string[] = [];
  for (const event of events) lines.push(JSON.stringify(event));
  return `{"displayTimeUnit":"ms","traceEvents":[\n${lines.join(',\n')}\n]}\n`;
}

/** Where slices are on the trace's axis, and how long stretches of them are; microseconds. */
export interface SliceAxis {
  readonly at: (slice: number) => number;
  readonly length: (slices: number) => number;
}

/**
 * Whole nanoseconds as microseconds. Perfetto takes 1000 times the number and cuts off the fraction, so that 1.001 would come
 * out as 1000 ns and nested events as overlapping: where that happens the next double is given. Exact below 2^50 ns (13 days).
 */
export function microseconds(ns: number): number {
  const nearest = ns / 1000;
  return Math.trunc(nearest * 1000) === ns ? nearest : nearest * (1 + Number.EPSILON);
}

/** A process's name and place, or a thread's. Events that belong to no thread have the process's number for one. */
export function named(what: 'process' | 'thread', name: string, pid: number, tid = pid): TraceEvent[] {
  return [
    { name: `${what}_name`, ph: 'M', pid, tid, args: { name } },
    { name: `${what}_sort_index`, ph: 'M', pid, tid, args: { sort_index: tid } },
  ];
}

/** Names with their numbers in order: rank 2 before rank 10. */
export function byName(a: string, b: string): number {
  return collator.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0);
}

const collator = new Intl.Collator('en', { numeric: true });

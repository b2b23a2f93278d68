// A whole Timely trace: what of it is activities, waits and messages, and what could not be used.
import type { Activities, Problem } from '../activities.ts';
import { toActivities } from './to-activities.ts';
import { TimelyTrace, type TraceOptions } from './trace.ts';
import { LineReader } from './line-reader.ts';
import { isTimelyLine } from './parse-line.ts';

export interface TimelyAnalysis {
  readonly activities: Activities;
  readonly problems: readonly Problem[];
  readonly trace: TimelyTrace;
  /** Lines of the trace, and seconds that reading and joining took, and ordering what came of it. */
  readonly lines: number;
  readonly readSeconds: number;
  readonly orderSeconds: number;
}

/** A trace and the reader that feeds it. */
export function openTimely(options: TraceOptions): { readonly trace: TimelyTrace; readonly reader: LineReader } {
  const reader = new LineReader();
  const trace = new TimelyTrace(options, reader.addresses);
  reader.to(trace);
  return { trace, reader };
}

/**
 * Reads a trace from JSON lines in pieces of any length. Null where its first line is no event of Timely. Without any line
 * there is nothing to read: null too.
 */
export async function analyseTimely(
  chunks: AsyncIterable<Buffer>,
  options: TraceOptions,
): Promise<TimelyAnalysis | null> {
  const began = performance.now();
  const { trace, reader } = openTimely(options);
  let head: Buffer | null = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (head === null) {
      reader.feed(chunk);
      continue;
    }
    head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
    const first = firstLine(head);
    if (first === null) continue;
    if (!isTimelyLine(first)) return null;
    reader.feed(head);
    head = null;
  }
  if (head !== null) {
    if (!isTimelyLine(head.toString('utf8'))) return null;
    reader.feed(head);
  }
  reader.finish();
  return finishTimely(trace, { lines: reader.lines, began });
}

/** Ends a trace and puts what it holds in order; `began` is when its reading did (`performance.now`). */
export function finishTimely(
  trace: TimelyTrace,
  { lines, began }: { readonly lines: number; readonly began: number },
): TimelyAnalysis {
  trace.end();
  const read = performance.now();
  const activities = toActivities(trace);
  const problems = trace.problems.list();
  const orderSeconds = (performance.now() - read) / 1000;
  return { activities, problems, trace, lines, readSeconds: (read - began) / 1000, orderSeconds };
}

/** The first line that is not blank; null where no line has an end yet. */
function firstLine(buffer: Buffer): string | null {
  for (let at = 0; ; ) {
    const end = buffer.indexOf(10, at);
    if (end < 0) return null;
    const line = buffer.toString('utf8', at, end).trim();
    if (line !== '') return line;
    at = end + 1;
  }
}

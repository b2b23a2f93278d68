// A whole Timely trace: what of it is activities, waits and messages, and what could not be used.

import type { Problem } from '../../problems.ts';
import type { Activities } from '../activities.ts';
import { LONGEST_LINE } from '../source/lines.ts';
import { COLUMNS_MAGIC, ColumnsWriter, replayColumns } from './columns-file.ts';
import { EventLines } from './event-lines.ts';
import { isTimelyLine } from './parse-line.ts';
import { TimelyTrace, type TraceOptions } from './timely-trace.ts';
import { toActivities } from './to-activities.ts';

const NEWLINE = 10;
/** If none of so many lines is an event of Timely, the file is another one. */
const LOOKED_AT = 100;

export interface TimelyAnalysis {
  readonly activities: Activities;
  readonly problems: readonly Problem[];
  readonly trace: TimelyTrace;
  /** Lines of the trace. */
  readonly lines: number;
  /** The trace as a file of columns, in pieces; null where it was not asked for. */
  readonly columns: Iterable<Buffer> | null;
}

/** A trace and the reader that feeds it; with `saves` what goes by is kept for a file of columns. */
function openTimely(options: TraceOptions & { readonly saves?: boolean }): {
  readonly trace: TimelyTrace;
  readonly reader: EventLines;
  readonly columns: ColumnsWriter | null;
} {
  const reader = new EventLines();
  const trace = new TimelyTrace(options, reader.addresses);
  const columns = options.saves === true ? new ColumnsWriter(trace) : null;
  reader.to(columns ?? trace);
  return { trace, reader, columns };
}

/**
 * Reads a trace from JSON lines in pieces of any length. Null where none of its first lines is an event of Timely.
 */
export async function analyseTimely(
  chunks: AsyncIterable<Buffer>,
  options: TraceOptions & { readonly saves?: boolean },
): Promise<TimelyAnalysis | null> {
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    return await analysePieces(once(iterator), options);
  } finally {
    await iterator.return?.();
  }
}

async function analysePieces(
  rest: AsyncIterable<Buffer>,
  options: TraceOptions & { readonly saves?: boolean },
): Promise<TimelyAnalysis | null> {
  const { trace, reader, columns } = openTimely(options);
  let head: Buffer | null = Buffer.alloc(0);
  for await (const chunk of rest) {
    if (head === null) {
      reader.feed(chunk);
      continue;
    }
    head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
    if (isColumns(head)) return await analyseColumns([head, rest], options);
    const answer = isTimely(head);
    if (answer === null) continue;
    if (!answer) return null;
    reader.feed(head);
    head = null;
  }
  if (head !== null) {
    if (!isTimelyLine(lastLine(head))) return null;
    reader.feed(head);
  }
  reader.finish();
  return { ...finishTimely(trace, reader.lines), columns: columns?.pieces(reader.addresses) ?? null };
}

async function analyseColumns(
  [head, chunks]: readonly [Buffer, AsyncIterable<Buffer>],
  options: TraceOptions,
): Promise<TimelyAnalysis | null> {
  const pieces = [head];
  for await (const chunk of chunks) pieces.push(chunk);
  let trace: TimelyTrace | null = null;
  const replayed = replayColumns(Buffer.concat(pieces), (addresses) => {
    trace = new TimelyTrace(options, addresses);
    return trace;
  });
  if (replayed === null || trace === null) return null;
  return finishTimely(trace, replayed.lines);
}

function isColumns(head: Buffer): boolean {
  return head.toString('latin1', 0, COLUMNS_MAGIC.length) === COLUMNS_MAGIC;
}

/** Ends a trace and puts what it holds in order. */
function finishTimely(trace: TimelyTrace, lines: number): TimelyAnalysis {
  trace.end();
  return { activities: toActivities(trace), problems: trace.problems.list(), trace, lines, columns: null };
}

/** Pieces that may be taken in two loops, each once: leaving a loop does not end them. */
function once(iterator: AsyncIterator<Buffer>): AsyncIterable<Buffer> {
  return { [Symbol.asyncIterator]: () => ({ next: () => iterator.next() }) };
}

/** Whether one of the first lines is an event of Timely; null where more of them must be seen. Lines may be damaged. */
function isTimely(head: Buffer): boolean | null {
  let [from, seen] = [0, 0];
  for (let end = head.indexOf(NEWLINE); end >= 0 && seen < LOOKED_AT; end = head.indexOf(NEWLINE, from)) {
    const line = head.toString('utf8', from, Math.min(end, from + LONGEST_LINE)).trim();
    if (isTimelyLine(line)) return true;
    if (line !== '') seen += 1;
    from = end + 1;
  }
  return seen === LOOKED_AT || head.length - from > LONGEST_LINE ? false : null;
}

/** The last line, which has no end. */
function lastLine(head: Buffer): string {
  return head.toString('utf8', head.lastIndexOf(NEWLINE) + 1);
}

// A whole Timely trace: what of it is activities, waits and messages, and what could not be used.

import type { ReadActivities } from '../formats/activity-builder.ts';
import { COLUMNS_MAGIC, ColumnsWriter, replayColumns } from './columns-file.ts';
import { EventLines } from './event-lines.ts';
import { TimelyTrace, type TraceOptions } from './timely-trace.ts';
import { toActivities } from './to-activities.ts';

export interface TimelyAnalysis extends ReadActivities {
  readonly trace: TimelyTrace;
  /** Lines of the trace. */
  readonly lines: number;
  /** The trace as a file of columns, in pieces; null where it was not asked for. */
  readonly columns: Iterable<Buffer> | null;
}

/**
 * Reads a trace from pieces of any length, of JSON lines or of a file of columns. With `saves` what goes by is kept for a file of
 * columns. Null where none of the first lines is an event of Timely.
 */
export async function analyseTimely(
  chunks: AsyncIterable<Buffer>,
  { saves, ...options }: TraceOptions & { readonly saves?: boolean },
): Promise<TimelyAnalysis | null> {
  const trace = new TimelyTrace(options);
  const columns = saves === true ? new ColumnsWriter(trace) : null;
  const reader = new EventLines(columns ?? trace);
  /** Until it is known what they are; of columns all of them. */
  let held: Buffer[] = [];
  let isColumns: boolean | null = null;
  for await (const chunk of chunks) {
    if (isColumns === false) reader.feed(chunk);
    else {
      held.push(chunk);
      isColumns ??= beginsColumns(held);
      if (isColumns !== false) continue;
      reader.feed(Buffer.concat(held));
      held = [];
    }
    if (reader.isOther) return null;
  }
  if (isColumns === true) {
    const lines = replayColumns(Buffer.concat(held), trace);
    return lines === null ? null : finishTimely(trace, { lines, columns: null });
  }
  for (const chunk of held) reader.feed(chunk);
  reader.finish();
  return reader.isTimely ? finishTimely(trace, { lines: reader.lines, columns: columns?.pieces() ?? null }) : null;
}

/** Null where more bytes must be seen. */
function beginsColumns(pieces: readonly Buffer[]): boolean | null {
  const head = Buffer.concat(pieces);
  if (head.length < COLUMNS_MAGIC.length) return null;
  return head.toString('latin1', 0, COLUMNS_MAGIC.length) === COLUMNS_MAGIC;
}

/** Ends a trace and puts what it holds in order. */
function finishTimely(trace: TimelyTrace, others: Pick<TimelyAnalysis, 'lines' | 'columns'>): TimelyAnalysis {
  trace.end();
  return { activities: toActivities(trace), problems: trace.problems.list(), originNs: 0n, trace, ...others };
}

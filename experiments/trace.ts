// What a run tells about itself, whatever the program: spans (a worker was in a phase) and messages between workers. These
// tables are the one definition of the columns; docs/tables.md and agents/mpi/trace.h are held to them by tests.
import { shortened } from '../base/text.ts';

export interface TraceColumn {
  readonly name: string;
  /** Type in Parquet. */
  readonly type: 'INTEGER' | 'BIGINT' | 'VARCHAR';
  /** A program must give it. */
  readonly required: boolean;
  readonly meaning: string;
}

const column = (name: string, type: TraceColumn['type'], required: boolean, meaning: string): TraceColumn => ({
  name,
  type,
  required,
  meaning,
});

/** Any other column of a span is a key: a whole number that tells spans apart (a search, a level), empty where it does not apply. */
export const SPAN_COLUMNS: readonly TraceColumn[] = [
  column('worker', 'INTEGER', true, 'the MPI rank, from 0'),
  column('phase', 'VARCHAR', true, 'name of the phase'),
  column('start_ns', 'BIGINT', true, 'realtime clock of the host'),
  column('end_ns', 'BIGINT', true, 'realtime clock of the host'),
  column('bytes_sent', 'BIGINT', false, 'bytes sent to other workers'),
  column('asleep_ns', 'BIGINT', false, 'time in which the worker slept, waiting for messages'),
  column(
    'queued_ns',
    'BIGINT',
    false,
    'time in which the worker was ready to run but had no CPU (used by others, or exhausted quota)',
  ),
];

export const MESSAGE_COLUMNS: readonly TraceColumn[] = [
  column('worker', 'INTEGER', true, 'the MPI rank that recorded it, from 0'),
  column('kind', 'VARCHAR', true, '`send` or `receive`'),
  column('t_ns', 'BIGINT', true, 'when it was sent, or had arrived; realtime clock of the host'),
  column('peer', 'INTEGER', true, 'the worker at the other end'),
  column('bytes', 'BIGINT', false, 'length'),
  column(
    'id',
    'BIGINT',
    false,
    'the same for the send and the receive of one message; empty: in order per pair of workers',
  ),
  column('done_ns', 'BIGINT', false, 'of a send: when the worker saw that its buffer was free'),
  column(
    'waited_ns',
    'BIGINT',
    false,
    'how long the worker had waited when the message arrived or its buffer became free; 0 if it did not wait',
  ),
  column(
    'queued_ns',
    'BIGINT',
    false,
    'how long the worker had no CPU before it saw the message; of a send, while it sent it',
  ),
  column('posted_ns', 'BIGINT', false, 'of a receive: when the worker posted it'),
];

/** Columns of files of before under their names of today. */
export const OLD_NAMES: ReadonlyMap<string, string> = new Map([['rank', 'worker']]);

/** The key columns of a header, in its order. */
export function keysOf(names: readonly string[], columns: readonly TraceColumn[]): readonly string[] {
  return names.filter((name) => !columns.some((known) => known.name === name));
}

/** What is wrong with the CSV files of a trace, as one sentence; null when they hold what they must. */
export function traceProblem(files: {
  readonly phases?: string | undefined;
  readonly messages?: string | undefined;
}): string | null {
  const wanted = { phases: SPAN_COLUMNS, messages: MESSAGE_COLUMNS };
  for (const kind of ['phases', 'messages'] as const) {
    const text = files[kind];
    if (text === undefined || text.trim() === '') continue;
    const names = headerOf(text);
    const missing = wanted[kind].find(({ name, required }) => required && !names.includes(name));
    if (missing)
      return `The ${kind} file has no column ${missing.name} (its header: '${names.join(',').slice(0, 200)}').`;
    const strange = names.find((name) => !/^[a-z][a-z0-9_]*$/.test(name) || name === 'cell');
    if (strange !== undefined)
      return `The ${kind} file has a column '${strange.slice(0, 40)}', which is not a valid key name.`;
    if (new Set(names).size < names.length) return `The ${kind} file names a column twice.`;
    const damaged = damagedRow(text, rowPattern(names, wanted[kind]));
    if (damaged !== null) return `The ${kind} file is damaged at line ${damaged.line}: '${shortened(damaged.text)}'.`;
  }
  return null;
}

/** A row whose fields are those of its columns: what stores it reads no other. Times since 1970 in ns have 19 digits. */
function rowPattern(names: readonly string[], columns: readonly TraceColumn[]): RegExp {
  const fields = names.map((name) => {
    const { type, required } = columns.find((known) => known.name === name) ?? { type: 'BIGINT', required: false };
    const field = {
      INTEGER: String.raw`-?\d{1,9}`,
      BIGINT: String.raw`-?(?:\d{1,18}|[1-8]\d{18}|9[01]\d{17})`,
      VARCHAR: '[^,"\\p{Cc}]{1,200}',
    }[type];
    return required ? field : `(?:${field})?`;
  });
  return new RegExp(`^${fields.join(',')}\r?$`, 'u');
}

/** The first row that the pattern does not know, with its number from 1. Blank lines at the end are none. */
function damagedRow(text: string, pattern: RegExp): { readonly line: number; readonly text: string } | null {
  const end = text.trimEnd().length;
  let line = 1;
  for (let from = text.indexOf('\n') + 1; from > 0 && from < end; line += 1) {
    const next = text.indexOf('\n', from);
    const row = text.slice(from, next < 0 ? text.length : next);
    if (!pattern.test(row)) return { line: line + 1, text: row };
    from = next < 0 ? end : next + 1;
  }
  return null;
}

/** The column names of a CSV file, under their names of today. */
export function headerOf(text: string): readonly string[] {
  const end = text.indexOf('\n');
  return text
    .slice(0, end < 0 ? undefined : end)
    .trim()
    .split(',')
    .map((name) => OLD_NAMES.get(name) ?? name);
}

// A Timely trace in columns: what `--save-columns` writes, so that a large trace is scanned once and asked often.
//
// MAGIC, then the length of the header (8 digits, newline) and the header in JSON, then the columns one after another, little
// endian, each from a multiple of 8 bytes on. Events have instant, kind, worker and id; messages have six more in columns of
// their own. Row and line are the same number: lines that are no event have a row too.
import { z } from 'zod';
import { GrowingColumns } from '../growing-columns.ts';
import { type Addresses, type Declaration, EVENT, type EventSink, TimelyEvent } from './event.ts';

export const COLUMNS_MAGIC = 'predict timely columns 1\n';
const LENGTH_DIGITS = 8;
const ALIGNMENT = 8;

const count = z.int().min(0);
const digits = z.array(z.int());
const HEADER = z.object({
  rows: count,
  messages: count,
  addresses: z.array(digits),
  declarations: z.array(z.object({ row: count, name: z.string(), address: digits, source: digits, target: digits })),
  problems: z.array(z.object({ kind: z.string(), line: count })),
});
type Header = z.infer<typeof HEADER>;

/** Kinds of events that have ends. */
const HAS_ENDS = new Uint8Array(256);
for (const kind of ['dataSend', 'dataRead', 'progressSend', 'progressRead', 'wireSend', 'wireReceive'] as const) {
  HAS_ENDS[EVENT[kind]] = 1;
}

/** Columns of all events, and of those with ends; kind and worker are one number. */
const ROWS = { time: Float64Array, kind: Int32Array, id: Int32Array };
const ENDS = {
  ...{ sequence: Float64Array, wire: Int32Array, source: Int32Array, target: Int32Array },
  ...{ process: Int32Array, peer: Int32Array },
};
const ALL = { ...ROWS, ...ENDS };
type Name = keyof typeof ALL;
type Column = Float64Array | Int32Array;
/** In the order of the file. */
const NAMES: readonly Name[] = ['time', 'sequence', 'kind', 'id', 'wire', 'source', 'target', 'process', 'peer'];

/** Keeps what goes through it to `next`, for `pieces`. */
export class ColumnsWriter implements EventSink {
  readonly addresses: Addresses;
  private readonly next: EventSink;
  private readonly rows = new GrowingColumns(ROWS);
  private readonly ends = new GrowingColumns(ENDS);
  private readonly declarations: (Declaration & { row: number })[] = [];
  private readonly problems: { kind: string; line: number }[] = [];

  constructor(next: EventSink) {
    this.next = next;
    this.addresses = next.addresses;
  }

  event(event: TimelyEvent): void {
    const { kind, t, worker, id, line, declaration } = event;
    while (this.rows.length < line - 1) this.rows.addRow({ time: 0, kind: kindAndWorker(EVENT.unusable, 0), id: 0 });
    if (declaration !== null) this.declarations.push({ ...declaration, row: this.rows.length });
    this.rows.addRow({ time: t, kind: kindAndWorker(kind, worker), id });
    if (HAS_ENDS[kind] === 1) this.ends.addRow(event);
    this.next.event(event);
  }

  problem(kind: string, line: number): void {
    this.problems.push({ kind, line });
    this.next.problem(kind, line);
  }

  /** The bytes of the file, in order. */
  *pieces(): Generator<Buffer> {
    const header: Header = {
      rows: this.rows.length,
      messages: this.ends.length,
      addresses: this.addresses.all().map((path) => [...path]),
      declarations: this.declarations.map(({ row, name, address, source, target }) => {
        return { row, name, address: [...address], source: [...source], target: [...target] };
      }),
      problems: this.problems,
    };
    const text = JSON.stringify(header);
    const bytes = Buffer.byteLength(text);
    yield* padded(Buffer.from(`${COLUMNS_MAGIC}${String(bytes).padStart(LENGTH_DIGITS, '0')}\n${text}`));
    const columns = { ...this.rows.used(), ...this.ends.used() };
    for (const name of NAMES) {
      const { buffer, byteOffset, byteLength } = columns[name];
      yield* padded(Buffer.from(buffer, byteOffset, byteLength));
    }
  }
}

/** Hands the events of such a file to `sink`; how many lines the trace had. Null where the bytes are no such file. */
export function replayColumns(file: Buffer, sink: EventSink): number | null {
  const read = readColumns(file);
  if (read === null) return null;
  const { header, columns } = read;
  const { rows, addresses, problems, declarations } = header;
  for (const path of addresses) sink.addresses.number(path);
  for (const { kind, line } of problems) sink.problem(kind, line);
  const event = new TimelyEvent();
  let [message, declared] = [0, 0];
  for (let row = 0; row < rows; row += 1) {
    const both = columns.kind[row] as number;
    event.kind = both & 0xff;
    if (event.kind === EVENT.unusable) continue;
    event.worker = (both >> 8) - 1;
    event.t = columns.time[row] as number;
    event.id = columns.id[row] as number;
    event.line = row + 1;
    if (HAS_ENDS[event.kind] === 1) {
      event.wire = columns.wire[message] as number;
      event.source = columns.source[message] as number;
      event.target = columns.target[message] as number;
      event.process = columns.process[message] as number;
      event.peer = columns.peer[message] as number;
      event.sequence = columns.sequence[message] as number;
      message += 1;
    }
    event.declaration = declarations[declared]?.row === row ? (declarations[declared] ?? null) : null;
    if (event.declaration !== null) declared += 1;
    sink.event(event);
  }
  return rows;
}

/** Null where a part of the file is missing or damaged. */
function readColumns(file: Buffer): { readonly header: Header; readonly columns: Record<Name, Column> } | null {
  const start = COLUMNS_MAGIC.length + LENGTH_DIGITS + 1;
  let end = start + Number(file.toString('latin1', COLUMNS_MAGIC.length, start - 1));
  const header = parseHeader(file.toString('utf8', start, end));
  if (header === null) return null;
  const memory = file.byteOffset % ALIGNMENT === 0 ? file : Buffer.concat([file]);
  const columns: Partial<Record<Name, Column>> = {};
  for (const name of NAMES) {
    const Kind = ALL[name];
    const count = name in ENDS ? header.messages : header.rows;
    const from = aligned(end);
    end = from + count * Kind.BYTES_PER_ELEMENT;
    if (aligned(end) > file.length) return null;
    columns[name] = new Kind(memory.buffer as ArrayBuffer, memory.byteOffset + from, count);
  }
  let messages = 0;
  for (const both of columns.kind ?? []) messages += HAS_ENDS[both & 0xff] as number;
  return messages === header.messages ? { header, columns: columns as Record<Name, Column> } : null;
}

function parseHeader(text: string): Header | null {
  try {
    return HEADER.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

function kindAndWorker(kind: number, worker: number): number {
  return kind | ((worker + 1) << 8);
}

function* padded(bytes: Buffer): Generator<Buffer> {
  yield bytes;
  yield Buffer.alloc(aligned(bytes.length) - bytes.length);
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}

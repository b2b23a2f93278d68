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
const MESSAGES: ReadonlySet<number> = new Set([
  ...[EVENT.dataSend, EVENT.dataRead, EVENT.progressSend, EVENT.progressRead, EVENT.wireSend, EVENT.wireReceive],
]);
const HAS_ENDS = Uint8Array.from({ length: 256 }, (_, kind) => (MESSAGES.has(kind) ? 1 : 0));

/** Columns of all events, and of those with ends; kind and worker are one number. */
const ROWS = { time: Float64Array, kind: Int32Array, id: Int32Array };
const ENDS = {
  ...{ sequence: Float64Array, wire: Int32Array, source: Int32Array, target: Int32Array },
  ...{ process: Int32Array, peer: Int32Array },
};
type Rows = GrowingColumns<typeof ROWS>['of'];
type Ends = GrowingColumns<typeof ENDS>['of'];

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
    const start = COLUMNS_MAGIC.length + LENGTH_DIGITS + 1 + bytes;
    yield Buffer.from(`${COLUMNS_MAGIC}${String(bytes).padStart(LENGTH_DIGITS, '0')}\n${text}`);
    yield Buffer.alloc(padding(start));
    for (const used of inOrder(this.rows.used(), this.ends.used())) {
      yield Buffer.from(used.buffer, used.byteOffset, used.byteLength);
      yield Buffer.alloc(padding(used.byteLength));
    }
  }
}

/** Hands the events of such a file to `sink`; how many lines the trace had. Null where the bytes are no such file. */
export function replayColumns(file: Buffer, sink: EventSink): number | null {
  const layout = layoutOf(file);
  if (layout === null) return null;
  const { header, rows, ends } = layout;
  for (const path of header.addresses) sink.addresses.number(path);
  for (const { kind, line } of header.problems) sink.problem(kind, line);
  const event = new TimelyEvent();
  const { declarations } = header;
  let [message, declared] = [0, 0];
  for (let row = 0; row < header.rows; row += 1) {
    const both = rows.kind[row] as number;
    const kind = both & 0xff;
    if (kind === EVENT.unusable) continue;
    event.kind = kind;
    event.worker = (both >> 8) - 1;
    event.t = rows.time[row] as number;
    event.id = rows.id[row] as number;
    event.line = row + 1;
    if (HAS_ENDS[kind] === 1) {
      event.wire = ends.wire[message] ?? 0;
      event.source = ends.source[message] ?? 0;
      event.target = ends.target[message] ?? 0;
      event.process = ends.process[message] ?? 0;
      event.peer = ends.peer[message] ?? 0;
      event.sequence = ends.sequence[message] ?? 0;
      message += 1;
    }
    event.declaration = declarations[declared]?.row === row ? (declarations[declared] ?? null) : null;
    if (event.declaration !== null) declared += 1;
    sink.event(event);
  }
  return header.rows;
}

/** The columns in the order of the file. */
function inOrder({ time, kind, id }: Rows, { sequence, wire, source, target, process, peer }: Ends) {
  return [time, sequence, kind, id, wire, source, target, process, peer];
}

function layoutOf(file: Buffer): { readonly header: Header; readonly rows: Rows; readonly ends: Ends } | null {
  const { length } = COLUMNS_MAGIC;
  const start = length + LENGTH_DIGITS + 1;
  const bytes = Number(file.toString('latin1', length, start - 1));
  const header = headerOf(file.toString('utf8', start, start + bytes));
  if (header === null) return null;
  const { rows, messages } = header;
  let at = start + bytes + padding(start + bytes);
  const need = [rows * 8, messages * 8, rows * 4, rows * 4, ...Array<number>(5).fill(messages * 4)];
  if (at + need.reduce((sum, size) => sum + size + padding(size), 0) > file.length) return null;
  const memory = file.byteOffset % ALIGNMENT === 0 ? file : Buffer.concat([file]);
  const take = <T>(
    Kind: new (buffer: ArrayBufferLike, from: number, count: number) => T,
    count: number,
    size: number,
  ): T => {
    const from = memory.byteOffset + at;
    at += count * size + padding(count * size);
    return new Kind(memory.buffer, from, count);
  };
  const floats = (count: number) => take(Float64Array, count, 8);
  const ints = (count: number) => take(Int32Array, count, 4);
  const [time, sequence, kind, id] = [floats(rows), floats(messages), ints(rows), ints(rows)];
  const [wire, source, target] = [ints(messages), ints(messages), ints(messages)];
  const [process, peer] = [ints(messages), ints(messages)];
  return { header, rows: { time, kind, id }, ends: { sequence, wire, source, target, process, peer } };
}

function headerOf(text: string): Header | null {
  try {
    return HEADER.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

function kindAndWorker(kind: number, worker: number): number {
  return kind | ((worker + 1) << 8);
}

function padding(bytes: number): number {
  return (ALIGNMENT - (bytes % ALIGNMENT)) % ALIGNMENT;
}

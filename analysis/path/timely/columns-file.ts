// A Timely trace in columns: what `--save-columns` writes, so that a large trace is scanned once and asked often.
//
// MAGIC, then the length of the header (8 digits, newline) and the header in JSON, then the columns one after another, little
// endian, each from a multiple of 8 bytes on. Events have instant, kind, worker and id; messages have six more in columns of
// their own. Row and line are the same number: lines that are no event have a row too.
import { z } from 'zod';
import { Addresses } from './addresses.ts';
import { type Declaration, EVENT, type EventSink, TimelyEvent } from './event.ts';
import { Floats, Ints } from './growing.ts';

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

/** Keeps what goes through it to `next`, for `pieces`. */
export class ColumnsWriter implements EventSink {
  private readonly next: EventSink;
  private readonly times = new Floats();
  /** Kind and worker in one number. */
  private readonly kinds = new Ints();
  private readonly ids = new Ints();
  private readonly ends = [new Ints(), new Ints(), new Ints(), new Ints(), new Ints()] as const;
  private readonly sequences = new Floats();
  private readonly declarations: (Declaration & { row: number })[] = [];
  private readonly problems: { kind: string; line: number }[] = [];

  constructor(next: EventSink) {
    this.next = next;
  }

  event(event: TimelyEvent): void {
    this.padTo(event.line);
    const { kind, t, worker, id } = event;
    this.times.push(t);
    this.kinds.push(kindAndWorker(kind, worker));
    this.ids.push(id);
    if (HAS_ENDS[kind] === 1) {
      const values = [event.wire, event.source, event.target, event.process, event.peer];
      for (const [index, column] of this.ends.entries()) column.push(values[index] ?? 0);
      this.sequences.push(event.sequence);
    }
    this.next.event(event);
  }

  declare(event: TimelyEvent, declaration: Declaration): void {
    this.padTo(event.line);
    this.declarations.push({ ...declaration, row: this.times.length });
    this.times.push(event.t);
    this.kinds.push(kindAndWorker(event.kind, event.worker));
    this.ids.push(event.id);
    this.next.declare(event, declaration);
  }

  problem(kind: string, line: number): void {
    this.problems.push({ kind, line });
    this.next.problem(kind, line);
  }

  /** The bytes of the file, in order. */
  *pieces(addresses: Addresses): Generator<Buffer> {
    const header: Header = {
      rows: this.times.length,
      messages: this.sequences.length,
      addresses: addresses.all().map((path) => [...path]),
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
    for (const { values, length } of [this.times, this.sequences, this.kinds, this.ids, ...this.ends]) {
      const used = values.subarray(0, length);
      yield Buffer.from(used.buffer, used.byteOffset, used.byteLength);
      yield Buffer.alloc(padding(used.byteLength));
    }
  }

  private padTo(line: number): void {
    while (this.times.length < line - 1) {
      this.times.push(0);
      this.kinds.push(kindAndWorker(EVENT.unusable, 0));
      this.ids.push(0);
    }
  }
}

/** Hands the events of such a file to `sink`; how many lines the trace had. Null where the bytes are no such file. */
export function replayColumns(
  file: Buffer,
  open: (addresses: Addresses) => EventSink,
): { readonly lines: number } | null {
  const layout = layoutOf(file);
  if (layout === null) return null;
  const { header, times, sequences, kinds, ids, ends } = layout;
  const [wires, sources, targets, processes, peers] = ends;
  const addresses = new Addresses();
  for (const path of header.addresses) addresses.number(path);
  const sink = open(addresses);
  for (const { kind, line } of header.problems) sink.problem(kind, line);
  const event = new TimelyEvent();
  const { declarations } = header;
  let [message, declared] = [0, 0];
  for (let row = 0; row < header.rows; row += 1) {
    const both = kinds[row] ?? 0;
    const kind = both & 0xff;
    if (kind === EVENT.unusable) continue;
    event.kind = kind;
    event.worker = (both >> 8) - 1;
    event.t = times[row] ?? 0;
    event.id = ids[row] ?? 0;
    event.line = row + 1;
    if (HAS_ENDS[kind] === 1) {
      event.wire = wires[message] ?? 0;
      event.source = sources[message] ?? 0;
      event.target = targets[message] ?? 0;
      event.process = processes[message] ?? 0;
      event.peer = peers[message] ?? 0;
      event.sequence = sequences[message] ?? 0;
      message += 1;
    }
    const declaration = declarations[declared];
    if (declaration === undefined || declaration.row !== row) sink.event(event);
    else {
      declared += 1;
      sink.declare(event, declaration);
    }
  }
  return { lines: header.rows };
}

interface Layout {
  readonly header: Header;
  readonly times: Float64Array;
  readonly sequences: Float64Array;
  readonly kinds: Int32Array;
  readonly ids: Int32Array;
  /** Wire, source, target, process, peer. */
  readonly ends: readonly [Int32Array, Int32Array, Int32Array, Int32Array, Int32Array];
}

function layoutOf(file: Buffer): Layout | null {
  const { length } = COLUMNS_MAGIC;
  if (file.toString('latin1', 0, length) !== COLUMNS_MAGIC) return null;
  const start = length + LENGTH_DIGITS + 1;
  const bytes = Number(file.toString('latin1', length, start - 1));
  const header = headerOf(file.toString('utf8', start, start + bytes));
  if (header === null) return null;
  const { rows, messages } = header;
  let at = start + bytes + padding(start + bytes);
  const need = [rows * 8, messages * 8, rows * 4, rows * 4, ...Array<number>(5).fill(messages * 4)];
  if (at + need.reduce((sum, size) => sum + size + padding(size), 0) > file.length) return null;
  const memory = file.byteOffset % ALIGNMENT === 0 ? file : Buffer.concat([file]);
  const take = (size: number): number => {
    const from = memory.byteOffset + at;
    at += size + padding(size);
    return from;
  };
  const floats = (count: number) => new Float64Array(memory.buffer, take(count * 8), count);
  const ints = (count: number) => new Int32Array(memory.buffer, take(count * 4), count);
  return {
    header,
    times: floats(rows),
    sequences: floats(messages),
    kinds: ints(rows),
    ids: ints(rows),
    ends: [ints(messages), ints(messages), ints(messages), ints(messages), ints(messages)],
  };
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

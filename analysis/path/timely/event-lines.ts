// Chunks of a Timely trace (JSON lines, README of this room) to events: whole lines are scanned where they lie, the piece at the
// end of a chunk waits for the next one.
import { z } from 'zod';
import { LONGEST_LINE } from '../formats/open-bytes.ts';
import { EVENT, type EventSink, TimelyEvent } from './event.ts';
import { LineScanner, requiredKeys } from './scan-line.ts';

const [NEWLINE, RETURN, SPACE, TAB] = [10, 13, 32, 9];
const EMPTY = Buffer.alloc(0);
/** If none of so many lines is an event of Timely, the trace is another one. */
const LOOKED_AT = 100;

/** How keys are written that need not be there; else they are left out. */
const ABSENT: ReadonlyMap<string, null> = new Map([['comm_channel', null]]);
const HEAD = z.object({ t: z.int(), w: z.int(), type: z.string() });
const small = z
  .int()
  .min(-1)
  .max(2 ** 31 - 1);
const address = z.array(small);
const DECLARATIONS = z.union([
  z
    .object({ type: z.literal('Operates'), id: small, addr: address, name: z.string() })
    .transform(({ id, addr, name }) => {
      return { kind: EVENT.operates, id, declaration: { name, address: addr, source: [], target: [] } };
    }),
  z
    .object({ type: z.literal('Channels'), id: small, scope_addr: address, source: address, target: address })
    .transform(({ id, scope_addr, ...ends }) => {
      const { source, target } = ends;
      return { kind: EVENT.channels, id, declaration: { name: '', address: scope_addr, source, target } };
    }),
]);

/** Feed it chunks, then `finish`: the sink gets every event in the file's order, and every line that is none as a problem. */
export class EventLines {
  /** Lines so far. */
  lines = 0;
  /** Whether some line is an event of Timely, of a type that is known or not. */
  isTimely = false;
  /** Lines before the first such event that are no blank ones. */
  others = 0;
  private readonly sink: EventSink;
  private readonly event = new TimelyEvent();
  private readonly scanner: LineScanner;
  /** Of the line at the end of the last chunk; null where that is too long. */
  private rest: Buffer | null = EMPTY;

  constructor(sink: EventSink) {
    this.sink = sink;
    this.scanner = new LineScanner(sink.addresses);
  }

  /** Enough was seen that is no event: what is fed from here on is not looked at. */
  get isOther(): boolean {
    return !this.isTimely && this.others >= LOOKED_AT;
  }

  feed(chunk: Buffer): void {
    const whole = chunk.lastIndexOf(NEWLINE) + 1;
    let from = 0;
    if (whole > 0 && this.rest !== EMPTY) {
      from = chunk.indexOf(NEWLINE) + 1;
      if (this.rest === null) {
        this.lines += 1;
        this.sink.problem('unreadable line', this.lines);
      } else this.scan(Buffer.concat([this.rest, chunk.subarray(0, from)]));
      this.rest = EMPTY;
    }
    this.scan(chunk.subarray(from, whole));
    this.keep(chunk.subarray(whole));
  }

  /** The end of the trace: what has no end of line is an event if it can be read as one, else `truncated line`. */
  finish(): void {
    const rest = this.rest ?? EMPTY;
    if (rest.length === 0) return;
    this.rest = EMPTY;
    this.lines += 1;
    this.event.line = this.lines;
    if (!isBlank(rest, 0, rest.length)) this.parse(rest.toString('utf8'), 'truncated line');
  }

  private keep(piece: Buffer): void {
    if (piece.length === 0 || this.rest === null) return;
    this.rest = Buffer.concat([this.rest, piece]);
    if (this.rest.length <= LONGEST_LINE) return;
    this.rest = null;
    // No trace begins so.
    this.others += LOOKED_AT;
  }

  /** Whole lines. */
  private scan(buffer: Buffer): void {
    const { scanner, event, sink } = this;
    scanner.use(buffer);
    let at = 0;
    while (at < buffer.length && !this.isOther) {
      this.lines += 1;
      event.line = this.lines;
      if (scanner.scan(at, event)) {
        this.isTimely = true;
        at = scanner.next;
        sink.event(event);
        continue;
      }
      const newline = buffer.indexOf(NEWLINE, at);
      if (!isBlank(buffer, at, newline)) {
        this.parse(buffer.toString('utf8', at, newline), 'unreadable line');
        scanner.use(buffer);
      }
      at = newline + 1;
    }
  }

  /** A line that is written otherwise, whatever its spaces and the order of its keys. */
  private parse(text: string, unreadable: string): void {
    const value = jsonOf(text);
    const head = HEAD.safeParse(value);
    if (!head.success) {
      this.others += 1;
      this.sink.problem(value === undefined ? unreadable : 'incomplete event', this.event.line);
      return;
    }
    this.isTimely = true;
    const { event, sink, scanner } = this;
    const { t, w, type } = head.data;
    const declared = DECLARATIONS.safeParse(value).data;
    if (declared !== undefined) {
      sink.event(Object.assign(event, { t, worker: w }, declared));
      event.declaration = null;
      return;
    }
    const keys = requiredKeys(type);
    if (keys === null) {
      sink.problem('unknown event type', event.line);
      return;
    }
    const own = value as Readonly<Record<string, unknown>>;
    const counting = keys.map((key) => [key, key === 'thread' ? 'sender' : (own[key] ?? ABSENT.get(key))]);
    scanner.use(Buffer.from(`${JSON.stringify({ t, w, type, ...Object.fromEntries(counting) })}\n`));
    if (scanner.scan(0, event)) sink.event(event);
    else sink.problem('incomplete event', event.line);
  }
}

function isBlank(buffer: Buffer, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) {
    const byte = buffer[at];
    if (byte !== SPACE && byte !== TAB && byte !== RETURN) return false;
  }
  return true;
}

/** Undefined where a text is no JSON. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

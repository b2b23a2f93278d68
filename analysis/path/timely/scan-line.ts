// Events of Timely traces from bytes, for lines written as Timely's loggers write them (no spaces but in lists, keys in order);
// `EventLines` writes any other JSON so first.
import { type Addresses, EVENT, NO_WIRE, type TimelyEvent } from './event.ts';

const MESSAGE = '"comm_channel":#wire,"source":#source,"target":#target,"seq_no":#sequence';
const PROGRESS = '"source":#source,"comm_channel":#wire,"seq_no":#sequence,"addr":#address';
const THREAD = 'Communication","process":#process,"thread":';

/**
 * What follows `{"t":T,"w":W,"type":"`; `#` is before what goes into the event under this name. The first line of a type has all keys
 * that count.
 */
const LINES: readonly (readonly [kind: number, text: string])[] = [
  [EVENT.stopIdle, 'Schedule","id":#id,"start_stop":"Stop","activity":false}'],
  [EVENT.stopActive, 'Schedule","id":#id,"start_stop":"Stop","activity":true}'],
  [EVENT.scheduleStart, 'Schedule","id":#id,"start_stop":"Start"}'],
  [EVENT.scheduleStart, 'Schedule","id":#id,"start_stop":"Start","activity":true}'],
  [EVENT.scheduleStart, 'Schedule","id":#id,"start_stop":"Start","activity":false}'],
  [EVENT.stopUnflagged, 'Schedule","id":#id,"start_stop":"Stop"}'],
  [EVENT.dataSend, `Messages","is_send":true,"channel":#id,${MESSAGE},"length":#records}`],
  [EVENT.dataRead, `Messages","is_send":false,"channel":#id,${MESSAGE},"length":#records}`],
  [EVENT.progressSend, `Progress","is_send":true,${PROGRESS}}`],
  [EVENT.progressRead, `Progress","is_send":false,${PROGRESS}}`],
  [EVENT.push, 'PushProgress","op_id":#id}'],
  [EVENT.guardedMessage, 'GuardedMessage"}'],
  [EVENT.guardedMessage, 'GuardedMessage","is_start":true}'],
  [EVENT.guardedMessage, 'GuardedMessage","is_start":false}'],
  [EVENT.guardedProgress, 'GuardedProgress"}'],
  [EVENT.guardedProgress, 'GuardedProgress","is_start":true}'],
  [EVENT.guardedProgress, 'GuardedProgress","is_start":false}'],
  [EVENT.wireSend, `${THREAD}"sender","peer":#peer,"is_send":true,${MESSAGE}}`],
  [EVENT.wireReceive, `${THREAD}"receiver","peer":#peer,"is_send":false,${MESSAGE}}`],
  [EVENT.wireReceive, `${THREAD}"sender","peer":#peer,"is_send":false,${MESSAGE}}`],
  [EVENT.wireSend, `${THREAD}"receiver","peer":#peer,"is_send":true,${MESSAGE}}`],
  [EVENT.applicationStart, 'Application","id":#id,"is_start":true}'],
  [EVENT.applicationStop, 'Application","id":#id,"is_start":false}'],
  [EVENT.park, 'Park","event":"Park"}'],
  [EVENT.unpark, 'Park","event":"Unpark"}'],
  [EVENT.shutdown, 'Shutdown","id":#id}'],
  [EVENT.commChannels, 'CommChannels"}'],
];

/** What declares something has names in it, and is not scanned. */
const DECLARING: ReadonlyMap<number, string> = new Map([
  [EVENT.operates, 'Operates'],
  [EVENT.channels, 'Channels'],
]);

/** The name of an event's type in the trace; null where the line is none. */
export function typeOf(kind: number): string | null {
  return DECLARING.get(kind) ?? LINES.find(([own]) => own === kind)?.[1].split('"')[0] ?? null;
}

/** The keys of a type of event that are scanned, in their order; null for a type that is not known. */
export function requiredKeys(type: string): readonly string[] | null {
  const line = LINES.find(([, text]) => text.startsWith(`${type}"`))?.[1];
  if (line === undefined) return [...DECLARING.values()].includes(type) ? [] : null;
  return [...line.matchAll(/"(\w+)":/g)].map(([, key = '']) => key);
}

/** A text of no or at least four characters as words of 32 bits, the last of which may overlap the one before. */
interface Text {
  readonly length: number;
  readonly words: readonly number[];
}

/** What follows a text: a number for the event, an address, or the end of the line. */
type Field = 'id' | 'wire' | 'source' | 'target' | 'process' | 'peer' | 'sequence' | 'records' | 'address' | 'end';

/** A part of lines; those that begin alike share it. */
interface Step extends Text {
  readonly text: string;
  readonly field: Field;
  readonly next: Step[];
  /** Where the line ends. */
  readonly kind: number;
}

const STEPS: Step[] = [];
for (const [kind, line] of LINES) {
  // Its brace goes with its end.
  const parts = line.slice(0, -1).split(/#(\w+)/);
  let steps = STEPS;
  for (let part = 0; part < parts.length; part += 2) {
    const [text, field] = [parts[part] ?? '', (parts[part + 1] ?? 'end') as Field];
    let step = steps.find((known) => known.text === text && known.field === field);
    if (step === undefined) {
      step = { text, ...wordsOf(text), field, next: [], kind };
      steps.push(step);
    }
    steps = step.next;
  }
}

function wordsOf(text: string): Text {
  const bytes = Buffer.from(text, 'latin1');
  const { length } = bytes;
  const count = Math.ceil(length / 4);
  return {
    length,
    words: Array.from({ length: count }, (_, word) => bytes.readInt32LE(Math.min(word * 4, length - 4))),
  };
}

const [TIME, WORKER, TYPE, NULL] = [wordsOf('{"t":'), wordsOf(',"w":'), wordsOf(',"type":"'), wordsOf('null')];
const [NEWLINE, RETURN, SPACE, MINUS, COMMA, ZERO, OPEN, CLOSE, BRACE] = [10, 13, 32, 45, 44, 48, 91, 93, 125];
/** Of all numbers but times, sequence numbers and records. */
const [LEAST, MOST] = [-1, 2 ** 31 - 1];

/** Scans one line at a time out of a buffer. */
export class LineScanner {
  /** The byte after the line that was scanned last. */
  next = 0;
  private buffer: Uint8Array = new Uint8Array(0);
  private view = new DataView(this.buffer.buffer);
  private readonly addresses: Addresses;

  constructor(addresses: Addresses) {
    this.addresses = addresses;
  }

  use(buffer: Uint8Array): void {
    this.buffer = buffer;
    this.view = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  }

  /** Fills `event` from the line at `start` and says whether it could; `next` is the line after it then. */
  scan(start: number, event: TimelyEvent): boolean {
    this.next = start;
    if (!this.takes(TIME)) return false;
    event.t = this.integer();
    if (!this.takes(WORKER)) return false;
    event.worker = this.integer();
    if (Number.isNaN(event.t) || Number.isNaN(event.worker) || !this.takes(TYPE)) return false;
    let steps = STEPS;
    while (true) {
      const step = this.taken(steps);
      if (step === null) return false;
      const { field } = step;
      if (field === 'end') {
        event.kind = step.kind;
        return true;
      }
      if (!(field === 'address' ? this.list(event) : this.reads(field, event))) return false;
      steps = step.next;
    }
  }

  private taken(steps: readonly Step[]): Step | null {
    for (let index = 0; index < steps.length; index += 1) {
      const step = steps[index] as Step;
      const begin = this.next;
      if (!this.takes(step)) continue;
      if (step.field !== 'end' || this.ends()) return step;
      this.next = begin;
    }
    return null;
  }

  private reads(field: Exclude<Field, 'address' | 'end'>, event: TimelyEvent): boolean {
    const value = field === 'wire' && this.takes(NULL) ? NO_WIRE : this.integer();
    const isSmall = field !== 'sequence' && field !== 'records';
    if (Number.isNaN(value) || (isSmall && (value < LEAST || value > MOST))) return false;
    event[field] = value;
    return true;
  }

  /** An address, with or without a space after commas. */
  private list(event: TimelyEvent): boolean {
    if (this.buffer[this.next] !== OPEN) return false;
    this.next += 1;
    event.id = 0;
    if (this.buffer[this.next] === CLOSE) {
      this.next += 1;
      return true;
    }
    while (true) {
      const digit = this.integer();
      if (!(digit >= LEAST && digit <= MOST)) return false;
      event.id = this.addresses.step(event.id, digit);
      const byte = this.buffer[this.next];
      this.next += 1;
      if (byte === CLOSE) return true;
      if (byte !== COMMA) return false;
      if (this.buffer[this.next] === SPACE) this.next += 1;
    }
  }

  /** Goes past a text if it stands here. */
  private takes({ length, words }: Text): boolean {
    const { view, next } = this;
    const end = next + length;
    if (end > view.byteLength) return false;
    for (let index = 0; index < words.length; index += 1) {
      if (view.getInt32(Math.min(next + index * 4, end - 4), true) !== words[index]) return false;
    }
    this.next = end;
    return true;
  }

  /** NaN where no whole number as JSON writes it stands, or one that a double may not hold. */
  private integer(): number {
    const { buffer } = this;
    let at = this.next;
    const negative = buffer[at] === MINUS;
    if (negative) at += 1;
    const begin = at;
    let value = 0;
    for (let digit = (buffer[at] ?? 0) - ZERO; digit >= 0 && digit <= 9; digit = (buffer[at] ?? 0) - ZERO) {
      value = value * 10 + digit;
      at += 1;
    }
    const digits = at - begin;
    this.next = at;
    if (digits === 0 || value > Number.MAX_SAFE_INTEGER) return Number.NaN;
    if (buffer[begin] === ZERO && (digits > 1 || negative)) return Number.NaN;
    return negative ? -value : value;
  }

  private ends(): boolean {
    const { buffer, next } = this;
    const end = buffer[next + 1] === RETURN ? next + 2 : next + 1;
    if (buffer[next] !== BRACE || buffer[end] !== NEWLINE) return false;
    this.next = end + 1;
    return true;
  }
}

// Events of Timely traces from bytes, for lines written as Timely's loggers write them (no spaces but in lists, keys in order).
// Whatever is written otherwise is refused here and read by `parseLine`, which takes any JSON.
import type { Addresses } from './addresses.ts';
import { EVENT, NO_WIRE, type TimelyEvent } from './event.ts';

/** A text of four characters or more as words of 32 bits, the last of which may overlap the one before. */
interface Words {
  readonly length: number;
  readonly offsets: readonly number[];
  readonly words: readonly number[];
}

function bytes(text: string): Words {
  const buffer = Buffer.from(text, 'latin1');
  const { length } = buffer;
  const offsets = Array.from({ length: Math.ceil(length / 4) }, (_, index) => Math.min(index * 4, length - 4));
  return { length, offsets, words: offsets.map((offset) => buffer.readInt32LE(offset)) };
}

const KEYS = {
  t: bytes('{"t":'),
  worker: bytes(',"w":'),
  type: bytes(',"type":"'),
  schedule: bytes('Schedule","id":'),
  start: bytes(',"start_stop":"Start"}'),
  stop: bytes(',"start_stop":"Stop"'),
  active: bytes(',"activity":true}'),
  idle: bytes(',"activity":false}'),
  guardedMessage: bytes('GuardedMessage","is_start":'),
  guardedProgress: bytes('GuardedProgress","is_start":'),
  messages: bytes('Messages","is_send":'),
  channel: bytes(',"channel":'),
  wire: bytes(',"comm_channel":'),
  source: bytes(',"source":'),
  target: bytes(',"target":'),
  sequence: bytes(',"seq_no":'),
  records: bytes(',"length":'),
  progress: bytes('Progress","is_send":'),
  address: bytes(',"addr":['),
  push: bytes('PushProgress","op_id":'),
  communication: bytes('Communication","process":'),
  sender: bytes(',"thread":"sender"'),
  receiver: bytes(',"thread":"receiver"'),
  peer: bytes(',"peer":'),
  isSend: bytes(',"is_send":'),
  application: bytes('Application","id":'),
  isStart: bytes(',"is_start":'),
  true: bytes('true'),
  false: bytes('false'),
  null: bytes('null'),
} as const;

const [NEWLINE, RETURN, SPACE, MINUS, COMMA, ZERO, BRACKET, BRACE] = [10, 13, 32, 45, 44, 48, 93, 125];
/** More digits than this may not fit a double. */
const MOST_DIGITS = 15;
const S = 'S'.charCodeAt(0);
const M = 'M'.charCodeAt(0);
const G = 'G'.charCodeAt(0);
const P = 'P'.charCodeAt(0);
const R = 'r'.charCodeAt(0);
const U = 'u'.charCodeAt(0);
const A = 'A'.charCodeAt(0);
const C = 'C'.charCodeAt(0);
/** Where `GuardedM` and `GuardedP` differ. */
const GUARDED = 'Guarded'.length;

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
    if (!this.takes(KEYS.t)) return false;
    event.t = this.integer();
    if (!this.takes(KEYS.worker)) return false;
    event.worker = this.integer();
    if (!(!Number.isNaN(event.t) && !Number.isNaN(event.worker) && this.takes(KEYS.type))) return false;
    const { buffer, next } = this;
    const first = buffer[next];
    if (first === S) return this.schedule(event) && this.ends();
    if (first === M) return this.messages(event) && this.ends();
    if (first === G) return this.guarded(event, buffer[next + GUARDED] === M) && this.ends();
    if (first === P && buffer[next + 1] === R) return this.progress(event) && this.ends();
    if (first === P && buffer[next + 1] === U) return this.push(event) && this.ends();
    if (first === C) return this.communication(event) && this.ends();
    if (first === A) return this.application(event) && this.ends();
    return false;
  }

  private schedule(event: TimelyEvent): boolean {
    if (!this.takes(KEYS.schedule)) return false;
    event.id = this.integer();
    if (this.takes(KEYS.start)) event.kind = EVENT.scheduleStart;
    else if (!this.takes(KEYS.stop)) return false;
    else if (this.takes(KEYS.idle)) event.kind = EVENT.stopIdle;
    else if (this.takes(KEYS.active)) event.kind = EVENT.stopActive;
    else if (this.closes()) event.kind = EVENT.stopUnflagged;
    else return false;
    return !Number.isNaN(event.id);
  }

  private messages(event: TimelyEvent): boolean {
    if (!this.takes(KEYS.messages)) return false;
    const send = this.truth();
    if (send < 0 || !this.takes(KEYS.channel)) return false;
    event.kind = send === 1 ? EVENT.dataSend : EVENT.dataRead;
    event.id = this.integer();
    if (!this.ends4(event) || !this.takes(KEYS.records)) return false;
    event.records = this.integer();
    return !Number.isNaN(event.id) && !Number.isNaN(event.records) && this.closes();
  }

  /** `comm_channel`, `source`, `target`, `seq_no`, one after another. */
  private ends4(event: TimelyEvent): boolean {
    if (!this.takes(KEYS.wire)) return false;
    event.wire = this.takes(KEYS.null) ? NO_WIRE : this.integer();
    if (!this.takes(KEYS.source)) return false;
    event.source = this.integer();
    if (!this.takes(KEYS.target)) return false;
    event.target = this.integer();
    if (!this.takes(KEYS.sequence)) return false;
    event.sequence = this.integer();
    const sum = event.wire + event.source + event.target + event.sequence;
    return !Number.isNaN(sum);
  }

  private progress(event: TimelyEvent): boolean {
    if (!this.takes(KEYS.progress)) return false;
    const send = this.truth();
    if (send < 0 || !this.takes(KEYS.source)) return false;
    event.kind = send === 1 ? EVENT.progressSend : EVENT.progressRead;
    event.source = this.integer();
    if (!this.takes(KEYS.wire)) return false;
    event.wire = this.takes(KEYS.null) ? NO_WIRE : this.integer();
    if (!this.takes(KEYS.sequence)) return false;
    event.sequence = this.integer();
    const sum = event.source + event.wire + event.sequence;
    return !Number.isNaN(sum) && this.takes(KEYS.address) && this.list(event) && this.closes();
  }

  /** The numbers of an address up to its bracket, with or without a space after commas. */
  private list(event: TimelyEvent): boolean {
    let node = 0;
    while (true) {
      const digit = this.integer();
      if (Number.isNaN(digit)) return false;
      node = this.addresses.step(node, digit);
      const byte = this.buffer[this.next];
      this.next += 1;
      if (byte === BRACKET) break;
      if (byte !== COMMA) return false;
      if (this.buffer[this.next] === SPACE) this.next += 1;
    }
    event.id = node;
    return true;
  }

  private push(event: TimelyEvent): boolean {
    if (!this.takes(KEYS.push)) return false;
    event.kind = EVENT.push;
    event.id = this.integer();
    return !Number.isNaN(event.id) && this.closes();
  }

  private communication(event: TimelyEvent): boolean {
    if (!this.takes(KEYS.communication)) return false;
    event.process = this.integer();
    if (!this.takes(KEYS.sender) && !this.takes(KEYS.receiver)) return false;
    if (!this.takes(KEYS.peer)) return false;
    event.peer = this.integer();
    if (!this.takes(KEYS.isSend)) return false;
    const send = this.truth();
    if (send < 0 || !this.ends4(event) || event.wire === NO_WIRE) return false;
    event.kind = send === 1 ? EVENT.wireSend : EVENT.wireReceive;
    return !Number.isNaN(event.process) && !Number.isNaN(event.peer) && this.closes();
  }

  private application(event: TimelyEvent): boolean {
    if (!this.takes(KEYS.application)) return false;
    event.id = this.integer();
    if (!this.takes(KEYS.isStart)) return false;
    const start = this.truth();
    event.kind = start === 1 ? EVENT.applicationStart : EVENT.applicationStop;
    return start >= 0 && !Number.isNaN(event.id) && this.closes();
  }

  private guarded(event: TimelyEvent, message: boolean): boolean {
    event.kind = message ? EVENT.guardedMessage : EVENT.guardedProgress;
    if (!this.takes(message ? KEYS.guardedMessage : KEYS.guardedProgress)) return false;
    return this.truth() >= 0 && this.closes();
  }

  /** 1, 0, or -1 where neither `true` nor `false` stands. */
  private truth(): number {
    if (this.takes(KEYS.true)) return 1;
    return this.takes(KEYS.false) ? 0 : -1;
  }

  /** Goes past `key` if it stands here. */
  private takes({ length, offsets, words }: Words): boolean {
    const { view, next } = this;
    if (next + length > view.byteLength) return false;
    for (let index = 0; index < words.length; index += 1) {
      if (view.getInt32(next + (offsets[index] ?? 0), true) !== words[index]) return false;
    }
    this.next = next + length;
    return true;
  }

  private closes(): boolean {
    if (this.buffer[this.next] !== BRACE) return false;
    this.next += 1;
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
    if (digits === 0 || digits > MOST_DIGITS) return Number.NaN;
    if (buffer[begin] === ZERO && (digits > 1 || negative)) return Number.NaN;
    return negative ? -value : value;
  }

  private ends(): boolean {
    const byte = this.buffer[this.next];
    if (byte === NEWLINE) this.next += 1;
    else if (byte === RETURN && this.buffer[this.next + 1] === NEWLINE) this.next += 2;
    else return false;
    return true;
  }
}

import { shortened } from '../../../base/text.ts';

/** What stands where an id is meant to be. */
export const ID = { ok: 0, none: 1, tooLarge: 2, negative: 3 } as const;
type IdState = (typeof ID)[keyof typeof ID];

const [ZERO, NINE, MINUS, DOT] = [48, 57, 45, 46];
/** Numbers of as many digits are exact as doubles. */
const EXACT_DIGITS = 15;
const TWO_32 = 2 ** 32;
const TEN_TO = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));

/**
 * Reads ids and numbers out of a block of bytes, from `at` on. A class for its fields: what it read lies in them, so that nothing
 * is made per number.
 */
export class Scanner {
  bytes: Uint8Array = new Uint8Array(0);
  at = 0;
  /** The upper and lower 32 bits of the id that was read last. */
  hi = 0;
  lo = 0;

  /** Reads the digits of an id; `at` is then behind them. Ids are whole numbers from 0 to 2^63 - 1. */
  id(): IdState {
    const { bytes } = this;
    let { at } = this;
    const start = at;
    let value = 0;
    let digit = (bytes[at] ?? 0) - ZERO;
    while (digit >= 0 && digit <= 9) {
      value = value * 10 + digit;
      at += 1;
      digit = (bytes[at] ?? 0) - ZERO;
    }
    if (at === start) {
      if (bytes[at] !== MINUS || !isDigit(bytes[at + 1])) return ID.none;
      return ID.negative;
    }
    this.at = at;
    if (at - start > EXACT_DIGITS) return this.#longId(start, at);
    this.hi = (value / TWO_32) >>> 0;
    this.lo = value >>> 0;
    return ID.ok;
  }

  #longId(start: number, end: number): IdState {
    let [hi, lo] = [0, 0];
    for (let at = start; at < end; at += 1) {
      lo = lo * 10 + ((this.bytes[at] ?? 0) - ZERO);
      const carry = Math.floor(lo / TWO_32);
      lo -= carry * TWO_32;
      hi = hi * 10 + carry;
      if (hi >= 2 ** 31) return ID.tooLarge;
    }
    this.hi = hi;
    this.lo = lo;
    return ID.ok;
  }

  /**
   * Reads a decimal number up to the end of its word, correctly rounded; `inf`, `infinity` and `nan` in any case are words for what
   * they say. NaN for anything else.
   */
  real(): number {
    const { bytes } = this;
    const start = this.at;
    let at = start;
    let mantissa = 0;
    let digits = 0;
    let decimals = 0;
    let byte = bytes[at] ?? 0;
    while (byte >= ZERO && byte <= NINE) {
      mantissa = mantissa * 10 + (byte - ZERO);
      digits += 1;
      at += 1;
      byte = bytes[at] ?? 0;
    }
    if (byte === DOT) {
      at += 1;
      byte = bytes[at] ?? 0;
      while (byte >= ZERO && byte <= NINE) {
        mantissa = mantissa * 10 + (byte - ZERO);
        digits += 1;
        decimals += 1;
        at += 1;
        byte = bytes[at] ?? 0;
      }
    }
    // Exact integers divided by an exact power of ten are rounded once (Clinger 1990).
    if (endsWord(byte) && digits > 0 && digits <= EXACT_DIGITS) {
      this.at = at;
      return mantissa / (TEN_TO[decimals] ?? 1);
    }
    return this.#slowReal(start);
  }

  #slowReal(start: number): number {
    let end = start;
    while (!endsWord(this.bytes[end] ?? 0)) end += 1;
    this.at = end;
    return parseReal(this.text(start, end));
  }

  /** A stretch of the block as text; what lies beyond its end is nothing. */
  text(start: number, end: number): string {
    const stretch = this.bytes.subarray(start, end);
    return Buffer.from(stretch.buffer, stretch.byteOffset, stretch.length).toString();
  }

  /** The line that begins at `start`, short enough to be shown. */
  lineText(start: number): string {
    return shortened(this.text(start, Math.min(this.lineEnd(start), start + 200)).trim());
  }

  /** Up to, not beyond, the newline of the line that `at` is in, or the end of the block. */
  lineEnd(from = this.at): number {
    const end = this.bytes.indexOf(10, from);
    return end < 0 ? this.bytes.length : end;
  }
}

/** A decimal number as text -> double; NaN for what is none. Hexadecimal is none. */
function parseReal(text: string): number {
  if (/^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/.test(text)) return Number(text);
  if (!/^[-+]?inf(?:inity)?$/i.test(text)) return Number.NaN;
  return text.startsWith('-') ? -Infinity : Infinity;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= NINE;
}

/** Blanks, ends of lines, separators of CSV, quotes, and the end of the block (read as 0). */
function endsWord(byte: number): boolean {
  return byte <= 32 || byte === 44 || byte === 59 || byte === 34;
}

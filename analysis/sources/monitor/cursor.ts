// Unsigned LEB128 (https://en.wikipedia.org/wiki/LEB128) and little-endian words, as Grade10's resource monitor writes them.
import { badInput } from '../../../base/index.ts';

/** Thrown when the bytes end inside a value: only the loop over the records knows what that means. */
export class EndOfBytes extends Error {}

/** Reads values one after another; `offset` is where the next one starts. */
export class Cursor {
  /** For messages. */
  readonly file: string;
  readonly #bytes: Buffer;
  #offset = 0;

  constructor(file: string, bytes: Buffer) {
    this.file = file;
    this.#bytes = bytes;
  }

  get offset(): number {
    return this.#offset;
  }

  get length(): number {
    return this.#bytes.length;
  }

  u64(): bigint {
    const start = this.#offset;
    if (start + 8 > this.#bytes.length) throw new EndOfBytes();
    this.#offset += 8;
    return this.#bytes.readBigUInt64LE(start);
  }

  byte(): number {
    const value = this.#bytes[this.#offset];
    if (value === undefined) throw new EndOfBytes();
    this.#offset += 1;
    return value;
  }

  /** Exact up to 2^53, rounded above. */
  varint(): number {
    const start = this.#offset;
    let value = 0;
    for (let length = 1; ; length += 1) {
      const byte = this.byte();
      // The tenth byte has room for the highest of 64 bits only: anything more there means that this is no number.
      if (length === 10 && byte > 1) {
        throw badInput(
          `${this.file} has a number of more than 64 bits at byte ${start} (its tenth byte is ${byte}): the file is damaged, copy it again or leave it out.`,
        );
      }
      // Not with shifts: those stop at 32 bits.
      value += (byte & 0x7f) * 2 ** (7 * (length - 1));
      if (byte < 0x80) return value;
    }
  }

  /** NUL-terminated ASCII. */
  text(): string {
    const end = this.#bytes.indexOf(0, this.#offset);
    if (end === -1) throw new EndOfBytes();
    const value = this.#bytes.toString('latin1', this.#offset, end);
    this.#offset = end + 1;
    return value;
  }
}

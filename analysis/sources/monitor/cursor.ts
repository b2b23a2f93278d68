// What all files of Grade10's resource monitor share (https://github.com/atlarge-research/grade10, utils/resource-monitor): records
// of a u64 (realtime, ns since 1970) and a body, to the end; little-endian words and LEB128 (https://en.wikipedia.org/wiki/LEB128).
import { badInput } from '../../../base/errors.ts';

/** Thrown when the bytes end inside a value: only the loop over the records knows what that means. */
class EndOfBytes extends Error {}

/** Reads values one after another; `offset` is where the next one starts. */
export class Cursor {
  /** For messages. */
  readonly file: string;
  readonly #bytes: Buffer;
  offset = 0;

  constructor(file: string, bytes: Buffer) {
    this.file = file;
    this.#bytes = bytes;
  }

  /**
   * The records, in order. `readBody` is called when the one before has been dealt with, so it may depend on it. A monitor that
   * is killed leaves half a record, which ends the file with a notice. Errors: badInput for a time that is not after the one before.
   */
  *records<Body>(notices: string[], readBody: () => Body): Generator<{ readonly timeNs: bigint; readonly body: Body }> {
    let before: bigint | null = null;
    while (this.offset < this.#bytes.length) {
      const start = this.offset;
      try {
        before = this.#timeAfter(before);
        yield { timeNs: before, body: readBody() };
      } catch (error) {
        if (!(error instanceof EndOfBytes)) throw error;
        notices.push(
          `${this.file} ends at byte ${this.#bytes.length}, within the record that starts at byte ${start}: this record is ignored.`,
        );
        return;
      }
    }
  }

  #timeAfter(before: bigint | null): bigint {
    const start = this.offset;
    if (start + 8 > this.#bytes.length) throw new EndOfBytes();
    this.offset += 8;
    const timeNs = this.#bytes.readBigUInt64LE(start);
    if (before === null || timeNs > before) return timeNs;
    throw badInput(
      `${this.file} has a record at byte ${start} with time ${timeNs} ns, not later than the previous one (${before} ns). The clock was set back or the file is damaged: measure again or leave it out.`,
    );
  }

  byte(): number {
    const value = this.#bytes[this.offset];
    if (value === undefined) throw new EndOfBytes();
    this.offset += 1;
    return value;
  }

  /** Exact up to 2^53, rounded above. */
  varint(): number {
    const start = this.offset;
    let value = 0;
    for (let length = 1; ; length += 1) {
      const byte = this.byte();
      // The tenth byte has room for the highest of 64 bits only: anything more there means that this is no number.
      if (length === 10 && byte > 1) {
        throw badInput(
          `${this.file} has a number of more than 64 bits at byte ${start} (tenth byte: ${byte}). The file is damaged: copy it again or leave it out.`,
        );
      }
      // Not with shifts: those stop at 32 bits.
      value += (byte & 0x7f) * 2 ** (7 * (length - 1));
      if (byte < 0x80) return value;
    }
  }

  /** NUL-terminated ASCII. */
  text(): string {
    const end = this.#bytes.indexOf(0, this.offset);
    if (end === -1) throw new EndOfBytes();
    const value = this.#bytes.toString('latin1', this.offset, end);
    this.offset = end + 1;
    return value;
  }

  /** As many values as said, without allocating for a count that may be nonsense: reading stops at the end of the bytes. */
  times<Value>(count: number, read: () => Value): Value[] {
    const values: Value[] = [];
    for (let left = count; left > 0; left -= 1) values.push(read());
    return values;
  }
}

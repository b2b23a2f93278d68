// Protocol Buffers' wire format. https://protobuf.dev/programming-guides/encoding/
import { at } from '../../../base/lists.ts';

/** Bytes that are no message; `offset` is where that shows. */
export class WireError extends Error {
  readonly offset: number;
  constructor(offset: number, why: string) {
    super(why);
    this.offset = offset;
  }
}

/** A field of a message: a number (of 64 bits, a bigint beyond 2^53), or the bytes from `from` to `to`. */
export interface WireField {
  readonly field: number;
  readonly number: number | bigint | null;
  readonly from: number;
  readonly to: number;
}

/** The fields of the message between two offsets, in their order. Errors: WireError. */
export function* wireFields(bytes: Uint8Array, from = 0, to = bytes.length): Generator<WireField> {
  let place = from;
  while (place < to) {
    const start = place;
    const tag = varint(bytes, place, to);
    place = tag.next;
    const [field, wire] = [Number(tag.value >> 3n), Number(tag.value & 7n)];
    if (field === 0) throw new WireError(start, 'a field has the number 0');
    if (wire === 0) {
      const { value, next } = varint(bytes, place, to);
      yield { field, number: small(value), from: place, to: next };
      place = next;
    } else {
      const length = wire === 2 ? varint(bytes, place, to) : null;
      const size = length === null ? at([0, 8, 0, -1, -1, 4, -1, -1], wire) : Number(length.value);
      if (size < 0) throw new WireError(start, 'a field has an unknown type');
      place = length?.next ?? place;
      if (place + size > to) throw new WireError(start, 'a field ends beyond its message');
      yield { field, number: null, from: place, to: place + size };
      place += size;
    }
  }
}

/** The numbers of a repeated field: packed, or one at a time. Errors: WireError. */
export function* wireNumbers(bytes: Uint8Array, { number, from, to }: WireField): Generator<number | bigint> {
  if (number !== null) return yield number;
  for (let place = from; place < to; ) {
    const { value, next } = varint(bytes, place, to);
    yield small(value);
    place = next;
  }
}

/** int64 from the two's complement that is sent as 64 bits without a sign. */
export function signed(value: number | bigint): number {
  return typeof value === 'number' ? value : Number(BigInt.asIntN(64, value));
}

function varint(bytes: Uint8Array, from: number, to: number): { readonly value: bigint; readonly next: number } {
  let low = 0;
  let value = 0n;
  for (let index = 0; index < 10 && from + index < to; index += 1) {
    const byte = bytes[from + index] ?? 0;
    if (index < 4) low += (byte & 0x7f) * 2 ** (7 * index);
    else value |= BigInt(byte & 0x7f) << BigInt(7 * index);
    if (byte < 0x80) return { value: BigInt.asUintN(64, value | BigInt(low)), next: from + index + 1 };
  }
  throw new WireError(from, 'a number does not end');
}

function small(value: bigint): number | bigint {
  return value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
}

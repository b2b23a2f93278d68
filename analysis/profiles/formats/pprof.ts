// pprof's profile.proto. https://github.com/google/pprof/blob/main/proto/README.md
import { badInput } from '../../../base/errors.ts';
import { at, last } from '../../../base/lists.ts';
import { joinWords } from '../../../base/text.ts';
import { UNKNOWN_FRAME } from '../../../experiments/stacks/perf-script.ts';
import type { ProfileUnit } from '../tree/call-profile.ts';
import { ProfileBuilder, type ReadOptions, type ReadProfile } from './profile-builder.ts';
import type { ProfileFile } from './profile-file.ts';

/**
 * Of several value types the one that `value` names, else the profile's default, else the last, as pprof does. Times are in seconds.
 * Functions that were put into one another are frames of their own.
 */
export function readPprof(file: ProfileFile, options: ReadOptions): ReadProfile | null {
  try {
    const profile = new Message(file.bytes);
    return profile.isOfPprof ? profileOf(profile, file.path, options) : null;
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw badInput(`${file.path}, byte ${error.offset}: ${error.message}, so the file is truncated or damaged.`, error);
  }
}

/** Text has no such characters. */
export function looksBinary({ bytes }: ProfileFile): boolean {
  return bytes.subarray(0, 512).some((byte) => byte < 9 || (byte > 13 && byte < 32 && byte !== 27));
}

function profileOf(profile: Message, path: string, options: ReadOptions): ReadProfile {
  const found = <T>(value: T | undefined, what: string): T => {
    if (value !== undefined) return value;
    throw badInput(`${path} lacks ${what}, which it refers to: it is truncated or damaged.`);
  };
  const strings = profile.texts(6);
  const textOf = (index: number): string => found(strings[index], `text ${index}`);
  const types = Array.from(profile.messages(1), (one) => ({
    type: textOf(one.number(1)),
    unit: textOf(one.number(2)),
  }));
  found(types[0], 'the types of its values');
  const chosen = options.value ?? (textOf(profile.number(14)) || last(types).type);
  const column = types.findIndex(({ type }) => type === chosen);
  if (column < 0) {
    throw badInput(`${path} has ${joinWords(types.map(({ type }) => type))}, not ${chosen}: choose one with --value.`);
  }
  const functions = new Map(Array.from(profile.messages(5), (one) => [one.id(1), one]));
  /** Functions by location, the innermost of those that were put into one another first. */
  const locations = new Map(
    Array.from(profile.messages(4), (one) => [one.id(1), Array.from(one.messages(4), (line) => line.id(1))]),
  );
  const framesAt = (location: Id): readonly string[] => {
    const lines = found(locations.get(location), `location ${location}`);
    if (lines.length === 0) return [UNKNOWN_FRAME];
    return lines.map((id) => {
      const one = found(functions.get(id), `function ${id}`);
      return textOf(one.number(2)) || textOf(one.number(3));
    });
  };
  const known = new Map<Id, readonly string[]>();
  const framesOf = (location: Id): readonly string[] => {
    const frames = known.get(location) ?? framesAt(location);
    known.set(location, frames);
    return frames;
  };
  const { unit, divisor } = unitOf(at(types, column));
  const builder = new ProfileBuilder(options);
  let index = 0;
  for (const sample of profile.messages(2)) {
    index += 1;
    const amount = signed(found(sample.numbers(2)[column], `the ${chosen} of sample ${index}`));
    if (amount < 0) {
      throw badInput(
        `${path}, sample ${index}: ${chosen} is ${amount}. A difference of two profiles cannot be imported as a profile.`,
      );
    }
    builder.add(sample.numbers(1).flatMap(framesOf).reverse(), amount / divisor);
  }
  if (builder.isEmpty) throw badInput(`${path} has no samples: record again, for longer.`);
  const [timeNs, durationNs] = [BigInt(profile.id(9)), profile.number(10)];
  const startedAtNs = timeNs > 0n ? timeNs : null;
  return builder.build(path, unit, { startedAtNs, durationNs: durationNs > 0 ? durationNs : null });
}

/** Times become seconds; sizes bytes. */
function unitOf({ type, unit }: { readonly type: string; readonly unit: string }): {
  readonly unit: ProfileUnit;
  readonly divisor: number;
} {
  const seconds = { nanoseconds: 1e9, microseconds: 1e6, milliseconds: 1e3, seconds: 1 }[unit];
  if (seconds !== undefined) return { unit: 'seconds', divisor: seconds };
  const bytes = { bytes: 1, kilobytes: 1 / 1024 }[unit];
  if (bytes !== undefined) return { unit: 'bytes', divisor: bytes };
  if (/sample/.test(type)) return { unit: 'samples', divisor: 1 };
  return { unit: /objects/.test(type) ? 'objects' : 'count', divisor: 1 };
}

// Protocol Buffers' wire format. https://protobuf.dev/programming-guides/encoding/

/** A number of 64 bits without a sign: a bigint beyond 2^53. */
type Id = number | bigint;

/** Bytes that are no message; `offset` is where that shows. */
class WireError extends Error {
  readonly offset: number;
  constructor(offset: number, why: string) {
    super(why);
    this.offset = offset;
  }
}

/** The fields of a message by their number. Errors of all: WireError. */
class Message {
  readonly #bytes: Buffer;
  readonly #fields = new Map<number, (Id | Span)[]>();
  /** Whether the first field is one of the message Profile. */
  readonly isOfPprof: boolean;

  constructor(bytes: Buffer, from = 0, to = bytes.length) {
    this.#bytes = bytes;
    for (let place = from; place < to; ) place = this.#readField(place, to);
    const [first] = this.#fields;
    this.isOfPprof = first !== undefined && first[0] <= 15 && isSpan(first[1][0]) === first[0] < 9;
  }

  /** The last value of a field without a sign; 0 without one. */
  id(field: number): Id {
    const value = this.#values(field).findLast((one) => !isSpan(one));
    return value === undefined || isSpan(value) ? 0 : value;
  }

  /** The same with a sign. */
  number(field: number): number {
    return signed(this.id(field));
  }

  /** The values of a repeated field: packed, or one at a time. */
  numbers(field: number): readonly Id[] {
    return this.#values(field).flatMap((value) => (isSpan(value) ? this.#packed(value) : [value]));
  }

  *messages(field: number): Generator<Message> {
    for (const { from, to } of this.#spans(field)) yield new Message(this.#bytes, from, to);
  }

  texts(field: number): readonly string[] {
    return this.#spans(field).map(({ from, to }) => this.#bytes.toString('utf8', from, to));
  }

  #values(field: number): readonly (Id | Span)[] {
    return this.#fields.get(field) ?? [];
  }

  #spans(field: number): readonly Span[] {
    return this.#values(field).filter(isSpan);
  }

  #packed({ from, to }: Span): readonly Id[] {
    const numbers: Id[] = [];
    for (let place = from; place < to; ) {
      const { value, next } = varint(this.#bytes, place, to);
      numbers.push(value);
      place = next;
    }
    return numbers;
  }

  /** Returns where the next one begins. */
  #readField(start: number, to: number): number {
    const tag = varint(this.#bytes, start, to);
    const [field, wire] = [Math.floor(Number(tag.value) / 8), Number(tag.value) % 8];
    if (field === 0) throw new WireError(start, 'a field has the number 0');
    const fixed = { 1: 8, 5: 4 }[wire];
    if (fixed === undefined && wire !== 0 && wire !== 2) throw new WireError(start, 'a field has an unknown type');
    const head = fixed === undefined ? varint(this.#bytes, tag.next, to) : { value: fixed, next: tag.next };
    const span = { from: head.next, to: head.next + Number(head.value) };
    if (wire !== 0 && span.to > to) throw new WireError(start, 'a field ends beyond its message');
    const values = this.#fields.get(field) ?? [];
    this.#fields.set(field, values);
    values.push(wire === 0 ? head.value : span);
    return wire === 0 ? head.next : span.to;
  }
}

/** Bytes of a message: another one, a text, or numbers. */
interface Span {
  readonly from: number;
  readonly to: number;
}

function isSpan(value: Id | Span | undefined): value is Span {
  return typeof value === 'object';
}

/** int64 from the two's complement that is sent as 64 bits without a sign. */
function signed(value: Id): number {
  return typeof value === 'number' ? value : Number(BigInt.asIntN(64, value));
}

function varint(bytes: Uint8Array, from: number, to: number): { readonly value: Id; readonly next: number } {
  let low = 0;
  let high = 0n;
  for (let index = 0; index < 10 && from + index < to; index += 1) {
    const byte = bytes[from + index] as number;
    if (index < 4) low += (byte & 0x7f) * 2 ** (7 * index);
    else high |= BigInt(byte & 0x7f) << BigInt(7 * index);
    if (byte >= 0x80) continue;
    const value = high === 0n ? low : BigInt.asUintN(64, high | BigInt(low));
    return { value: value <= Number.MAX_SAFE_INTEGER ? Number(value) : value, next: from + index + 1 };
  }
  throw new WireError(from, 'a number does not end');
}

// pprof's profile.proto. https://github.com/google/pprof/blob/main/proto/README.md

import { badInput } from '../../../base/errors.ts';
import { at, last } from '../../../base/lists.ts';
import { joinWords } from '../../../base/text.ts';
import { UNKNOWN_FRAME } from '../../../experiments/stacks/perf-script.ts';
import type { ProfileFile } from './profile-file.ts';
import { signed, WireError, type WireField, wireFields, wireNumbers } from './protobuf.ts';
import type { ProfileUnit, ReadOptions, Recording } from './recording.ts';
import { RecordingBuilder } from './recording-builder.ts';

type Id = number | bigint;

/** The tables of a profile as they stand in the file, by field number of the message Profile. */
interface Tables {
  readonly valueTypes: { readonly type: number; readonly unit: number }[];
  readonly samples: { readonly locations: readonly Id[]; readonly values: readonly number[] }[];
  /** Functions of a location, the innermost of those that were put into one another first. */
  readonly locations: Map<Id, readonly Id[]>;
  readonly functions: Map<Id, { readonly name: number; readonly systemName: number }>;
  readonly strings: string[];
  defaultType: number;
  timeNs: bigint;
  durationNs: number;
}

/**
 * Of several value types the one that `value` names, else the profile's default, else the last, as pprof does. Times are in seconds.
 * Functions that were put into one another are frames of their own.
 */
export function readPprof(file: ProfileFile, { value }: ReadOptions): Recording | null {
  if (!looksBinary(file.bytes)) return null;
  let tables: Tables | null;
  try {
    tables = readTables(file.bytes);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw badInput(`${file.path}, byte ${error.offset}: ${error.message}, so the file is truncated or damaged.`, error);
  }
  if (tables === null) return null;
  const { strings, valueTypes, locations, functions } = tables;
  const lost = (what: string) =>
    badInput(`${file.path} lacks ${what}, which it refers to: it is truncated or damaged.`);
  const textOf = (index: number): string => strings[index] ?? raise(lost(`text ${index}`));
  const types = valueTypes.map(({ type, unit }) => ({ type: textOf(type), unit: textOf(unit) }));
  if (types.length === 0) throw lost('the types of its values');
  const chosen = value ?? (textOf(tables.defaultType) || last(types).type);
  const column = types.findIndex(({ type }) => type === chosen);
  if (column < 0) {
    throw badInput(
      `${file.path} has ${joinWords(types.map(({ type }) => type))}, not ${chosen}: choose one with --value.`,
    );
  }
  const { unit, divisor } = unitOf(at(types, column));
  const builder = new RecordingBuilder();
  for (const [index, { locations: stack, values }] of tables.samples.entries()) {
    const amount = values[column];
    if (amount === undefined) throw lost(`the ${chosen} of sample ${index + 1}`);
    if (amount < 0) {
      throw badInput(
        `${file.path}, sample ${index + 1}: ${chosen} is ${amount}. A difference of two profiles cannot be imported as a profile.`,
      );
    }
    const frames = stack.flatMap((id) => {
      const found = locations.get(id) ?? raise(lost(`location ${id}`));
      if (found.length === 0) return [UNKNOWN_FRAME];
      return found.map((each) => {
        const { name, systemName } = functions.get(each) ?? raise(lost(`function ${each}`));
        return textOf(name) || textOf(systemName);
      });
    });
    if (frames.length === 0) builder.problems.add('sample without a stack', 0);
    builder.add(frames.length === 0 ? [UNKNOWN_FRAME] : frames.reverse(), amount / divisor);
  }
  if (builder.isEmpty) throw badInput(`${file.path} has no samples: record again, for longer.`);
  const { timeNs, durationNs } = tables;
  return builder.build(unit, {
    startedAtNs: timeNs > 0n ? timeNs : null,
    durationNs: durationNs > 0 ? durationNs : null,
  });
}

/** Text has no such characters. */
export function looksBinary(bytes: Buffer): boolean {
  return bytes.subarray(0, 512).some((byte) => byte < 9 || (byte > 13 && byte < 32 && byte !== 27));
}

/** Null where the first field is none of a profile. Errors: WireError. */
function readTables(bytes: Buffer): Tables | null {
  const tables: Tables = {
    ...{ valueTypes: [], samples: [], locations: new Map(), functions: new Map(), strings: [] },
    ...{ defaultType: 0, timeNs: 0n, durationNs: 0 },
  };
  let isFirst = true;
  for (const field of wireFields(bytes)) {
    if (isFirst && (field.field > 15 || (field.number === null) !== field.field < 9)) return null;
    isFirst = false;
    addField(tables, bytes, field);
  }
  return tables;
}

function addField(tables: Tables, bytes: Buffer, field: WireField): void {
  const whole = field.number ?? 0;
  switch (field.field) {
    case 1: {
      const [, type = 0, unit = 0] = numbersOf(bytes, field, 2);
      tables.valueTypes.push({ type, unit });
      return;
    }
    case 2:
      tables.samples.push({
        locations: [...repeated(bytes, field, 1)],
        values: [...repeated(bytes, field, 2)].map(signed),
      });
      return;
    case 4: {
      let id: Id = 0;
      const functions: Id[] = [];
      for (const part of wireFields(bytes, field.from, field.to)) {
        if (part.field === 1 && part.number !== null) id = part.number;
        if (part.field === 4 && part.number === null) functions.push(idOf(bytes, part));
      }
      tables.locations.set(id, functions);
      return;
    }
    case 5: {
      const [, , name = 0, systemName = 0] = numbersOf(bytes, field, 3);
      tables.functions.set(idOf(bytes, field), { name, systemName });
      return;
    }
    case 6:
      tables.strings.push(bytes.toString('utf8', field.from, field.to));
      return;
    case 9:
      tables.timeNs = BigInt(whole);
      return;
    case 10:
      tables.durationNs = signed(whole);
      return;
    case 14:
      tables.defaultType = signed(whole);
      return;
    default: // Mappings, periods and comments say nothing of stacks.
  }
}

/** The id of a function or a line: field 1. */
function idOf(bytes: Buffer, { from, to }: WireField): Id {
  for (const { field, number } of wireFields(bytes, from, to)) if (field === 1 && number !== null) return number;
  return 0;
}

/** Fields 1 to `most` of a message as numbers, by their number. */
function numbersOf(bytes: Buffer, { from, to }: WireField, most: number): readonly (number | undefined)[] {
  const numbers: (number | undefined)[] = new Array(most + 1).fill(undefined);
  for (const { field, number } of wireFields(bytes, from, to)) {
    if (field <= most && number !== null) numbers[field] = signed(number);
  }
  return numbers;
}

function* repeated(bytes: Buffer, { from, to }: WireField, wanted: number): Generator<Id> {
  for (const part of wireFields(bytes, from, to)) if (part.field === wanted) yield* wireNumbers(bytes, part);
}

/** Times become seconds; sizes bytes. */
function unitOf({ type, unit }: { readonly type: string; readonly unit: string }): {
  readonly unit: ProfileUnit;
  readonly divisor: number;
} {
  switch (unit) {
    case 'nanoseconds':
      return { unit: 'seconds', divisor: 1e9 };
    case 'microseconds':
      return { unit: 'seconds', divisor: 1e6 };
    case 'milliseconds':
      return { unit: 'seconds', divisor: 1e3 };
    case 'seconds':
      return { unit: 'seconds', divisor: 1 };
    case 'bytes':
      return { unit: 'bytes', divisor: 1 };
    case 'kilobytes':
      return { unit: 'bytes', divisor: 1 / 1024 };
    default:
      if (/sample/.test(type)) return { unit: 'samples', divisor: 1 };
      return { unit: /objects/.test(type) ? 'objects' : 'count', divisor: 1 };
  }
}

function raise(error: Error): never {
  throw error;
}

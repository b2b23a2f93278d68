// What proc-net-dev-HOST and proc-diskstats-HOST of Grade10's resource monitor share (https://github.com/atlarge-research/grade10,
// utils/resource-monitor): after the time a type; 0: a count and as many names; 1: the count again and differences per name.
import { at, badInput } from '../../../base/index.ts';
import type { Cursor } from './cursor.ts';
import { DeltaSum } from './deltas.ts';
import { type Periods, PeriodsWriter } from './periods.ts';
import { readRecords } from './read-records.ts';

export interface ListFormat {
  /** What the names are of, for messages. */
  readonly things: string;
  /** Differences per name. */
  readonly fields: number;
  /** Of which these become columns. */
  readonly columns: readonly number[];
  /** Bytes per count. */
  readonly scale: number;
  /** Whether a thing adds to the host's sum, given all names of the list. */
  readonly counted: (name: string, names: ReadonlySet<string>) => boolean;
}

type Body =
  | { readonly kind: 'names'; readonly names: readonly string[] }
  | { readonly kind: 'values'; readonly values: readonly number[] };

/** Bytes per second summed over what counts, a column per entry of `columns`; null without a period. Errors: badInput. */
export function readLists(cursor: Cursor, notices: string[], format: ListFormat): Periods | null {
  const writer = new PeriodsWriter({ columns: format.columns.length, scale: format.scale });
  const deltas = new DeltaSum({ bits: 64 });
  let names: readonly string[] | null = null;
  let places: readonly (readonly number[])[] = [];
  let isBaseline = true;
  let lists = 0;
  let counted = 0;
  for (const { timeNs, body } of readRecords(cursor, notices, () => readList(cursor, format, names))) {
    if (body.kind === 'names') {
      names = body.names;
      places = placesOf(names, format);
      // The monitor forgets its previous reading with the list: the next one is since boot.
      isBaseline = true;
      lists += 1;
      counted += at(places, 0).length;
    } else if (isBaseline) {
      writer.baseline(timeNs);
      isBaseline = false;
    } else {
      writer.add(
        timeNs,
        places.map((column) => deltas.of(body.values, column)),
      );
    }
  }
  notices.push(...deltas.notices(cursor.file));
  if (lists > 0 && counted === 0) {
    notices.push(`${cursor.file} lists no ${format.things} that count, only ${names?.join(', ') || 'none'}.`);
    return null;
  }
  if (lists > 1) {
    notices.push(
      `${cursor.file} has ${lists} lists of ${format.things}: what flowed around a change is not known, the rate of the first period after it is taken.`,
    );
  }
  return writer.finish();
}

/** Per column where its values are among those of a record. */
function placesOf(names: readonly string[], { fields, columns, counted }: ListFormat): number[][] {
  const all = new Set(names);
  const rows = [...names.entries()].filter(([, name]) => counted(name, all)).map(([row]) => row);
  return columns.map((column) => rows.map((row) => row * fields + column));
}

function readList(cursor: Cursor, { things, fields }: ListFormat, listed: readonly string[] | null): Body {
  const { file, offset } = cursor;
  const type = cursor.byte();
  if (type !== 0 && type !== 1) {
    throw badInput(
      `${file} has a record of type ${type} at byte ${offset}: only 0 (names) and 1 (values) are known, so the file is damaged or of another program; leave it out.`,
    );
  }
  if (type === 1 && listed === null) {
    throw badInput(
      `${file} has values at byte ${offset} before any list of ${things} (type ${type}): its beginning is missing, copy it again or leave it out.`,
    );
  }
  const countAt = cursor.offset;
  const count = cursor.varint();
  if (type === 0) return { kind: 'names', names: times(count, () => cursor.text()) };
  if (listed !== null && count !== listed.length) {
    throw badInput(
      `${file} gives the number of ${things} as ${count} at byte ${countAt}, its list has ${listed.length}: the file is damaged, copy it again or leave it out.`,
    );
  }
  return { kind: 'values', values: times(count * fields, () => cursor.varint()) };
}

/** Without allocating for a count that may be nonsense: reading stops at the end of the bytes. */
function times<Value>(count: number, read: () => Value): Value[] {
  const values: Value[] = [];
  for (let left = count; left > 0; left -= 1) values.push(read());
  return values;
}

import type { Table } from '../../../analysis/export/create-table.ts';

export type Row = Readonly<Record<string, string | number>>;

/** The rows of one of the tables. */
export function rowsOf(tables: readonly Table[], name: string): Row[] {
  const table = tables.find((one) => one.name === name);
  if (!table) throw new Error(`there is no table ${name}`);
  const length = table.columns[0]?.values.length ?? 0;
  return Array.from({ length }, (_, row) =>
    Object.fromEntries(table.columns.map((column) => [column.name, column.values[row] ?? '?'])),
  );
}

/** Sums of what rows come to, by key. */
export function sums(rows: readonly Row[], keyOf: (row: Row) => string, amountOf: (row: Row) => number) {
  const found: Record<string, number> = {};
  for (const row of rows) found[keyOf(row)] = (found[keyOf(row)] ?? 0) + amountOf(row);
  return found;
}

export const slices = (row: Row): number => Number(row.end_slice) - Number(row.first_slice);

/** Slices of each state in run lengths such as 3N1G. */
export function count(runs: string, state: string): number {
  return [...runs.matchAll(/(\d+)([A-Z])/g)].reduce(
    (sum, [, length, own]) => sum + (own === state ? Number(length) : 0),
    0,
  );
}

/** A record of records, as one with both keys. */
export function flat<T>(record: Readonly<Record<string, Readonly<Record<string, T>>>>): [key: string, value: T][] {
  return Object.entries(record).flatMap(([outer, inner]) =>
    Object.entries(inner).map(([key, value]): [string, T] => [`${outer} ${key}`, value]),
  );
}

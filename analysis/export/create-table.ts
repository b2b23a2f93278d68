import type { TableColumn } from '../../experiments/store/write-table.ts';
import type { Analysis } from '../grade10/analyse-phases.ts';

/** Columns of equal length; empty text is a missing value too. */
export interface Table {
  readonly name: string;
  readonly columns: readonly TableColumn[];
}

/** What tables that name phases are made from. */
export interface TableSource {
  readonly analysis: Analysis;
  /** Path of each row of the phases. */
  readonly paths: readonly string[];
}

type ColumnTypes = Readonly<Record<string, TableColumn['type']>>;

/** One value per column, of the column's type. */
type RowOf<C extends ColumnTypes> = { readonly [K in keyof C]: C[K] extends 'text' ? string : number };

/**
 * A table from its rows, which may be made one by one: only columns are kept.
 *
 * @example
 * createTable('metrics', { path: 'text', capacity: 'real' }, [{ path: '/host[id=a]/cpu', capacity: 8 }]);
 */
export function createTable<const C extends ColumnTypes>(name: string, types: C, rows: Iterable<RowOf<C>>): Table {
  const open = Object.entries(types).map(([column, type]) => ({
    ...{ name: column, type },
    texts: [] as string[],
    numbers: [] as number[],
  }));
  for (const row of rows) {
    const values: Readonly<Record<string, string | number>> = row;
    for (const { name: column, texts, numbers } of open) {
      const value = values[column];
      if (typeof value === 'string') texts.push(value);
      else numbers.push(value ?? Number.NaN);
    }
  }
  const columns = open.map(({ texts, numbers, ...column }) => ({
    ...column,
    values: column.type === 'text' ? texts : Float64Array.from(numbers),
  }));
  return { name, columns };
}

import type { Analysis } from '../grade10/index.ts';

/** Integers are whole numbers below 2^53; NaN in a number column is a missing value, as is empty text. */
type ColumnType = 'text' | 'integer' | 'real';

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  readonly values: ArrayLike<string> | ArrayLike<number>;
}

/** Columns of equal length. */
export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
}

/** What tables that name phases are made from. */
export interface TableSource {
  readonly analysis: Analysis;
  /** Path of each row of the phases. */
  readonly paths: readonly string[];
}

type Columns = Readonly<Record<string, ColumnType>>;

/** One value per column, of the column's type. */
export type Row<C extends Columns> = { readonly [K in keyof C]: C[K] extends 'text' ? string : number };

/**
 * A table from its rows, which may be made one by one: only columns are kept.
 *
 * @example
 * createTable('metrics', { path: 'text', capacity: 'real' }, [{ path: '/host[id=a]/cpu', capacity: 8 }]);
 */
export function createTable<const C extends Columns>(name: string, columns: C, rows: Iterable<Row<C>>): Table {
  const open = Object.entries(columns).map(([column, type]) => ({
    name: column,
    type,
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
  return {
    name,
    columns: open.map(({ name: column, type, texts, numbers }) => ({
      name: column,
      type,
      values: type === 'text' ? texts : Float64Array.from(numbers),
    })),
  };
}

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

/** A table as CSV (RFC 4180): a line of column names, then a line per row, each ended by a newline; NaN is empty. */
export function toCsv(table: Table): string {
  return separated(table, ',', csvCell);
}

function csvCell(value: string | number | undefined): string {
  if (typeof value === 'number') return Number.isNaN(value) ? '' : String(value);
  const text = value ?? '';
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/**
 * A table as tab-separated text: a line of column names, then a line per row, each ended by a newline. In text, backslash,
 * tab, newline and carriage return are `\\`, `\t`, `\n` and `\r`; numbers read back as the same double, NaN is empty.
 */
export function toTsv(table: Table): string {
  return separated(table, '\t', tsvCell);
}

function tsvCell(value: string | number | undefined): string {
  if (typeof value === 'string') return value.replace(/[\\\t\n\r]/g, (found) => ESCAPES[found] ?? found);
  return value === undefined || Number.isNaN(value) ? '' : String(value);
}

function separated({ columns }: Table, mark: string, show: (value: string | number | undefined) => string): string {
  const rows = columns[0]?.values.length ?? 0;
  const lines = [columns.map(({ name }) => show(name)).join(mark)];
  for (let row = 0; row < rows; row += 1) lines.push(columns.map(({ values }) => show(values[row])).join(mark));
  return `${lines.join('\n')}\n`;
}

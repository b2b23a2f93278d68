import { unwritable } from '../../base/errors.ts';
import { copyTo, duckdb, identifier } from './duckdb.ts';

/** A column of texts, whole numbers below 2^53 or numbers; NaN is a missing number. */
export interface TableColumn {
  readonly name: string;
  readonly type: 'text' | 'integer' | 'real';
  readonly values: ArrayLike<string> | ArrayLike<number>;
}

/** The same, with whole numbers of 32 bits (`small`) and of any size up to 64. */
export type ParquetColumn =
  | TableColumn
  | { readonly name: string; readonly type: 'small'; readonly values: ArrayLike<number> }
  | { readonly name: string; readonly type: 'integer'; readonly values: ArrayLike<bigint> };

/** Columns of equal length as a Parquet file. Errors: `unwritable`. */
export async function writeParquet(path: string, columns: readonly ParquetColumn[]): Promise<void> {
  try {
    await withTable(columns, (table) => copyTo(path, table));
  } catch (error) {
    throw unwritable(path, error);
  }
}

let tables = 0;

/** Columns of equal length as a table of DuckDB, by the name that `use` gets; it is gone afterwards. */
async function withTable<T>(columns: readonly ParquetColumn[], use: (table: string) => Promise<T>): Promise<T> {
  const { BIGINT, DOUBLE, DuckDBDataChunk, INTEGER, VARCHAR } = await import('@duckdb/node-api');
  const known = { text: VARCHAR, integer: BIGINT, small: INTEGER, real: DOUBLE };
  const types = columns.map(({ type }) => known[type]);
  const connection = await duckdb();
  const definition = columns.map(({ name }, index) => `${identifier(name)} ${types[index]}`);
  tables += 1;
  const table = `exported_${tables}`;
  await connection.run(`CREATE TEMP TABLE ${table} (${definition.join(', ')})`);
  try {
    const appender = await connection.createAppender(table, null, 'temp');
    const count = columns[0]?.values.length ?? 0;
    for (let from = 0; from < count; from += CHUNK) {
      const chunk = DuckDBDataChunk.create(types, Math.min(CHUNK, count - from));
      for (const [index, { type, values }] of columns.entries()) {
        const vector = chunk.getColumnVector(index);
        for (let row = 0; row < vector.itemCount; row += 1) vector.setItem(row, stored(values[from + row], type));
        vector.flush();
      }
      appender.appendDataChunk(chunk);
    }
    appender.closeSync();
    return await use(table);
  } finally {
    await connection.run(`DROP TABLE IF EXISTS ${table}`);
  }
}

/** What DuckDB takes at once. */
const CHUNK = 2048;

function stored(
  value: string | number | bigint | undefined,
  type: ParquetColumn['type'],
): string | number | bigint | null {
  if (value === undefined || Number.isNaN(value)) return null;
  return type === 'integer' && typeof value === 'number' ? BigInt(value) : value;
}

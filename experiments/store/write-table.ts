import { unwritable } from '../../base/index.ts';
import { copyTo, duckdb, identifier } from './duckdb.ts';

/** A column of texts, whole numbers below 2^53 or numbers; NaN is a missing number. */
export interface TableColumn {
  readonly name: string;
  readonly type: 'text' | 'integer' | 'real';
  readonly values: ArrayLike<string> | ArrayLike<number>;
}

/** Columns of equal length as a Parquet file. Errors: `unwritable`. */
export async function writeParquet(path: string, columns: readonly TableColumn[]): Promise<void> {
  const { BIGINT, DOUBLE, DuckDBDataChunk, VARCHAR } = await import('@duckdb/node-api');
  const types = columns.map(({ type }) => ({ text: VARCHAR, integer: BIGINT, real: DOUBLE })[type]);
  const connection = await duckdb();
  const definition = columns.map(({ name }, index) => `${identifier(name)} ${types[index]}`);
  await connection.run(`CREATE OR REPLACE TEMP TABLE exported (${definition.join(', ')})`);
  try {
    const appender = await connection.createAppender('exported', null, 'temp');
    const count = columns[0]?.values.length ?? 0;
    for (let from = 0; from < count; from += CHUNK) {
      const chunk = DuckDBDataChunk.create(types, Math.min(CHUNK, count - from));
      chunk.setColumns(columns.map((column) => valuesOf(column, from, Math.min(count, from + CHUNK))));
      appender.appendDataChunk(chunk);
    }
    appender.closeSync();
    await copyTo(path, 'exported');
  } catch (error) {
    throw unwritable(path, error);
  } finally {
    await connection.run('DROP TABLE IF EXISTS exported');
  }
}

/** What DuckDB takes at once. */
const CHUNK = 2048;

function valuesOf({ type, values }: TableColumn, from: number, to: number): (string | number | bigint | null)[] {
  return Array.from({ length: to - from }, (_, index) => {
    const value = values[from + index];
    if (value === undefined || typeof value === 'string') return value ?? null;
    if (Number.isNaN(value)) return null;
    return type === 'integer' ? BigInt(value) : value;
  });
}

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DuckDBMaterializedResult } from '@duckdb/node-api';
import { messageOf, PredictError } from '../../base/index.ts';
import type { Cell } from '../records.ts';
import { duckdb, escapeGlob, literal } from './duckdb.ts';

export interface RootQuery {
  /** Which cells count; by default the measurements, without the drift baselines. */
  readonly roles?: readonly Cell['role'][] | undefined;
}

/**
 * Runs a query over all roots.parquet of a campaign (only ok records have one); `build` gets the source and its filter.
 * Null when there is no such file. A damaged file is a `badInput` error that names it.
 */
export async function queryRoots(
  dir: string,
  { roles = ['measure'] }: RootQuery,
  build: (from: string) => string,
): Promise<DuckDBMaterializedResult | null> {
  const cells = join(dir, 'cells');
  if (!hasRoots(cells)) return null;
  // Hidden folders are half-written cells: the pattern leaves them out.
  const source = `read_parquet(${literal(`${escapeGlob(cells)}/[0-9a-f]*/roots.parquet`)})`;
  const filter = roles.length === 0 ? 'false' : `"role" IN (${roles.map(literal).join(', ')})`;
  const connection = await duckdb();
  try {
    return await connection.run(build(`FROM ${source} WHERE ${filter}`));
  } catch (error) {
    throw damaged(cells, error);
  }
}

function hasRoots(cells: string): boolean {
  if (!existsSync(cells)) return false;
  return readdirSync(cells).some((name) => !name.startsWith('.') && existsSync(join(cells, name, 'roots.parquet')));
}

function damaged(cells: string, error: unknown): PredictError {
  const message = messageOf(error).split('\n')[0] ?? '';
  const id = /([0-9a-f]{16})\/roots\.parquet/.exec(message)?.[1];
  const file = id === undefined ? `A roots.parquet in ${cells}` : join(cells, id, 'roots.parquet');
  return new PredictError(`${file} cannot be read (${message}): delete its folder to run the cell again.`, {
    kind: 'badInput',
    cause: error,
  });
}

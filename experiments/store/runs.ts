import { join } from 'node:path';
import type { DuckDBResultReader } from '@duckdb/node-api';
import { badInput, messageOf } from '../../base/index.ts';
import type { StoredRecord, TimedRun } from '../records.ts';
import { duckdb, pathLiteral } from './duckdb.ts';
import { cellFolder, damagedCell, FILES } from './layout.ts';

/** The timed runs of the good ones among some records, by cell. Errors: `badInput` naming the cell. */
export async function readRuns(
  dir: string,
  records: ReadonlyMap<string, StoredRecord>,
): Promise<ReadonlyMap<string, TimedRun[]>> {
  const runs = new Map<string, TimedRun[]>();
  const good = [...records.values()].filter(({ status }) => status === 'ok');
  if (good.length === 0) return runs;
  const reader = await query(dir, good);
  const [cells = [], index = [], ct = [], teps = [], nedge = [], validateS = []] = reader.getColumnsJS();
  for (let row = 0; row < cells.length; row += 1) {
    const cell = String(cells[row]);
    const own = runs.get(cell) ?? [];
    runs.set(cell, own);
    own.push({
      index: Number(index[row]),
      ct: Number(ct[row]),
      teps: numberOrNull(teps[row]),
      nedge: numberOrNull(nedge[row]),
      validateS: numberOrNull(validateS[row]),
    });
  }
  for (const { cell } of good) {
    if (!runs.has(cell.id)) {
      throw badInput(damagedCell(cellFolder(dir, cell.id), `${FILES.runs} has no run of this cell`));
    }
  }
  return runs;
}

async function query(dir: string, good: readonly StoredRecord[]): Promise<DuckDBResultReader> {
  const paths = good.map(({ cell }) => pathLiteral(join(cellFolder(dir, cell.id), FILES.runs)));
  const connection = await duckdb();
  try {
    return await connection.runAndReadAll(
      `SELECT cell, root, ct, teps, nedge, validate_s FROM read_parquet([${paths.join(', ')}]) ORDER BY cell, root`,
    );
  } catch (error) {
    const message = messageOf(error).split('\n')[0] ?? '';
    const id = /([0-9a-f]{16})[/\\]roots\.parquet/.exec(message)?.[1] ?? good[0]?.cell.id ?? '';
    throw badInput(damagedCell(cellFolder(dir, id), message), error);
  }
}

function numberOrNull(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}

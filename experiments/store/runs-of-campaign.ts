import { join } from 'node:path';
import { messageOf } from '../../base/errors.ts';
import type { CellRecord, TimedRun } from '../records.ts';
import { cellFolder, FILES } from './campaign-folders.ts';
import { cellIn, parquet, query, unreadable } from './duckdb.ts';

type Stored = Pick<CellRecord, 'cell' | 'status'>;

/** The timed runs of the good ones among some records, by cell. Errors: `badInput` naming the cell. */
export async function readRuns(dir: string, records: readonly Stored[]): Promise<ReadonlyMap<string, TimedRun[]>> {
  const runs = new Map<string, TimedRun[]>();
  const good = records.filter(({ status }) => status === 'ok');
  for (let from = 0; from < good.length; from += AT_ONCE)
    addRuns(runs, await columnsOfRuns(dir, good.slice(from, from + AT_ONCE)));
  const without = good.find(({ cell }) => !runs.has(cell.id));
  if (without) throw await unreadable(cellFolder(dir, without.cell.id), new Error('no run'));
  return runs;
}

/** Files that DuckDB has open together: each takes tens of KB of memory. */
const AT_ONCE = 500;

function addRuns(runs: Map<string, TimedRun[]>, columns: Awaited<ReturnType<typeof query>>): void {
  const [cells = [], index = [], ct = [], teps = [], nedge = [], validateS = []] = columns;
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
}

async function columnsOfRuns(dir: string, good: readonly Stored[]): ReturnType<typeof query> {
  const source = parquet(...good.map(({ cell }) => join(cellFolder(dir, cell.id), FILES.runs)));
  try {
    // A run counts for the cell in whose folder it is.
    return await query(
      `SELECT cell, root, ct, teps, nedge, validate_s FROM ${source} WHERE cell = ${cellIn('filename')} ORDER BY cell, root`,
    );
  } catch (error) {
    const [, named] = /[/\\]([0-9a-f]{16})[/\\]roots\.parquet/.exec(messageOf(error).split('\n')[0] ?? '') ?? [];
    throw await unreadable(cellFolder(dir, named ?? good[0]?.cell.id ?? ''), error);
  }
}

function numberOrNull(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}

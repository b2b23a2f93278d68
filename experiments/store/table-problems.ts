import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { messageOf, type PredictError } from '../../base/errors.ts';
import { FILES } from './campaign-folders.ts';
import { type Damage, damaged } from './damage.ts';
import { literal, parquet, query } from './duckdb.ts';

const TABLES = [FILES.runs, FILES.phases, FILES.messages, FILES.samples, FILES.stacks];

/**
 * Tables of a cell's folder that DuckDB cannot read to the end, and runs of another cell: what is to be seen of files of schema
 * 1, which have no digest.
 */
export async function tableProblems(folder: string): Promise<Damage[]> {
  const cell = basename(folder);
  const found: Damage[] = [];
  for (const path of TABLES.map((name) => join(folder, name)).filter((table) => existsSync(table))) {
    const problem = await tableProblem(path, cell);
    if (problem !== null) found.push({ path, cell, problem, part: folder });
  }
  return found;
}

/** The error of a cell whose tables could not be read: it names the table. */
export async function unreadable(folder: string, error: unknown): Promise<PredictError> {
  const general = { path: folder, cell: basename(folder), problem: `has a table that ${notRead(error)}`, part: folder };
  const [first = general] = await tableProblems(folder);
  return damaged(dirname(dirname(folder)), first, error);
}

async function tableProblem(path: string, cell: string): Promise<string | null> {
  const source = parquet(path);
  try {
    // Counting every column reads every value.
    await query(`SELECT count(COLUMNS(*)) FROM ${source}`);
    if (basename(path) !== FILES.runs) return null;
    const [[own] = []] = await query(`SELECT count(*)::INTEGER FROM ${source} WHERE cell = ${literal(cell)}`);
    return own === 0 ? 'has no run of this cell' : null;
  } catch (error) {
    return notRead(error);
  }
}

/** An error of DuckDB by its first line. */
function notRead(error: unknown): string {
  return `cannot be read as a table (${messageOf(error).split('\n')[0]})`;
}

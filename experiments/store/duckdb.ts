import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { messageOf, type PredictError } from '../../base/errors.ts';
import { FILES } from './campaign-folders.ts';
import { type Damage, damaged } from './damage.ts';

let opened: Promise<DuckDBConnection> | undefined;

/** One in-memory DuckDB for the process: it holds no data, Parquet files are the truth. Loaded when first needed. */
export function duckdb(): Promise<DuckDBConnection> {
  opened ??= openDuckdb().then(({ connection }) => connection);
  return opened;
}

/** Another DuckDB in memory. No file and no statement makes it fetch or load an extension: those come over the network, as native code. */
export async function openDuckdb(): Promise<{
  readonly instance: DuckDBInstance;
  readonly connection: DuckDBConnection;
}> {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const instance = await DuckDBInstance.create(':memory:', {
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
  return { instance, connection: await instance.connect() };
}

/** What a query finds, column by column. */
export async function query(sql: string): Promise<readonly (readonly unknown[])[]> {
  return (await (await duckdb()).runAndReadAll(sql)).getColumnsJS();
}

/**
 * What a query for DOUBLEs finds, column by column: some ten times as fast as `query`. NULL is NaN, and DuckDB makes it so: reading
 * which values of a sorted column are NULL costs more than all the rest. An outer SELECT keeps the order.
 */
export async function queryNumbers(sql: string): Promise<readonly Float64Array[]> {
  const result = await (await duckdb()).run(`SELECT coalesce(COLUMNS(*), 'NaN'::DOUBLE) FROM (${sql})`);
  const chunks = await result.fetchAllChunks();
  const counts = chunks.map((chunk) => chunk.rowCount);
  const rows = counts.reduce((sum, count) => sum + count, 0);
  return Array.from({ length: result.columnCount }, (_, column) => {
    const found = new Float64Array(rows);
    let from = 0;
    for (const [index, chunk] of chunks.entries()) {
      const [vector, count] = [chunk.getColumnVector(column), counts[index] ?? 0];
      for (let row = 0; row < count; row += 1) found[from + row] = vector.getItem(row) as number;
      from += count;
    }
    return found;
  });
}

/** Writes what a query finds as a Parquet file. */
export async function copyTo(path: string, source: string): Promise<void> {
  await (await duckdb()).run(`COPY ${source} TO ${literal(path)} (FORMAT parquet, COMPRESSION zstd)`);
}

/** Parquet files as a source, as one table. Folders named x=y on their way are no columns. */
export function parquet(...paths: readonly string[]): string {
  return `read_parquet([${paths.map(pathLiteral).join(', ')}], hive_partitioning = false)`;
}

/** Tables of several cells' folders as one, with the id of the folder as the column `in_cell`; of missing columns all is NULL. */
export function parquetByCell(paths: readonly string[]): string {
  return `(SELECT *, ${cellIn('filename')} AS in_cell FROM read_parquet([${paths.map(pathLiteral).join(', ')}],
    filename = true, union_by_name = true, hive_partitioning = false))`;
}

/** Names of the columns of cells' tables at these paths, by cell. */
export async function columnsByCell(paths: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>();
  if (paths.length === 0) return found;
  const [ids = [], names = []] = await query(
    `SELECT ${cellIn('file_name')} AS in_cell, name FROM parquet_schema([${paths.map(pathLiteral).join(', ')}])
     WHERE num_children IS NULL ORDER BY in_cell, column_id`,
  );
  for (const [row, id] of ids.entries()) {
    const own = found.get(String(id)) ?? [];
    found.set(String(id), own);
    own.push(String(names[row]));
  }
  return found;
}

/** SQL for the id of the cell that a file is of: `.../0123456789abcdef/phases.parquet` -> `0123456789abcdef`. */
export function cellIn(path: string): string {
  return `parse_path(${path})[-2]`;
}

/** A text as an SQL literal. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A name as an SQL identifier, whatever its characters and also where SQL has a meaning for it. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A path as an SQL literal in which no character is a wildcard. */
export function pathLiteral(path: string): string {
  return literal(escapeGlob(path));
}

/** DuckDB reads paths as patterns: a bracket around a wildcard makes it a character. */
export function escapeGlob(path: string): string {
  return path.replace(/[[*?]/g, (character) => `[${character}]`);
}

const TABLES = [FILES.runs, FILES.phases, FILES.messages, FILES.samples, FILES.stacks];

/**
 * Tables of a cell's folder that DuckDB cannot read to the end, and runs of another cell: what is to be seen of files of schema
 * 1, which have no digest.
 */
export async function findTableProblems(folder: string): Promise<Damage[]> {
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
  const [first = general] = await findTableProblems(folder);
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

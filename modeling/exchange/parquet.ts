// Format: https://parquet.apache.org/docs/file-format/, read and written by DuckDB
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { at, badInput, messageOf } from '../../base/index.ts';
import { writeCsv } from './csv.ts';
import { canonical, type Experiment } from './experiment.ts';
import { asMeasurement, experimentOf, planTable, type TablePlan, type TableRow, tableHeader } from './table.ts';

const NUMERIC = /^(?:U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?|FLOAT|DOUBLE|DECIMAL\(.*\))$/;
const TEXTS = ['callpath', 'metric'];

/** Reads the columns that CSV has from Parquet. Errors name the file, the row (from 1) and the value. */
export async function readParquet(bytes: Uint8Array, source: string): Promise<Experiment> {
  if (bytes.length === 0) throw badInput(`${source} is empty: give a file with measurements.`);
  return withDatabase(async (connection, folder) => {
    const path = join(folder, 'rows.parquet');
    await writeFile(path, bytes);
    const columns = await columnsOf(connection, path, source);
    const plan = planTable(
      columns.map(({ name }) => name),
      source,
    );
    const used = usedColumns(plan);
    const picked = used.map((index) => {
      const { name = '', type = '' } = columns[index] ?? {};
      const isText = index === plan.callpath || index === plan.metric;
      if (isText !== (type === 'VARCHAR') || !(isText || NUMERIC.test(type))) {
        throw badInput(`${source}: column ${name} has the type ${type}: it must be a ${isText ? 'text' : 'number'}.`);
      }
      return `${identifier(name)}::${isText ? 'VARCHAR' : 'DOUBLE'}`;
    });
    const result = await connection.runAndReadAll(`SELECT ${picked.join(', ')} FROM read_parquet(${literal(path)})`);
    const rows = result.getRowsJS();
    if (rows.length === 0) throw badInput(`${source} has columns but no rows: nothing was measured.`);
    return experimentOf(tableRows(rows, used), plan, source);
  });
}

/** Writes the columns that CSV has; names are texts, `rep` is an integer and all else is double. */
export async function writeParquet(experiment: Experiment): Promise<Uint8Array> {
  const valid = canonical(experiment, 'The experiment');
  const header = asMeasurement(valid) ? ['scale', 'n', 'bw', 'rep', 'ct'] : tableHeader(valid, 'parquet');
  const twin = header.find((name, index) => header.findIndex((other) => sameColumn(other, name)) < index);
  if (twin !== undefined) {
    throw badInput(`parquet cannot hold parameters whose names differ only in case ('${twin}'): use extrap-json.`);
  }
  return withDatabase(async (connection, folder) => {
    const [from, to] = [join(folder, 'rows.csv'), join(folder, 'rows.parquet')];
    await writeFile(from, writeCsv(valid));
    const types = header.map((name) => {
      const type = TEXTS.includes(name) ? 'VARCHAR' : name === 'rep' ? 'INTEGER' : 'DOUBLE';
      return `${literal(name)}: '${type}'`;
    });
    // Names come back as they are: an empty one is NULL and read as empty.
    await connection.run(
      `COPY (FROM read_csv(${literal(from)}, auto_detect = false, header = true, delim = ',', quote = '"', escape = '"',
        columns = {${types.join(', ')}})) TO ${literal(to)} (FORMAT parquet, COMPRESSION zstd)`,
    );
    return new Uint8Array(await readFile(to));
  });
}

async function columnsOf(
  connection: DuckDBConnection,
  path: string,
  source: string,
): Promise<{ readonly name: string; readonly type: string }[]> {
  try {
    const described = await connection.runAndReadAll(`DESCRIBE SELECT * FROM read_parquet(${literal(path)})`);
    return described.getRowsJS().map(([name, type]) => ({ name: String(name), type: String(type) }));
  } catch (error) {
    const reason = at(messageOf(error).split('\n'), 0).replaceAll(path, source);
    throw badInput(`${source} cannot be read as Parquet (${reason}): it was cut off or has another format.`, error);
  }
}

function usedColumns({ parameters, rep, callpath, metric, value }: TablePlan): number[] {
  const places = [...parameters.map(({ index }) => index), rep, callpath, metric, value.index];
  return places.filter((index) => index !== null);
}

function* tableRows(rows: readonly (readonly unknown[])[], used: readonly number[]): Generator<TableRow> {
  const places = new Map(used.map((column, index) => [column, index]));
  for (const [index, row] of rows.entries()) {
    const at = (column: number): unknown => row[places.get(column) ?? -1];
    yield {
      place: `row ${index + 1}`,
      text: (column) => String(at(column) ?? ''),
      number: (column) => {
        const value = at(column);
        return typeof value === 'number' && Number.isFinite(value) ? value : null;
      },
    };
  }
}

/** A database of its own and a folder, both gone afterwards. */
async function withDatabase<T>(work: (connection: DuckDBConnection, folder: string) => Promise<T>): Promise<T> {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const folder = await mkdtemp(join(tmpdir(), 'predict-parquet-'));
  const instance = await DuckDBInstance.create(':memory:');
  try {
    const connection = await instance.connect();
    try {
      return await work(connection, folder);
    } finally {
      connection.closeSync();
    }
  } finally {
    instance.closeSync();
    await rm(folder, { recursive: true, force: true });
  }
}

function sameColumn(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

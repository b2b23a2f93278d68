// Format: https://parquet.apache.org/docs/file-format/, read and written by DuckDB
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { badInput, messageOf } from '../../base/errors.ts';
import { at } from '../../base/lists.ts';
import { duckdb, pathLiteral } from '../../experiments/store/duckdb.ts';
import { type TableColumn, writeParquet } from '../../experiments/store/write-table.ts';
import { canonical, type Experiment, measurementsOf } from './experiment.ts';
import { asMeasurement, experimentOf, planTable, type TableRow, tableHeader } from './plan-table.ts';

const NUMERIC = /^(?:U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?|FLOAT|DOUBLE|DECIMAL\(.*\))$/;

/** Reads the columns that CSV has from Parquet. Errors name the file, the row (from 1) and the value. */
export async function readExperimentParquet(bytes: Uint8Array, source: string): Promise<Experiment> {
  if (bytes.length === 0) throw badInput(`${source} is empty: give a file with measurements.`);
  return inFolder(async (path) => {
    await writeFile(path, bytes);
    const columns = await columnsOf(path, source);
    const plan = planTable(
      columns.map(({ name }) => name),
      source,
    );
    const picked = columns.map(
      ({ name, type }) => `"${name.replaceAll('"', '""')}"::${NUMERIC.test(type) ? 'DOUBLE' : 'VARCHAR'}`,
    );
    const query = `SELECT ${picked.join(', ')} FROM read_parquet(${pathLiteral(path)})`;
    const rows = (await readParquet(query, { path, source })).getRowsJS();
    if (rows.length === 0) throw badInput(`${source} has columns but no rows: nothing was measured.`);
    return experimentOf(tableRows(rows), plan, source);
  });
}

/** Writes the columns that CSV has; names are texts, `rep` is an integer and all else is double. */
export async function writeExperimentParquet(experiment: Experiment): Promise<Uint8Array> {
  const valid = canonical(experiment);
  const header = asMeasurement(valid)?.header ?? tableHeader(valid, 'parquet');
  const twin = header.find((name, index) => header.findIndex((other) => sameColumn(other, name)) < index);
  if (twin !== undefined) {
    throw badInput(`Parquet cannot hold parameters whose names differ only in case ('${twin}'): use extrap-json.`);
  }
  const rows = [...measurementsOf(valid)].flatMap(({ values, ...where }) =>
    values.map((value, index) => ({ ...where, value, rep: index + 1 })),
  );
  const columns = header.map((name, index): TableColumn => {
    if (name === 'callpath' || name === 'metric') return { name, type: 'text', values: rows.map((row) => row[name]) };
    if (name === 'rep') return { name, type: 'integer', values: rows.map(({ rep }) => rep) };
    const isValue = index === header.length - 1;
    return {
      name,
      type: 'real',
      values: rows.map(({ value, coordinate }) => (isValue ? value : at(coordinate, index))),
    };
  });
  return inFolder(async (path) => {
    await writeParquet(path, columns);
    return new Uint8Array(await readFile(path));
  });
}

async function columnsOf(path: string, source: string): Promise<{ readonly name: string; readonly type: string }[]> {
  const described = await readParquet(`DESCRIBE SELECT * FROM read_parquet(${pathLiteral(path)})`, { path, source });
  return described.getRowsJS().map(([name, type]) => ({ name: String(name), type: String(type) }));
}

/** What a query of the file finds: damage may lie behind a good header. */
async function readParquet(query: string, { path, source }: { readonly path: string; readonly source: string }) {
  try {
    return await (await duckdb()).runAndReadAll(query);
  } catch (error) {
    const reason = at(messageOf(error).split('\n'), 0).replaceAll(path, source);
    throw badInput(`${source} cannot be read as Parquet (${reason}): it is truncated or has another format.`, error);
  }
}

function* tableRows(rows: readonly (readonly unknown[])[]): Generator<TableRow> {
  for (const [index, row] of rows.entries()) {
    yield {
      place: `row ${index + 1}`,
      text: (column) => String(row[column] ?? ''),
      number: (column) => {
        const value = row[column];
        return typeof value === 'number' && Number.isFinite(value) ? value : null;
      },
    };
  }
}

/** Work on a file in a folder that is gone afterwards: DuckDB reads and writes no bytes in memory. */
async function inFolder<T>(work: (path: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'predict-parquet-'));
  try {
    return await work(join(folder, 'rows.parquet'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function sameColumn(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

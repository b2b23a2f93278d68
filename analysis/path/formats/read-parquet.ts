import { open, stat } from 'node:fs/promises';
import { badInput, messageOf, PredictError } from '../../../base/errors.ts';
import { joinWords } from '../../../base/text.ts';
import { duckdb, pathLiteral } from '../../../experiments/store/duckdb.ts';
import { ActivityBuilder, type ReadActivities } from './activity-builder.ts';
import { addRow, type TimeOf, type TraceRow } from './trace-row.ts';

/** `running` is a type here: the life of `worker` is from `start` to `end`. */
const COLUMNS = ['worker', 'from', 'to', 'start', 'end', 'type', 'name', 'bytes'] as const;
const NEEDED = ['worker', 'start', 'end', 'type'] as const;

/** The intermediate trace in Parquet, columns as JSON lines have keys. Null for what is no Parquet. Errors: badInput where a column is missing. */
export async function readParquet(path: string): Promise<ReadActivities | null> {
  if (!(await isParquet(path))) return null;
  const source = `read_parquet(${pathLiteral(path)}, hive_partitioning = false)`;
  const connection = await duckdb();
  try {
    const described = await connection.runAndReadAll(`DESCRIBE SELECT * FROM ${source}`);
    const columns = new Set(described.getColumnsJS()[0]?.map(String));
    const missing = NEEDED.filter((name) => !columns.has(name));
    if (missing.length > 0) {
      throw badInput(`${path} has no column ${joinWords(missing)}: a trace of activities needs ${joinWords(NEEDED)}.`);
    }
    const [border] = (
      await connection.runAndReadAll(`SELECT min(start)::HUGEINT, max("end")::HUGEINT FROM ${source}`)
    ).getRowsJS();
    const [least, most] = [BigInt(String(border?.[0] ?? 0)), BigInt(String(border?.[1] ?? 0))];
    const originNs = most > BigInt(Number.MAX_SAFE_INTEGER) ? least : 0n;
    const texts = COLUMNS.map((name) => selected(name, columns, originNs));
    const stream = await connection.stream(`SELECT ${texts.join(', ')} FROM ${source}`);
    const builder = new ActivityBuilder();
    let line = 0;
    for await (const chunk of stream.yieldRowsJs()) {
      for (const values of chunk) {
        line += 1;
        addRow(builder, rowOf(values), { line, timeOf });
      }
    }
    return builder.finish(originNs);
  } catch (error) {
    if (error instanceof PredictError) throw error;
    throw badInput(`${path} cannot be read as Parquet (${messageOf(error)}): write it again.`, error);
  }
}

/** Times are numbers already. */
const timeOf: TimeOf = (row, key) => (typeof row[key] === 'number' ? row[key] : null);

async function isParquet(path: string): Promise<boolean> {
  // What is no file could not be read a second time.
  const found = await stat(path).catch(() => null);
  if (found?.isFile() !== true) return false;
  try {
    const file = await open(path, 'r');
    const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0).finally(async () => await file.close());
    return buffer.toString('latin1') === 'PAR1';
  } catch (error) {
    throw badInput(`${path} cannot be read (${messageOf(error)}): name a file of activities.`, error);
  }
}

/** Times from the origin (null where they are no whole numbers), names as texts; null for a column that is not there. */
function selected(name: (typeof COLUMNS)[number], columns: ReadonlySet<string>, originNs: bigint): string {
  if (!columns.has(name)) return 'NULL';
  if (name === 'start' || name === 'end')
    return `CASE WHEN "${name}" % 1 = 0 THEN ("${name}"::HUGEINT - ${originNs})::DOUBLE END`;
  return name === 'bytes' ? '"bytes"::DOUBLE' : `"${name}"::VARCHAR`;
}

function rowOf(values: readonly unknown[]): TraceRow {
  const row: Record<string, unknown> = {};
  for (const [index, name] of COLUMNS.entries()) if (values[index] !== null) row[name] = values[index];
  return row.type === 'running' ? { running: row.worker, from: row.start, to: row.end } : row;
}

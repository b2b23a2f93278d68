import { open, stat } from 'node:fs/promises';
import { badInput, messageOf, PredictError } from '../../../base/errors.ts';
import { joinWords } from '../../../base/text.ts';
import { duckdb, pathLiteral } from '../../../experiments/store/duckdb.ts';
import { ActivityBuilder, type ReadActivities } from './activity-builder.ts';
import { linesOf, openBytes } from './open-bytes.ts';
import { addRow, type TimeOf, type TraceRow } from './trace-row.ts';

/** If none of so many lines is a row of an intermediate trace, the file is another one. */
const LOOKED_AT = 1000;

/** The intermediate trace, as JSON lines or Parquet; null for neither. Errors: badInput for a file that cannot be read. */
export async function readActivities(path: string): Promise<ReadActivities | null> {
  return (await readParquet(path)) ?? (await readJsonLines(path));
}

/**
 * JSON lines, plain or gzip, of a file, a FIFO or standard input (`-`). Null where none of the first lines is a row. Times beyond
 * 2^53 ns, such as those since 1970, count from the first of them, `originNs`.
 */
async function readJsonLines(path: string): Promise<ReadActivities | null> {
  const builder = new ActivityBuilder();
  const times = new ExactTimes();
  let [line, rows] = [0, 0];
  for await (const texts of linesOf(openBytes(path))) {
    for (const text of texts) {
      line += 1;
      if (text.trim() === '') continue;
      if (line > LOOKED_AT && rows === 0) return null;
      const row = parsed(text);
      if (row === null) builder.problems.add('line that is not a JSON object', line);
      else if (addRow(builder, row, { line, timeOf: times.of(text) })) rows += 1;
    }
  }
  if (rows === 0) return null;
  return builder.finish(times.originNs);
}

function parsed(text: string): TraceRow | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** Whole ns, of which JSON's numbers above 2^53 have lost the last digits: those are read from the text. */
class ExactTimes {
  originNs = 0n;

  of(text: string): TimeOf {
    return (row, key) => {
      const value = row[key];
      if (typeof value !== 'number' || !Number.isInteger(value)) return null;
      if (Number.isSafeInteger(value) && this.originNs === 0n) return value;
      const digits = new RegExp(`"${key}"\\s*:\\s*(-?\\d+)\\s*[,}]`).exec(text)?.[1];
      if (digits === undefined) return null;
      if (this.originNs === 0n) this.originNs = BigInt(digits);
      const since = Number(BigInt(digits) - this.originNs);
      return Number.isSafeInteger(since) ? since : null;
    };
  }
}

/** `running` is a type here: the life of `worker` is from `start` to `end`. */
const COLUMNS = ['worker', 'from', 'to', 'start', 'end', 'type', 'name', 'bytes'] as const;
const NEEDED = ['worker', 'start', 'end', 'type'] as const;

/** The intermediate trace in Parquet, columns as JSON lines have keys. Null for what is no Parquet. Errors: badInput where a column is missing. */
async function readParquet(path: string): Promise<ReadActivities | null> {
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

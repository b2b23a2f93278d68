// The intermediate trace: rows of JSON lines here, of Parquet in read-parquet.ts.
import { ActivityBuilder, type ReadActivities } from './activity-builder.ts';
import { linesOf, openBytes } from './open-bytes.ts';
import { readParquet } from './read-parquet.ts';
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

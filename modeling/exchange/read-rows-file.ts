import type { Rows } from '../rows.ts';
import { readExperimentCsv } from './csv.ts';
import { formatOfPath, readExperiment } from './formats.ts';
import { parseRowsCsv } from './read-rows-csv.ts';
import { decodeText, readBytes } from './text.ts';
import { chooseSeries, seriesRows } from './to-rows.ts';

/** A header of the long form has a column `value`. */
const LONG = /(?:^|,)\s*"?value"?\s*(?:,|$)/i;

/**
 * Reads measurement rows from a file whose name tells its format: .csv, .parquet, or Extra-P's .txt, .json and .jsonl; any
 * other name is read as CSV. A file with several series must have one of the metric `time` or `ct`. Bandwidth is 100 and
 * scale 0 where a file names none.
 */
export async function readRowsFile(path: string): Promise<Rows> {
  const format = formatOfPath(path) ?? 'csv';
  if (format !== 'csv') return rowsOf(await readExperiment(path, format), path);
  const text = decodeText(await readBytes(path), path);
  const [header = ''] = text.split(/\r?\n/, 1);
  return LONG.test(header) ? rowsOf(readExperimentCsv(text, path), path) : parseRowsCsv(text, path);
}

function rowsOf(experiment: Parameters<typeof chooseSeries>[0], path: string): Rows {
  return seriesRows(experiment, chooseSeries(experiment, {}, path), { source: path }).rows;
}

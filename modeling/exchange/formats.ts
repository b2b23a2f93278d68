import { extname } from 'node:path';
import { badInput } from '../../base/errors.ts';
import type { Rows } from '../rows.ts';
import { parseRowsCsv, readExperimentCsv, writeExperimentCsv } from './csv.ts';
import type { Experiment } from './experiment.ts';
import { readExperimentParquet, writeExperimentParquet } from './experiment-parquet.ts';
import { readExtrapJson, readExtrapJsonl, writeExtrapJson, writeExtrapJsonl } from './extrap-json.ts';
import { readExtrapText, writeExtrapText } from './extrap-text.ts';
import { decodeText, readBytes } from './read-text.ts';
import { timesOf } from './to-rows.ts';

export const formatNames = ['csv', 'parquet', 'extrap-text', 'extrap-json', 'extrap-jsonl'] as const;
type FormatName = (typeof formatNames)[number];

interface Format {
  readonly extensions: readonly string[];
  readonly read: (bytes: Uint8Array, source: string) => Experiment | Promise<Experiment>;
  readonly write: (experiment: Experiment) => string | Promise<Uint8Array>;
}

/** A new format is one file and one entry. */
const FORMATS: Readonly<Record<FormatName, Format>> = {
  csv: { extensions: ['.csv'], read: decoded(readExperimentCsv), write: writeExperimentCsv },
  parquet: { extensions: ['.parquet', '.pq'], read: readExperimentParquet, write: writeExperimentParquet },
  'extrap-text': { extensions: ['.txt'], read: decoded(readExtrapText), write: writeExtrapText },
  'extrap-json': { extensions: ['.json'], read: decoded(readExtrapJson), write: writeExtrapJson },
  'extrap-jsonl': { extensions: ['.jsonl'], read: decoded(readExtrapJsonl), write: writeExtrapJsonl },
};

function decoded(read: (text: string, source: string) => Experiment): Format['read'] {
  return (bytes, source) => read(decodeText(bytes, source), source);
}

/** Reads a file of measurements. Errors are `badInput`: one sentence with the file, the line and the value. */
export async function readExperiment(path: string, name: FormatName): Promise<Experiment> {
  return FORMATS[name].read(await readBytes(path), path);
}

/**
 * Reads measurement rows from a file whose name tells its format: .csv, .parquet, or Extra-P's .txt, .json and .jsonl; any
 * other name is read as CSV. A file with several series must have one of the metric `time` or `ct`. Bandwidth is 100 and
 * scale 0 where a file names none.
 */
export async function readRowsFile(path: string): Promise<Rows> {
  const format = formatOfPath(path) ?? 'csv';
  if (format === 'csv') return parseRowsCsv(decodeText(await readBytes(path), path), path);
  return timesOf(await readExperiment(path, format), path);
}

/** An experiment as the content of a file: text, or bytes where the format has no text. */
export async function encodeExperiment(experiment: Experiment, name: FormatName): Promise<string | Uint8Array> {
  return FORMATS[name].write(experiment);
}

/** The format that a file's name tells; null for others. */
export function formatOfPath(path: string): FormatName | null {
  const extension = extname(path).toLowerCase();
  return formatNames.find((name) => FORMATS[name].extensions.includes(extension)) ?? null;
}

/** The format that is named, or else what the file's name tells. */
export function parseFormat(text: string | undefined, path: string | undefined): FormatName {
  const found = text === undefined ? path && formatOfPath(path) : formatNames.find((name) => name === text);
  if (found) return found;
  if (text !== undefined) throw badInput(`The format '${text}' is not one of ${formatNames.join(', ')}.`);
  throw badInput(`The name ${path ?? ''} does not show the format: give one of ${formatNames.join(', ')}.`);
}

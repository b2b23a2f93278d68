import { extname } from 'node:path';
import { badInput } from '../../base/index.ts';
import { readExperimentCsv, writeExperimentCsv } from './csv.ts';
import type { Experiment } from './experiment.ts';
import { readExtrapJson, writeExtrapJson } from './extrap-json.ts';
import { readExtrapJsonl, writeExtrapJsonl } from './extrap-jsonl.ts';
import { readExtrapText, writeExtrapText } from './extrap-text.ts';
import { readExperimentParquet, writeExperimentParquet } from './parquet.ts';
import { decodeText, readBytes } from './text.ts';

export const formatNames = ['csv', 'parquet', 'extrap-text', 'extrap-json', 'extrap-jsonl'] as const;
type FormatName = (typeof formatNames)[number];

type Format = { readonly extensions: readonly string[] } & (
  | {
      readonly kind: 'text';
      readonly read: (text: string, source: string) => Experiment;
      readonly write: (experiment: Experiment) => string;
    }
  | {
      readonly kind: 'bytes';
      readonly read: (bytes: Uint8Array, source: string) => Promise<Experiment>;
      readonly write: (experiment: Experiment) => Promise<Uint8Array>;
    }
);

/** A new format is one file and one entry. */
const FORMATS: Readonly<Record<FormatName, Format>> = {
  csv: { kind: 'text', extensions: ['.csv'], read: readExperimentCsv, write: writeExperimentCsv },
  parquet: {
    kind: 'bytes',
    extensions: ['.parquet', '.pq'],
    read: readExperimentParquet,
    write: writeExperimentParquet,
  },
  'extrap-text': { kind: 'text', extensions: ['.txt'], read: readExtrapText, write: writeExtrapText },
  'extrap-json': { kind: 'text', extensions: ['.json'], read: readExtrapJson, write: writeExtrapJson },
  'extrap-jsonl': { kind: 'text', extensions: ['.jsonl'], read: readExtrapJsonl, write: writeExtrapJsonl },
};

/** Reads a file of measurements. Errors are `badInput`: one sentence with the file, the line and the value. */
export async function readExperiment(path: string, name: FormatName): Promise<Experiment> {
  const bytes = await readBytes(path);
  const format = FORMATS[name];
  return format.kind === 'text' ? format.read(decodeText(bytes, path), path) : format.read(bytes, path);
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

import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { median } from 'simple-statistics';
import { badInput, messageOf, PredictError } from '../../base/errors.ts';
import { formatSeconds, trimNumber } from '../../base/units.ts';
import { parseGraph500 } from '../../experiments/parse-graph500.ts';
import type { ImportFlags } from './flags.ts';
import { type Answer, print } from './print.ts';

interface Kind {
  /** Formats that name it. */
  readonly isFormat: (name: string) => boolean;
  /** Whether files without a named format are of it. */
  readonly recognises: (files: readonly string[], flags: ImportFlags) => boolean;
  /** Flags that only it has; the others have none of them. */
  readonly own: readonly (keyof ImportFlags)[];
  readonly read: (files: readonly string[], flags: ImportFlags) => Promise<Answer | undefined> | Promise<void>;
}

/** What comes in, in the order in which a kind is asked whether files are its own. */
const KINDS: readonly Kind[] = [
  {
    isFormat: () => false,
    recognises: (_, { into }) => into !== undefined,
    own: ['into', 'benchmark', 'run', 'time', 'value', 'strip'],
    read: async (files, flags) => (await import('./profiles/import-profile-files.ts')).importProfileFiles(files, flags),
  },
  {
    isFormat: (name) => name === 'graph500',
    recognises: (files) => files.every((file) => /\.(stdout|stderr)$/.test(file)),
    own: [],
    read: readGraph500,
  },
  {
    isFormat: (name) => name === 'graphalytics',
    recognises: (files) =>
      files.some((file) => isFolder(file) || /^(results\.json(\.gz)?|data\.js)$/.test(basename(file))),
    own: ['properties'],
    read: async (files, flags) => (await import('./harness.ts')).harnessRead(files, flags),
  },
  {
    isFormat: () => true,
    recognises: () => true,
    own: ['callpath', 'map', 'out'],
    read: async (files, flags) => (await import('./exchange-rows.ts')).importRows(files, flags),
  },
];

/** Reads files of one kind: as --into or --format says, else as their names tell. Errors: badInput for a flag of another kind. */
export async function importCommand(files: readonly string[], flags: ImportFlags): Promise<Answer | undefined> {
  const { format } = flags;
  const kind = KINDS.find(({ isFormat, recognises }) => {
    return flags.into !== undefined || format === undefined ? recognises(files, flags) : isFormat(format);
  });
  const idle = KINDS.filter((each) => each !== kind).flatMap(({ own }) =>
    own.filter((name) => flags[name] !== undefined),
  );
  if (idle[0] !== undefined) {
    const help =
      idle[0] === 'properties' ? '--format graphalytics' : kind?.own[0] === 'into' ? 'no --into' : '--into STORE';
    throw badInput(`--${idle[0]} means nothing for these files: leave it out, or give ${help}.`);
  }
  return (await kind?.read(files, flags)) ?? undefined;
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}

/** The output of one run of Graph500. Errors after the answer: an invalid run. */
async function readGraph500(files: readonly string[]): Promise<Answer> {
  const { searches, ...rest } = parseGraph500(files.map(readText));
  const { valid, kernel, summary, reason } = rest;
  const say = (): void => {
    if (!valid) return;
    const times = searches.map(({ ct }) => ct);
    print(`valid: scale ${summary?.scale}, ${searches.length} searches, ${summary?.ranks} ranks`);
    print(`median time ${formatSeconds(times.length === 0 ? Number.NaN : median(times))}`);
    const teps = summary?.[kernel]?.harmonicMeanTeps;
    if (teps) print(`harmonic mean ${trimNumber(teps / 1e6)} million TEPS`);
  };
  const after = (): void => {
    if (!valid) throw new PredictError(`Invalid run: ${reason}`, { kind: 'workload' });
  };
  return { json: { ...rest, roots: searches.map(({ index, ...one }) => ({ root: index, ...one })) }, say, after };
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw badInput(`${file} cannot be read: ${messageOf(error)}.`);
  }
}

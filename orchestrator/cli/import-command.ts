import { existsSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { badInput } from '../../base/errors.ts';
import type { ImportFlags } from './flags.ts';

interface Kind {
  /** Formats that name it. */
  readonly isFormat: (name: string) => boolean;
  /** Whether files without a named format are of it. */
  readonly recognises: (files: readonly string[], flags: ImportFlags) => boolean;
  /** Flags that only it has; the others have none of them. */
  readonly own: readonly (keyof ImportFlags)[];
  readonly read: (files: readonly string[], flags: ImportFlags) => Promise<void>;
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
    read: async (files, flags) => (await import('./parse.ts')).parse(files, flags),
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
    read: async (files, flags) => (await import('./import-rows.ts')).importRows(files, flags),
  },
];

/** Reads files of one kind: as --into or --format says, else as their names tell. Errors: badInput for a flag of another kind. */
export async function importCommand(files: readonly string[], flags: ImportFlags): Promise<void> {
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
  await kind?.read(files, flags);
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}

import { stat } from 'node:fs/promises';
import { badInput, shortened } from '../../../base/index.ts';
import type { PathFlags } from './flags.ts';

/** Answers for a file in one format; false where the file is in another. */
type Way = (path: string, flags: PathFlags) => Promise<boolean>;

/** Formats of `--activities`, in the order in which a file is tried without `--format`. */
const FORMATS: Readonly<Record<string, () => Promise<Way>>> = {
  otf2: async () => (await import('./activities.ts')).pathOfOtf2,
  timely: async () => (await import('./timely.ts')).pathOfTimely,
  activities: async () => (await import('./activities.ts')).pathOfActivities,
};

/** The critical paths of a trace: each format's reader says whether the file is one. */
export async function pathOfFile(path: string, flags: PathFlags): Promise<void> {
  const { format } = flags;
  const names = Object.keys(FORMATS);
  if (format !== undefined && !names.includes(format)) {
    throw badInput(`--format: '${shortened(format)}' is unknown: write ${names.join(', ')}.`);
  }
  const found = path === '-' ? null : await stat(path).catch(() => null);
  if (found?.isFile() && found.size === 0 && flags.follow !== true)
    throw badInput(`${shortened(path)} is empty: it contains no trace.`);
  for (const [name, load] of Object.entries(FORMATS)) {
    if (format !== undefined && format !== name) continue;
    // Standard input can be read once, so that only one reader can be asked.
    if (path === '-' && format === undefined && name !== 'timely') continue;
    if (await (await load())(path, flags)) return;
  }
  throw badInput(
    format === undefined
      ? `${shortened(path)} is in none of the known formats (${names.join(', ')}): name its format with --format.`
      : `${shortened(path)} is not a trace of the format ${format}: none of its first lines match.`,
  );
}

import { badInput, shortened } from '../../../base/index.ts';
import type { PathFlags } from './flags.ts';

/** Formats of `--activities`, in the order in which a file is tried without `--format`. */
const FORMATS = ['timely'] as const;

/** The critical paths of a file of activities: each format's reader says whether the file is one. */
export async function pathOfActivities(path: string, flags: PathFlags): Promise<void> {
  const { format } = flags;
  if (format !== undefined && !FORMATS.some((known) => known === format)) {
    throw badInput(`--format: '${shortened(format)}' is unknown: write ${FORMATS.join(' or ')}.`);
  }
  const { pathOfTimely } = await import('./timely.ts');
  if (await pathOfTimely(path, flags)) return;
  throw badInput(
    format === undefined
      ? `${shortened(path)} is in no format that is known here (${FORMATS.join(', ')}): name its format with --format.`
      : `${shortened(path)} is no trace of the format ${format}: its first line is no such event.`,
  );
}

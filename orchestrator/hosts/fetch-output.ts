import { posix } from 'node:path';
import { scriptWords, sh } from '../../base/shell.ts';
import { joinWords, shortened } from '../../base/text.ts';
import { isPattern } from '../../experiments/workloads/output-pattern.ts';
import { type Executor, execOrFail } from './executor.ts';

/**
 * The files of a folder by a pattern, each ended by a NUL: those that are newer than `$3`, then `//`, then the others. No folder has none.
 */
const LIST = sh`[ -d "$1" ] || { printf '%s\0' //; exit 0; }
find "$1" -maxdepth 1 -type f -name "$2" -newer "$3" -print0 && printf '%s\0' // &&
find "$1" -maxdepth 1 -type f -name "$2" ! -newer "$3" -print0`;

/** Names that a message lists. */
const LISTED = 4;

interface OutputPlace {
  /** Of predict, on the host: where ranks run that no `folder` is named for. */
  readonly workFolder: string;
  /** Of this run, in a folder that nothing else changes while it lasts: since that was changed, the run lasts. */
  readonly runFolder: string;
}

/**
 * The content of a file that a run left, by its path or by a pattern in the last step of it, which exactly one file may fit that is new
 * since the run began; null for a path where none is, a sentence where not one file fits a pattern. Errors: `infrastructure`.
 */
export async function fetchOutput(
  executor: Executor,
  path: string,
  { workFolder, runFolder }: OutputPlace,
): Promise<Buffer | string | null> {
  const whole = posix.resolve(workFolder, path);
  if (!isPattern(whole)) return await executor.fetch(whole);
  const [folder, name] = [posix.dirname(whole), posix.basename(whole)];
  // Brackets and backslashes are characters of names.
  const words = scriptWords(LIST, folder, name.replace(/[[\]\\]/g, '\\$&'), posix.dirname(runFolder));
  const { stdout } = await execOrFail(executor, words, (said) => `files of the run cannot be listed (${said}).`);
  const listed = stdout.split('\0').filter((each) => each !== '');
  const end = listed.indexOf('//');
  const [fresh, older] = [listed.slice(0, end), listed.slice(end + 1)];
  const [only] = fresh;
  if (only !== undefined && fresh.length === 1) return await executor.fetch(only);
  const pattern = `'${shortened(name)}' in ${shortened(folder)}`;
  if (only !== undefined) {
    return `${fresh.length} new files fit ${pattern} (${namesOf(fresh)}): write outputs.log so that one does.`;
  }
  if (older.length === 0) return `No file fits ${pattern}, where outputs.log says that the run leaves one.`;
  return `No file that fits ${pattern} is new since the run began: there ${older.length === 1 ? 'is' : 'are'} ${namesOf(older)}.`;
}

function namesOf(paths: readonly string[]): string {
  const names = paths.map((path) => shortened(posix.basename(path))).sort();
  return joinWords(names.length > LISTED ? [...names.slice(0, LISTED), `${names.length - LISTED} more`] : names);
}

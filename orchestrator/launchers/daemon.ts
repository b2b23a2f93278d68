import { basename, dirname } from 'node:path/posix';
import { shortened } from '../../base/text.ts';

/** The daemon that a launcher starts on every other host of a run, which starts the ranks there. */
export interface Daemon {
  /** Its program's names, beside the launcher's own program. */
  readonly names: readonly string[];
  /** An argument of the launcher that names another way to start it. */
  readonly otherWay: RegExp;
  /** Why these are not the words that the launcher starts it with (the program's left out); null where they are. */
  readonly problem: (words: readonly string[], launch: LaunchedBy) => string | null;
}

/** How the launcher itself was started. */
export interface LaunchedBy {
  /** Its words. */
  readonly argv: readonly string[];
  /** The folders that its program lies in, by its path and where links lead. */
  readonly folders: readonly string[];
  /** Parameters of MPI (`NAME=VALUE`) in the environment that it was started from. */
  readonly environment: readonly string[];
  /** What it was given in ssh's place. */
  readonly agent: string;
}

/** What ranks have in place of the token that lets their launcher start daemons (orchestrator/hosts/remote-starts.ts). */
export function withoutToken(agent: string | undefined): Readonly<Record<string, string>> {
  return agent === undefined ? {} : { PREDICT_START: '' };
}

/** A daemon to start: `folder` is where it lies beside the launcher, '' where that is not known. */
export interface DaemonStart {
  readonly name: string;
  readonly folder: string;
  /** The launcher wants its own installation's libraries to be found. */
  readonly wantsLibraries: boolean;
  readonly words: readonly string[];
}

/** What a launcher asks for on another host, in a line for a login shell, if it is its daemon and nothing else; else why not. */
export function daemonStart(
  line: string,
  { names, problem }: Daemon,
  launch: LaunchedBy,
): DaemonStart | { readonly problem: string } {
  const [program = '', ...words] = lastCommand(line) ?? [];
  const [name, named] = [basename(program), program.includes('/') ? dirname(program) : null];
  if (!names.includes(name)) return { problem: `'${shortened(program)}' is not a daemon of the launcher` };
  if (named !== null && !launch.folders.includes(named)) {
    return { problem: `${shortened(program)} does not lie beside the launcher (${launch.folders.join(', ')})` };
  }
  const why = problem(words, launch);
  if (why !== null) return { problem: `${name}: ${why}` };
  return { name, folder: named ?? launch.folders[0] ?? '', wantsLibraries: named !== null, words };
}

/**
 * The words of the last command in a line that a launcher has written for a login shell, quotes taken off. What stands before it
 * (paths of libraries, in the words of whichever shell) is no command of the launcher's own and is left out.
 *
 * @returns null where a quote has no end.
 */
function lastCommand(line: string): readonly string[] | null {
  let [words, word, inWord, quote]: [string[], string, boolean, string] = [[], '', false, ''];
  const finish = (): void => {
    if (inWord) words.push(word);
    [word, inWord] = ['', false];
  };
  for (let index = 0; index < line.length; index += 1) {
    const character = line[index] ?? '';
    if (quote !== '') {
      if (character === quote) quote = '';
      else if (character === '\\' && quote === '"' && /["\\$`]/.test(line[index + 1] ?? ''))
        word += line[++index] ?? '';
      else word += character;
    } else if (character === ';' || character === '\n') {
      finish();
      words = [];
    } else if (/\s/.test(character)) {
      finish();
    } else {
      inWord = true;
      if (character === "'" || character === '"') quote = character;
      else word += character === '\\' ? (line[++index] ?? '') : character;
    }
  }
  finish();
  // A subshell, which some login shells are given, ends behind the command.
  if (words.at(-1) === ')') words.pop();
  return quote === '' ? words : null;
}

import { badInput } from './errors.ts';
import { withoutEnd } from './text.ts';

/** What a shell does with a character that is not quoted, for a sentence; none of it happens here. */
const SPECIAL: Readonly<Record<string, string>> = {
  ...{ '|': 'joins commands', '&': 'joins commands', ';': 'joins commands', '\n': 'begins another command' },
  ...{ '<': 'reads or writes a file', '>': 'reads or writes a file' },
  ...{ '(': 'begins a shell of its own', ')': 'begins a shell of its own' },
  ...{ '*': 'stands for file names', '?': 'stands for file names', '[': 'stands for file names' },
};
const EXPANDED = 'stands for a variable or a command';
/** Where a word begins. */
const SPECIAL_FIRST: Readonly<Record<string, string>> = { '~': 'stands for a folder', '#': 'begins a comment' };

/** Linux takes no longer word (MAX_ARG_STRLEN). */
const MOST_CHARACTERS = 131_072;

/** One piece of a command line. Every character belongs to one. */
const PIECE =
  /(?<blank>(?:[ \t]|\\\n)+)|'(?<single>[^']*)'|"(?<double>(?:[^"\\]|\\.)*)"|\\(?<escaped>.)|(?<other>.)/gsy;

/**
 * The words of a command line as a POSIX shell splits it, by blanks, quotes and backslashes (XCU 2.2). Whatever a shell would put in the
 * place of something, or do beside starting one program, is an error (`badInput`): here no shell reads the line.
 *
 * @example splitWords(`/opt/solve --title "two words" '$5'`) // ['/opt/solve', '--title', 'two words', '$5']
 */
export function splitWords(text: string): string[] {
  if (text.length > MOST_CHARACTERS)
    throw badInput(`it has ${text.length} characters, and at most ${MOST_CHARACTERS} can be`);
  const line = withoutEnd(text, '\n').replace(/^[ \t\n]+/, '');
  const words: string[] = [];
  let word: string | undefined;
  for (const { 0: piece, groups = {} } of line.matchAll(PIECE)) {
    const { blank, single, double, escaped, other } = groups;
    if (blank !== undefined) {
      // A line that goes on behind a backslash may go on in the middle of a word.
      if (blank.replaceAll('\\\n', '') === '') continue;
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    if (double !== undefined) refuse(/(?<!\\)(?:\\\\)*([$`])/.exec(double)?.[1], EXPANDED);
    if (other !== undefined) refuseUnquoted(other, word === undefined);
    word = `${word ?? ''}${single ?? double?.replace(/\\([$`"\\\n])/g, unescaped) ?? escaped ?? piece}`;
  }
  if (word !== undefined) words.push(word);
  if (words.length === 0) throw badInput('there is nothing to run');
  if (line.includes('\0')) throw badInput('a word cannot have a NUL character');
  if (/^[A-Za-z_]\w*=/.test(line)) throw badInput(`no shell reads it, which would set ${line.split('=')[0]}: use env`);
  return words;
}

function refuseUnquoted(character: string, isFirst: boolean): void {
  if (character === "'" || character === '"') throw badInput(`the quote ${character} has no end`);
  if (character === '\\') throw badInput('nothing follows the last backslash');
  if (character === '$' || character === '`') refuse(character, EXPANDED);
  refuse(character, (isFirst ? SPECIAL_FIRST[character] : undefined) ?? SPECIAL[character]);
}

function refuse(character: string | undefined, does: string | undefined): void {
  if (character === undefined || does === undefined) return;
  const shown = character === '\n' ? 'another line' : `'${character}'`;
  const help = 'put it in single quotes, or write [/bin/sh, -c, "..."]';
  throw badInput(`no shell reads it, for which ${shown} ${does}: ${help}`);
}

/** Between double quotes a backslash before a line break takes it away, and makes others of these plain. */
function unescaped(_: string, character: string): string {
  return character === '\n' ? '' : character;
}

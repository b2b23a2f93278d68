import { groupBy } from './lists.ts';

/** A text as the beginning of a sentence. */
export function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** 4, 9 and 16. */
export function joinWords(words: readonly (number | string)[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

/** The start of a text from outside, short enough for a sentence. */
export function shortened(text: string, most = 60): string {
  return text.length > most ? `${text.slice(0, most - 3)}...` : text;
}

/** The last non-empty lines of an output, for messages. */
export function lastLines(text: string, count = 3): string {
  return text.trim().split('\n').filter(Boolean).slice(-count).join(' / ');
}

/** A text without those of the given characters that it ends in. A pattern such as `/x+$/` would begin anew at each of them. */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

// Unicode's controls (C0, DEL, C1), the marks that turn the direction of writing, and the separators of lines and paragraphs.
const UNPRINTABLE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/**
 * A text of anybody as a terminal may have it: what could move its cursor, change its title or clipboard, or turn the direction of
 * writing stands as JSON writes it (`\u001b`), so that JSON keeps its meaning. Ends of lines and tabs stay.
 */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, escaped);
}

/** The same in one line, for a cell of a table or a line of progress. */
export function printableLine(text: string): string {
  return printable(text).replace(/[\n\t]/g, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Orders by code units, the same on every machine. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Orders by code points, as UTF-8 and most languages do: only characters beyond U+FFFF come later than by code units. */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const [ours, theirs] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (ours !== theirs) return rank(ours) - rank(theirs);
  }
  return a.length - b.length;
}

/** Surrogates stand for code points beyond all that have one unit. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/** The candidate that `text` was most likely meant to be, or undefined if none is near. Case does not count. */
export function closest(text: string, candidates: readonly string[]): string | undefined {
  const [best] = candidates
    .map((candidate) => ({ candidate, distance: editDistance(text.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  return best !== undefined && best.distance <= Math.max(1, Math.floor(text.length / 3)) ? best.candidate : undefined;
}

/** Optimal string alignment: insertions, deletions, replacements and swapped neighbours count one each. */
function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, replaced, swapped));
    }
  }
  return at(a.length, b.length);
}

/** Whether a text fits a pattern in which `*` stands for any characters and `?` for one, in at most `pattern` times `text` steps. */
export function fitsGlob(pattern: string, text: string): boolean {
  let [at, wanted] = [0, 0];
  // Where the last star is, and how far what it stands for reaches: no earlier one has to be tried again.
  let [star, reached] = [-1, 0];
  while (at < text.length) {
    if (pattern[wanted] === '*') {
      star = wanted;
      reached = at;
      wanted += 1;
    } else if (wanted < pattern.length && (pattern[wanted] === '?' || pattern[wanted] === text[at])) {
      at += 1;
      wanted += 1;
    } else if (star >= 0) {
      reached += 1;
      at = reached;
      wanted = star + 1;
    } else return false;
  }
  while (pattern[wanted] === '*') wanted += 1;
  return wanted === pattern.length;
}

/** Sentences that differ only in names in brackets and in numbers, once, with how many there are. */
export function groupAlike(sentences: readonly string[]): string[] {
  const groups = new Map<string, string[]>();
  for (const sentence of sentences) {
    const key = likeness(sentence);
    groups.set(key, [...(groups.get(key) ?? []), sentence]);
  }
  return [...groups.values()].map(
    ([first, ...others]) => `${first}${others.length > 0 ? ` (And ${others.length} more like it.)` : ''}`,
  );
}

/** What sentences that say the same have in common: all but names in brackets and numbers. */
export function likeness(sentence: string): string {
  return sentence.replace(/\[[^[\]]*\]|\d[\d.]*/g, '');
}

const NAMED = 4;

/** Messages that begin with `host: `, once for hosts of which the same is said: `n1, n2, n3, n4 and 5 more: ...`. Others stay as they are. */
export function sameOfHosts(
  said: readonly { readonly host?: string | undefined; readonly message: string }[],
): string[] {
  const parts = said.map(({ host, message }) =>
    host !== undefined && message.startsWith(`${host}: `)
      ? { host, text: message.slice(host.length) }
      : { host: '', text: message },
  );
  return groupBy(parts, ({ text }) => text).map((alike) => {
    const hosts = [...new Set(alike.map(({ host }) => host))];
    const more = hosts.length - NAMED;
    const names = more > 1 ? [...hosts.slice(0, NAMED), `${more} more`] : hosts;
    return `${joinWords(names)}${alike[0]?.text}`;
  });
}

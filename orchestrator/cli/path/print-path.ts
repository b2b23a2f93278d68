import type { PathDifference, SearchSummary, TransferParts } from '../../../analysis/path/run-paths.ts';
import type { Problem } from '../../../analysis/problems.ts';
import { own } from '../../../base/lists.ts';
import { formatSeconds } from '../../../base/units.ts';
import { type Column, left, note, print, printTable, right } from '../print.ts';

/** Lines of each list, and names of parts in one line. */
export const LISTED = 12;
const NAMED = 3;

export type NamedPart = readonly [name: string, ns: number];

/** Parts of a whole of so many ns, the largest first: what the time of a path is divided into. */
export function printParts(
  parts: Iterable<NamedPart>,
  {
    title,
    wholeNs,
    more = [],
  }: { readonly title: string; readonly wholeNs: number; readonly more?: Column<NamedPart>[] },
): void {
  const rows = [...parts].sort((a, b) => b[1] - a[1]);
  print('');
  printTable(rows.slice(0, LISTED), [
    right('share', ([, ns]) => percent(ns, wholeNs)),
    right('time', ([, ns]) => time(ns)),
    left(title, ([name]) => name),
    ...more,
  ]);
  if (rows.length > LISTED) print(`(and ${rows.length - LISTED} more)`);
}

/** The largest parts in a line. */
export function largestParts(parts: Iterable<NamedPart>, wholeNs: number): string {
  const rows = [...parts].sort((a, b) => b[1] - a[1]).slice(0, NAMED);
  return rows.map(([name, ns]) => `${name} (${((ns / Math.max(1, wholeNs)) * 100).toFixed(0)} %)`).join(', ');
}

type Search = SearchSummary & { readonly root: number; readonly hops: number };

/** Paths of searches in words: what their time went to on average, and each in a line. */
export function printSearches(
  searches: readonly Search[],
  { length = 0, ...keys }: Readonly<Record<string, number>>,
  transfersNs: Readonly<Record<string, TransferParts>>,
): void {
  const paths = searches.length === 1 ? 'path' : 'paths';
  print(`${searches.length} critical ${paths}, ${time(length)} on average:`);
  const column = (title: string, which: keyof TransferParts) =>
    right<NamedPart>(title, ([key]) => {
      const found = own(transfersNs, key);
      return found === undefined ? '' : time(found[which]);
    });
  const hasBytes = Object.keys(transfersNs).length > 0;
  const more = hasBytes ? [column('byte time', 'onLinkNs'), column('delay', 'delayNs')] : [];
  printParts(Object.entries(keys), { title: 'of the path', wholeNs: length, more });
  print('');
  printTable(searches, [
    right('root', ({ root }) => root),
    right('length', ({ lengthNs }) => time(lengthNs)),
    right('switch', ({ hops }) => hops),
    left('mostly on', ({ ranksNs, lengthNs }) => {
      const [[rank, ns] = ['-', 0]] = Object.entries(ranksNs).sort((a, b) => b[1] - a[1]);
      return `rank ${largestParts([[rank, ns]], lengthNs)}`;
    }),
  ]);
}

/** What changed from one run to another. */
export function printDifferences(differences: readonly PathDifference[]): void {
  print('\nChanges since the other run:');
  printTable(differences, [
    right('before', ({ beforeNs }) => time(beforeNs)),
    right('after', ({ afterNs }) => time(afterNs)),
    right('change', ({ changeNs }) => `${changeNs < 0 ? '' : '+'}${time(changeNs)}`),
    left('of', ({ key }) => key),
  ]);
}

/** What of a trace could not be used as it is, a line on stderr for each sort. */
export function problemNotes(problems: readonly Problem[]): void {
  for (const { kind, count, lines } of problems) {
    const where = lines.length === 0 ? '' : `: ${lines.join(', ')}${count > lines.length ? ', ...' : ''}`;
    note(`predict: ${kind} (${count}x)${where}`);
  }
}

/** How many rank switches of paths are uncertain; `who`: what `closer together` is said of. */
export function noteDoubtful(
  paths: readonly { readonly hops: number; readonly doubtfulHops: number }[],
  who: string,
): void {
  const sum = (key: 'hops' | 'doubtfulHops'): number => paths.reduce((all, one) => all + one[key], 0);
  if (sum('doubtfulHops') === 0) return;
  const some = `${sum('doubtfulHops')} of ${sum('hops')} rank switches are uncertain`;
  note(`predict: ${some}: ${who} closer together than the clocks can resolve.`);
}

/** `1 hop`, `2 hops`. */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

export function time(ns: number): string {
  return `${ns < 0 ? '-' : ''}${formatSeconds(Math.abs(ns) / 1e9)}`;
}

export function percent(part: number, whole: number): string {
  return `${((part / Math.max(1, whole)) * 100).toFixed(1)} %`;
}

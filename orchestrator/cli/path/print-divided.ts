import type { PathDifference, Way } from '../../../analysis/index.ts';
import { formatSeconds } from '../../../base/index.ts';
import { left, print, printTable, right } from '../print.ts';

type Parts = readonly (readonly [name: string, ns: number])[];

/** Ranks, hosts or links that are listed of a run, and named of one of many. */
const [LISTED, NAMED] = [12, 3];

/** What parts of a path of so many ns are on. */
export function printDivided(parts: Parts, { by, lengthNs }: { readonly by: Way; readonly lengthNs: number }): void {
  print('');
  printTable(parts.slice(0, LISTED), [
    right('share', ([, ns]) => `${((ns / Math.max(1, lengthNs)) * 100).toFixed(1)} %`),
    right('time', ([, ns]) => formatSeconds(ns / 1e9)),
    left(by === 'link' ? 'of the path over' : 'of the path on', ([name]) => name),
  ]);
  if (parts.length > LISTED) print(`(and ${parts.length - LISTED} more)`);
}

/** The largest parts in a line. */
export function largestParts(parts: Parts, lengthNs: number): string {
  return parts
    .slice(0, NAMED)
    .map(([name, ns]) => `${name} (${((ns / Math.max(1, lengthNs)) * 100).toFixed(0)} %)`)
    .join(', ');
}

/** What changed from one run to another. */
export function printDifferences(differences: readonly PathDifference[]): void {
  const signed = (ns: number): string => `${ns < 0 ? '-' : '+'}${formatSeconds(Math.abs(ns) / 1e9)}`;
  print('\nChanges since the other run:');
  printTable(differences, [
    right('before', ({ beforeNs }) => formatSeconds(beforeNs / 1e9)),
    right('after', ({ afterNs }) => formatSeconds(afterNs / 1e9)),
    right('change', ({ changeNs }) => signed(changeNs)),
    left('of', ({ key }) => key),
  ]);
}

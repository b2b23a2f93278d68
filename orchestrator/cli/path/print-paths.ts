import type { SearchSummary, TransferParts } from '../../../analysis/path/phases/index.ts';
import { formatSeconds, own } from '../../../base/index.ts';
import { left, print, printTable, right } from '../print.ts';

type Search = SearchSummary & { readonly root: number; readonly hops: number };

/** Paths of searches in words: what their time went to on average, and each in a line. */
export function printPhasePaths(
  searches: readonly Search[],
  meanNs: Readonly<Record<string, number>>,
  transfersNs: Readonly<Record<string, TransferParts>> = {},
): void {
  const { length = 0, ...keys } = meanNs;
  const listed = Object.entries(keys).sort((a, b) => b[1] - a[1]);
  const paths = searches.length === 1 ? 'path' : 'paths';
  print(`${searches.length} critical ${paths}, ${formatSeconds(length / 1e9)} on average:`);
  const hasBytes = Object.keys(transfersNs).length > 0;
  const part = (key: string, which: keyof TransferParts): string => {
    const found = own(transfersNs, key);
    return found === undefined ? '' : formatSeconds(found[which] / 1e9);
  };
  printTable(listed, [
    right('share', ([, ns]) => `${((ns / Math.max(1, length)) * 100).toFixed(1)} %`),
    right('time', ([, ns]) => formatSeconds(ns / 1e9)),
    left('of the path', ([key]) => key),
    ...(hasBytes
      ? [
          right<(typeof listed)[number]>('byte time', ([key]) => part(key, 'onLinkNs')),
          right<(typeof listed)[number]>('delay', ([key]) => part(key, 'delayNs')),
        ]
      : []),
  ]);
  print('');
  printTable(searches, [
    right('root', ({ root }) => root),
    right('length', ({ lengthNs }) => formatSeconds(lengthNs / 1e9)),
    right('switch', ({ hops }) => hops),
    left('mostly on', ({ ranksNs, lengthNs }) => {
      const [rank, ns] = Object.entries(ranksNs).reduce((a, b) => (b[1] > a[1] ? b : a), ['-', 0]);
      return `rank ${rank} (${((ns / Math.max(1, lengthNs)) * 100).toFixed(0)} %)`;
    }),
  ]);
}

import { own } from '../../../base/lists.ts';
import type { SearchPath } from './follow-back.ts';

/** Time on a path by key and by rank, ns; each adds up to the length. Keys ascending. */
export interface SearchSummary {
  readonly lengthNs: number;
  readonly profileNs: Readonly<Record<string, number>>;
  readonly ranksNs: Readonly<Record<string, number>>;
}

export function searchSummary({ startNs, endNs, path }: Pick<SearchPath, 'startNs' | 'endNs' | 'path'>): SearchSummary {
  const [profile, ranks] = [new Map<string, number>(), new Map<number, number>()];
  for (const { key, rank, startNs: from, endNs: to } of path) {
    profile.set(key, (profile.get(key) ?? 0) + to - from);
    ranks.set(rank, (ranks.get(rank) ?? 0) + to - from);
  }
  return {
    lengthNs: endNs - startNs,
    profileNs: Object.fromEntries([...profile].sort(([a], [b]) => (a < b ? -1 : 1))),
    ranksNs: Object.fromEntries([...ranks].sort(([a], [b]) => a - b)),
  };
}

/** Means over searches, ns: `length`, then every key that is on some path; a search without it counts as 0. */
export function meanProfile(searches: readonly SearchSummary[]): Readonly<Record<string, number>> {
  const keys = [...new Set(searches.flatMap(({ profileNs }) => Object.keys(profileNs)))].sort();
  const mean = (of: (one: SearchSummary) => number): number =>
    searches.reduce((sum, one) => sum + of(one) / searches.length, 0);
  return {
    length: mean(({ lengthNs }) => lengthNs),
    ...Object.fromEntries(keys.map((key) => [key, mean(({ profileNs }) => own(profileNs, key) ?? 0)])),
  };
}

// Rules M1 to M7: the critical path of each search from the phases of its ranks, back from the end. Without message events, what
// held a rank up in an exchange is inferred: the one of its group that entered last.
import { at } from '../../../base/lists.ts';
import { lastToEnter } from './groups.ts';
import type { RankPhases } from './rank-phases.ts';

/** One stretch of the path, on one rank. */
export interface RankStep {
  readonly rank: number;
  readonly startNs: number;
  readonly endNs: number;
  /** `compute`, `fold transfer`, `fold work`; `begin` before the rank's first phase, `gap` between two. */
  readonly key: string;
  /** The phase that it is of; -1 for `begin` and `gap`. */
  readonly phase: number;
  /** The phase of another rank at whose beginning the path goes on; -1 where it stays. */
  readonly hop: number;
  /** Of the message that the rank waited for, where it was recorded. */
  readonly bytes?: number;
}

/** One search: its path, oldest step first. The steps follow each other without a gap. */
export interface SearchPath {
  readonly root: number;
  readonly startNs: number;
  readonly endNs: number;
  /** How often the path goes from one rank to another. */
  readonly hops: number;
  readonly path: readonly RankStep[];
}

/** The paths of all searches. */
export function searchPaths(phases: RankPhases): readonly SearchPath[] {
  return phases.searches.map((_, search) => followBack(phases, search));
}

/** Backwards from a time, what is between phases: to the end of the rank's last phase (a place, as of `lastBefore`), or to the first entry of all. */
export function outsidePhases(
  { endNs }: Pick<RankPhases, 'endNs'>,
  place: number,
  { time, earliest }: { readonly time: number; readonly earliest: number },
): { readonly from: number; readonly key: 'begin' | 'gap' } | null {
  if (place < 0) return { from: earliest, key: 'begin' };
  return at(endNs, place) < time ? { from: at(endNs, place), key: 'gap' } : null;
}

/** The critical path of the search at a place of `searches`. */
export function followBack(phases: RankPhases, search: number): SearchPath {
  const { ranks, first, kinds, groups, kind, startNs, meeting, partners } = phases;
  const { rank: ends, startNs: earliest, endNs: latest } = extent(phases, search);
  const path: RankStep[] = [];
  let [rank, time, hops] = [ends, latest, 0];
  const add = (from: number, key: string, phase = -1, hop = -1): void => {
    if (from < time) path.push({ rank, startNs: from, endNs: time, key, phase, hop });
    time = Math.min(time, from);
  };
  while (time > earliest) {
    const place = lastBefore(phases, { from: at(first, search * ranks + rank), time, search, rank });
    const outside = outsidePhases(phases, place, { time, earliest });
    if (outside !== null) {
      add(outside.from, outside.key);
      continue;
    }
    const { name } = at(kinds, at(kind, place));
    const members = groups[at(kind, place)]?.[rank];
    if (members === undefined) {
      add(at(startNs, place), name, place);
      continue;
    }
    const entryOf = (other: number): number => {
      const partner = at(partners, at(meeting, place) * ranks + other);
      return partner < 0 ? Number.NEGATIVE_INFINITY : at(startNs, partner);
    };
    const last = lastToEnter(members, { own: rank, entryOf });
    const asleep = at(phases.asleepNs, place);
    const entry = entryOf(last);
    const follows = entry > at(startNs, place) && entry < time && (Number.isNaN(asleep) || asleep > 0);
    const [from, hop] = follows ? [entry, at(partners, at(meeting, place) * ranks + last)] : [at(startNs, place), -1];
    if (Number.isNaN(asleep)) add(from, name, place, hop);
    else {
      // Backwards: what comes last is the work.
      const slept = Math.min(asleep, time - from);
      add(from + slept, `${name} work`, place);
      add(from, `${name} transfer`, place, hop);
    }
    if (follows) {
      rank = last;
      hops += 1;
    }
  }
  return { root: at(phases.searches, search), startNs: earliest, endNs: latest, hops, path: path.reverse() };
}

/** M1: when a search begins and ends, and the lowest rank that ends last. */
export function extent({ ranks, first, startNs, endNs }: RankPhases, search: number) {
  const found = { rank: 0, startNs: Number.POSITIVE_INFINITY, endNs: Number.NEGATIVE_INFINITY };
  for (let rank = 0; rank < ranks; rank += 1) {
    for (let place = at(first, search * ranks + rank); place < at(first, search * ranks + rank + 1); place += 1) {
      found.startNs = Math.min(found.startNs, at(startNs, place));
      if (at(endNs, place) > found.endNs) [found.rank, found.endNs] = [rank, at(endNs, place)];
    }
  }
  return found;
}

/** The rank's last phase that starts before a time; -1 if none does. */
export function lastBefore(
  { ranks, first, startNs }: RankPhases,
  {
    from,
    time,
    search,
    rank,
  }: { readonly from: number; readonly time: number; readonly search: number; readonly rank: number },
): number {
  let [low, high] = [from, at(first, search * ranks + rank + 1)];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (at(startNs, middle) < time) low = middle + 1;
    else high = middle;
  }
  return low > from ? low - 1 : -1;
}

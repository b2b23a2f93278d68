import { added, ratioInterval, type Unsureness } from './ratio.ts';

/** A ratio of two times as a gate sees it; `known` is null where nothing tells how times scatter. */
export interface Compared<Place> {
  readonly place: Place;
  readonly log: number;
  readonly known: Unsureness | null;
}

/** What is slower than allowed for sure, and what may be. */
export interface Gate<Place> {
  readonly limitPercent: number;
  /** All cells together: their geometric mean, with the interval that the verdict rests on. */
  readonly mean: { readonly value: number; readonly low: number; readonly high: number; readonly slower: boolean };
  /** Cells that are slower than allowed, however many were looked at. */
  readonly above: readonly Place[];
  /** Cells that were measured slower than allowed, and may not be. */
  readonly undecided: readonly Place[];
  /** Whether the mean may lie on either side of the limit. */
  readonly meanUndecided: boolean;
  /** Smallest slowdown of all cells together that would have been found, percent. */
  readonly seesPercent: number;
}

/** Of two campaigns of the same speed so many are called slower at most, half of them for the mean, half for a single cell. */
const FALSE_ALARMS = 0.05;

/**
 * Whether anything got slower by more than a limit: the mean of all cells, or any of them by itself (Bonferroni: the share of each is
 * equal), by one-sided tests of the logarithms of ratios. Null where nothing tells how the times of some cell scatter.
 */
export function gateOf<Place>(all: readonly Compared<Place>[], limitPercent: number): Gate<Place> | null {
  const parts = all.flatMap(({ known }) => known ?? []);
  if (parts.length < all.length || all.length === 0) return null;
  const most = 1 + limitPercent / 100;
  const log = all.reduce((sum, each) => sum + each.log, 0) / all.length;
  const together = added(parts);
  const known = { ...together, variance: together.variance / all.length ** 2 };
  // A two-sided interval leaves half of what it leaves out below its lower end.
  const mean = ratioInterval(log, known, 1 - FALSE_ALARMS);
  const lowOf = (one: Compared<Place>): number =>
    one.known === null ? 0 : ratioInterval(one.log, one.known, 1 - FALSE_ALARMS / all.length).low;
  const above = all.filter((one) => lowOf(one) > most);
  const undecided = all.filter((one) => Math.exp(one.log) > most && !above.includes(one));
  return {
    limitPercent,
    mean: { value: Math.exp(log), ...mean, slower: mean.low > most },
    above: above.map(({ place }) => place),
    undecided: undecided.map(({ place }) => place),
    meanUndecided: mean.low <= most && mean.high > most,
    seesPercent: 100 * ((most * Math.exp(log)) / mean.low - 1),
  };
}

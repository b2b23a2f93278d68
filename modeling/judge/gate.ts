import { halfWidth, type Unsureness, unsurenessOfMean } from './ratio.ts';

/** A ratio of two times as a gate sees it; `known` is null where nothing tells how times scatter. */
interface Compared<Place> {
  readonly place: Place;
  readonly log: number;
  readonly known: Unsureness | null;
}

/** `slower`: by more than allowed, for sure; `allowed`: not, for sure; else `undecided`. */
type Verdict = 'slower' | 'undecided' | 'allowed';

/** What a gate says of one ratio. */
export interface Judged {
  readonly verdict: Verdict;
  /** The ratio, what it is at least where it is judged slower, and at most where it is judged allowed. */
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** Smallest slowdown that would be found nine times of ten, percent. */
  readonly seesPercent: number;
}

/** What is slower than allowed. */
export interface Gate<Place> {
  readonly limitPercent: number;
  /** All cells together: their geometric mean. */
  readonly mean: Judged;
  /** Each by itself, in the order in which they came. */
  readonly cells: readonly (Judged & { readonly place: Place })[];
}

/** Of two campaigns of the same speed so many are called slower at most: half of them for the mean, half for a cell. */
const FALSE_ALARMS = 0.05;
/** What is called allowed is slower so often at most. */
const MISSED = 0.05;
/** What it says that it sees it misses so often. */
const UNSEEN = 0.1;

/**
 * Whether anything got slower by more than a limit: the mean of all cells, or any of them by itself, by one-sided tests of logarithms
 * of ratios. Cells share their false alarms (Bonferroni). That nothing is slower takes all tests, so each has the full share there (an
 * intersection-union test: Berger, Technometrics 24, 1982). Null where nothing tells how the times of some cell scatter.
 */
export function judgeGate<Place>(all: readonly Compared<Place>[], limitPercent: number): Gate<Place> | null {
  const parts = all.flatMap(({ known }) => known ?? []);
  if (parts.length < all.length || all.length === 0) return null;
  const most = Math.log1p(limitPercent / 100);
  const log = all.reduce((sum, each) => sum + each.log, 0) / all.length;
  const half = FALSE_ALARMS / 2;
  return {
    limitPercent,
    mean: judge({ log, known: unsurenessOfMean(parts), most, falseAlarms: half }),
    cells: all.flatMap(({ place, log, known }) =>
      known ? [{ place, ...judge({ log, known, most, falseAlarms: half / all.length }) }] : [],
    ),
  };
}

interface Asked {
  readonly log: number;
  readonly known: Unsureness;
  readonly most: number;
  readonly falseAlarms: number;
}

function judge({ log, known, most, falseAlarms }: Asked): Judged {
  // A two-sided interval leaves out as much above it as below.
  const below = (share: number): number => halfWidth(known, 1 - 2 * share);
  const [low, high] = [log - below(falseAlarms), log + below(MISSED)];
  return {
    verdict: low > most ? 'slower' : high > most ? 'undecided' : 'allowed',
    ...{ value: Math.exp(log), low: Math.exp(low), high: Math.exp(high) },
    seesPercent: 100 * Math.expm1(most + below(falseAlarms) + below(UNSEEN)),
  };
}

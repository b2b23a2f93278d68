import { at, groupBy } from '../../base/lists.ts';
import { backward, cholesky, computeLogDeterminant, forward } from './cholesky.ts';
import { dot } from './gram.ts';

/** One visit of a cell: what it measured (`y`, ln of a typical time) and when (`t`, seconds). */
export interface TimedVisit {
  readonly cell: string;
  readonly t: number;
  readonly y: number;
}

/** How the machine's speed changed over visits. */
export interface Drift {
  /** ln of the slowness at each visit, mean 0; what to subtract from `y`. */
  readonly effects: Float64Array;
  /** Standard deviation of what is left unknown in an effect, mean over the visits (ln). */
  readonly unsure: number;
  /** Standard deviation (ln) of one visit around its cell and the drift, and its degrees of freedom. */
  readonly scatter: number;
  readonly freedom: number;
  /** Standard deviation (ln) of the speed of all this time around that of other times, if the same drift goes on; 0 where none is found. */
  readonly level: number;
}

/** Visits to one cell tell nothing about drift unless there are some cells visited several times. */
const FEWEST_FREE = 3;
/** At most so many moments are told apart. */
const MOMENTS = 80;
/** Variance of the drift over that of a visit, and how long it lasts as a share of the whole time: both unknown, both averaged over. */
const RATIOS = [0.1, 0.3, 1, 3, 10] as const;
const SPANS = [0.05, 0.15, 0.5, 1.5] as const;
/** What is believed beforehand: as likely as not there is none. */
const NONE = 0.5;
/** A drift is found where it is ten times as likely as none (Jeffreys, Theory of Probability, 1961, appendix B: strong). */
const FOUND = 10 / 11;

/**
 * Estimates a drift that all cells share from cells that were visited several times: y = cell + drift(t) + scatter, the drift
 * an Ornstein-Uhlenbeck process of unknown size and duration, cells unknown constants. Settings are averaged by their
 * restricted likelihood (Patterson and Thompson, Biometrika 58, 1971), with as much weight on no drift at all, so that
 * what is not there is not taken out. Null where too few cells were visited again.
 */
export function estimateDrift(visits: readonly TimedVisit[]): Drift | null {
  const freedom = visits.length - new Set(visits.map(({ cell }) => cell)).size;
  if (freedom < FEWEST_FREE) return null;
  const system = condense(visits);
  const { moments, momentOf } = system;
  const size = moments.length;
  const known = [
    unchanged(system, freedom),
    ...spansOf(moments).flatMap((seconds) => overSpan(system, freedom, seconds)),
  ];
  const most = Math.max(...known.map(({ logWeight }) => logWeight));
  const weights = known.map(({ logWeight }) => Math.exp(logWeight - most));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const mean = new Float64Array(size);
  known.forEach(({ mean: own }, option) => {
    for (let m = 0; m < size; m += 1) mean[m] = at(mean, m) + (at(weights, option) / total) * at(own, m);
  });
  const effects = Float64Array.from(visits, (_, visit) => at(mean, at(momentOf, visit)));
  const centre = effects.reduce((sum, value) => sum + value, 0) / visits.length;
  const unsure = known.reduce((sum, { mean: own, variance }, option) => {
    const spread = momentOf.reduce((all, m) => all + at(variance, m) + (at(own, m) - at(mean, m)) ** 2, 0);
    return sum + (at(weights, option) / total) * (spread / visits.length);
  }, 0);
  // Not what is left once the drift is taken out: the drift took some of the scatter along.
  const variance = known.reduce((sum, { form }, option) => sum + (at(weights, option) / total) * form, 0) / freedom;
  const drifting = known.reduce((sum, { isDrift }, option) => sum + (isDrift ? at(weights, option) / total : 0), 0);
  const level = known.reduce((sum, option, index) => sum + (at(weights, index) / total) * option.level, 0);
  return {
    level: drifting > FOUND ? Math.sqrt(level) : 0,
    effects: effects.map((value) => value - centre),
    unsure: Math.sqrt(unsure),
    scatter: Math.sqrt(Math.max(variance, 0)),
    freedom,
  };
}

interface System {
  /** Z'MZ, Z'My and y'My: M takes the means of cells out, Z says at which moment a visit was. */
  readonly gram: Float64Array;
  readonly pulled: Float64Array;
  readonly square: number;
  readonly moments: Float64Array;
  readonly momentOf: readonly number[];
  /** Of the visits, at each moment. */
  readonly shares: Float64Array;
}

function condense(visits: readonly TimedVisit[]): System {
  const order = [...visits.keys()].sort((a, b) => at(visits, a).t - at(visits, b).t);
  const size = Math.min(visits.length, MOMENTS);
  const momentOf: number[] = new Array(visits.length).fill(0);
  order.forEach((visit, place) => {
    momentOf[visit] = Math.floor((place * size) / visits.length);
  });
  const moments = new Float64Array(size);
  const counts = new Float64Array(size);
  visits.forEach(({ t }, visit) => {
    const m = at(momentOf, visit);
    moments[m] = at(moments, m) + t;
    counts[m] = at(counts, m) + 1;
  });
  for (let m = 0; m < size; m += 1) moments[m] = at(moments, m) / at(counts, m);
  const gram = new Float64Array(size * size);
  const pulled = new Float64Array(size);
  let square = 0;
  for (const own of groupBy([...visits.keys()], (visit) => at(visits, visit).cell)) {
    const mean = own.reduce((sum, visit) => sum + at(visits, visit).y, 0) / own.length;
    for (const visit of own) {
      const m = at(momentOf, visit);
      const deviation = at(visits, visit).y - mean;
      square += deviation ** 2;
      pulled[m] = at(pulled, m) + deviation;
      gram[m * size + m] = at(gram, m * size + m) + 1;
      for (const other of own) {
        const place = m * size + at(momentOf, other);
        gram[place] = at(gram, place) - 1 / own.length;
      }
    }
  }
  const shares = counts.map((count) => count / visits.length);
  return { gram, pulled, square, moments, momentOf, shares };
}

/** The drift under one setting, the scatter's sum of squares beside it (`form`) and the logarithm of its weight. */
interface Option {
  readonly mean: Float64Array;
  readonly variance: Float64Array;
  readonly form: number;
  readonly logWeight: number;
  readonly isDrift: boolean;
  /** Variance of its mean over the visits. */
  readonly level: number;
}

function unchanged({ moments, square }: System, freedom: number): Option {
  const none = new Float64Array(moments.length);
  const logWeight = Math.log(NONE) + likelihoodOf(square, { square, freedom, logDeterminant: 0 });
  return { mean: none, variance: none, form: square, logWeight, isDrift: false, level: 0 };
}

function spansOf(moments: Float64Array): number[] {
  const span = Math.max(at(moments, moments.length - 1) - at(moments, 0), 1e-9);
  return SPANS.map((share) => share * span);
}

function likelihoodOf(
  form: number,
  { square, freedom, logDeterminant }: Record<'square' | 'freedom' | 'logDeterminant', number>,
): number {
  return -0.5 * (freedom * Math.log(Math.max(form, 1e-12 * (1 + square))) + logDeterminant);
}

/** A drift that lasts so long, of every size. W = I + ratio L' gram L, of which L' gram L is the same for every size. */
function overSpan({ gram, pulled, square, moments, shares }: System, freedom: number, seconds: number): Option[] {
  const size = moments.length;
  // Inner loops index with `?? NaN`, see gram.ts; of symmetric matrices the lower half is enough.
  const kernel = new Float64Array(size * size);
  for (let a = 0; a < size; a += 1) {
    for (let b = 0; b <= a; b += 1) {
      kernel[a * size + b] = Math.exp(-Math.abs(at(moments, a) - at(moments, b)) / seconds) + (a === b ? 1e-9 : 0);
    }
  }
  const lower = cholesky(kernel, size);
  if (lower === null) return [];
  const whitened = between(lower, gram, size);
  const projected = Float64Array.from({ length: size }, (_, a) => {
    let value = 0;
    for (let k = a; k < size; k += 1) value += at(lower, k * size + a) * at(pulled, k);
    return value;
  });
  const share = (1 - NONE) / (RATIOS.length * SPANS.length);
  return RATIOS.flatMap((ratio): Option[] => {
    const inner = whitened.map((value, place) => ratio * value + (place % (size + 1) === 0 ? 1 : 0));
    const factor = cholesky(inner, size);
    if (factor === null) return [];
    // drift = ratio L W^-1 L' pulled; its variance: s^2 ratio L W^-1 L'.
    const solved = backward(factor, forward(factor, projected.slice()));
    const mean = Float64Array.from({ length: size }, (_, a) => {
      let value = 0;
      for (let k = 0; k <= a; k += 1) value += ratio * (lower[a * size + k] ?? NaN) * (solved[k] ?? NaN);
      return value;
    });
    const form = square - ratio * dot(projected, solved);
    // Covariance of a and b: the product of their rows. Against the mean of all visits, because a level of its own is the cells'.
    const rows = Array.from({ length: size }, (_, a) => forward(factor, lower.slice(a * size, (a + 1) * size)));
    const middle = new Float64Array(size);
    rows.forEach((row, a) => {
      for (let k = 0; k < size; k += 1) middle[k] = (middle[k] ?? NaN) + at(shares, a) * (row[k] ?? NaN);
    });
    const variance = Float64Array.from(rows, (row) => {
      let squares = 0;
      for (let k = 0; k < size; k += 1) squares += ((row[k] ?? NaN) - (middle[k] ?? NaN)) ** 2;
      return (ratio * squares * Math.max(form, 0)) / freedom;
    });
    const logDeterminant = computeLogDeterminant(factor, size);
    const logWeight = Math.log(share) + likelihoodOf(form, { square, freedom, logDeterminant });
    const level = (ratio * dot(middle, middle) * Math.max(form, 0)) / freedom;
    return [{ mean, variance, form, logWeight, isDrift: true, level }];
  });
}

/** L' G L of a lower triangular L and a symmetric G with few entries; the lower half of it. */
function between(lower: Float64Array, gram: Float64Array, size: number): Float64Array {
  const product = new Float64Array(size * size);
  const row = new Float64Array(size);
  for (let k = 0; k < size; k += 1) {
    row.fill(0);
    for (let m = 0; m < size; m += 1) {
      const value = gram[k * size + m] ?? NaN;
      if (value === 0) continue;
      for (let b = 0; b <= m; b += 1) row[b] = (row[b] ?? NaN) + value * (lower[m * size + b] ?? NaN);
    }
    for (let a = 0; a <= k; a += 1) {
      const value = lower[k * size + a] ?? NaN;
      for (let b = 0; b <= a; b += 1) product[a * size + b] = (product[a * size + b] ?? NaN) + value * (row[b] ?? NaN);
    }
  }
  return product;
}

import { at } from '../../base/at.ts';
import { backward, cholesky, forward, logDeterminantOf } from './cholesky.ts';

/** One visit of a cell: what it measured (`y`, ln of a typical time) and when (`t`, seconds). */
export interface Visit {
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

/**
 * Estimates a drift that all cells share from cells that were visited several times: y = cell + drift(t) + scatter, the drift
 * an Ornstein-Uhlenbeck process of unknown size and duration, cells unknown constants. Settings are averaged by their
 * restricted likelihood (Patterson and Thompson, Biometrika 58, 1971), with as much weight on no drift at all, so that
 * what is not there is not taken out. Null where too few cells were visited again.
 */
export function estimateDrift(visits: readonly Visit[]): Drift | null {
  const cells = [...new Set(visits.map(({ cell }) => cell))];
  const freedom = visits.length - cells.length;
  if (freedom < FEWEST_FREE) return null;
  const system = condense(visits, cells);
  const { moments, momentOf } = system;
  const size = moments.length;
  const options = [solveAs(system, freedom, null), ...settings(moments).map((one) => solveAs(system, freedom, one))];
  const known = options.filter((option) => option !== null);
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
  return {
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

function condense(visits: readonly Visit[], cells: readonly string[]): System {
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
  for (const cell of cells) {
    const own = [...visits.keys()].filter((visit) => at(visits, visit).cell === cell);
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

interface Setting {
  readonly ratio: number;
  readonly seconds: number;
}

function settings(moments: Float64Array): Setting[] {
  const span = Math.max(at(moments, moments.length - 1) - at(moments, 0), 1e-9);
  return RATIOS.flatMap((ratio) => SPANS.map((share) => ({ ratio, seconds: share * span })));
}

/** The drift under one setting (none: no drift), the scatter's sum of squares beside it (`form`) and the logarithm of its weight. */
function solveAs({ gram, pulled, square, moments, shares }: System, freedom: number, setting: Setting | null) {
  const size = moments.length;
  const tiny = 1e-12 * (1 + square);
  const likelihood = (quadraticForm: number, logDeterminant: number): number =>
    -0.5 * (freedom * Math.log(Math.max(quadraticForm, tiny)) + logDeterminant);
  if (setting === null) {
    const none = new Float64Array(size);
    return { mean: none, variance: none, form: square, logWeight: Math.log(NONE) + likelihood(square, 0) };
  }
  const { ratio, seconds } = setting;
  // Inner loops index with `?? 0`, see gram.ts; of symmetric matrices the lower half is enough.
  const kernel = new Float64Array(size * size);
  for (let a = 0; a < size; a += 1) {
    for (let b = 0; b <= a; b += 1) {
      kernel[a * size + b] = Math.exp(-Math.abs(at(moments, a) - at(moments, b)) / seconds) + (a === b ? 1e-9 : 0);
    }
  }
  const lower = cholesky(kernel, size);
  if (lower === null) return null;
  // W = I + ratio L' gram L; drift = ratio L W^-1 L' pulled; its variance: s^2 ratio L W^-1 L'.
  const half = timesLower(gram, lower, size);
  const inner = new Float64Array(size * size);
  for (let a = 0; a < size; a += 1) {
    for (let b = 0; b <= a; b += 1) {
      let value = a === b ? 1 : 0;
      for (let k = a; k < size; k += 1) value += ratio * (lower[k * size + a] ?? 0) * (half[k * size + b] ?? 0);
      inner[a * size + b] = value;
    }
  }
  const factor = cholesky(inner, size);
  if (factor === null) return null;
  const projected = Float64Array.from({ length: size }, (_, a) => {
    let value = 0;
    for (let k = a; k < size; k += 1) value += at(lower, k * size + a) * at(pulled, k);
    return value;
  });
  const solved = backward(factor, forward(factor, projected.slice()));
  const mean = Float64Array.from({ length: size }, (_, a) => {
    let value = 0;
    for (let k = 0; k <= a; k += 1) value += ratio * at(lower, a * size + k) * at(solved, k);
    return value;
  });
  const form = square - ratio * dot(projected, solved);
  // Covariance of a and b: the product of their rows. Against the mean of all visits, because a level of its own is the cells'.
  const rows = Array.from({ length: size }, (_, a) => forward(factor, lower.slice(a * size, (a + 1) * size)));
  const middle = Float64Array.from({ length: size }, (_, k) =>
    rows.reduce((sum, row, a) => sum + at(shares, a) * at(row, k), 0),
  );
  const variance = Float64Array.from({ length: size }, (_, a) => {
    const row = at(rows, a).map((value, k) => value - at(middle, k));
    return (ratio * dot(row, row) * Math.max(form, 0)) / freedom;
  });
  const share = (1 - NONE) / (RATIOS.length * SPANS.length);
  return { mean, variance, form, logWeight: Math.log(share) + likelihood(form, logDeterminantOf(factor, size)) };
}

/** A matrix times a lower triangular one. */
function timesLower(matrix: Float64Array, lower: Float64Array, size: number): Float64Array {
  const product = new Float64Array(size * size);
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column < size; column += 1) {
      let value = 0;
      for (let k = column; k < size; k += 1) value += (matrix[row * size + k] ?? 0) * (lower[k * size + column] ?? 0);
      product[row * size + column] = value;
    }
  }
  return product;
}

function dot(a: Float64Array, b: Float64Array): number {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
}

import { at } from '../../base/lists.ts';
import type { Cells } from '../fit/collapse.ts';
import type { Solved } from '../fit/fit.ts';
import { dot } from '../fit/gram.ts';

/**
 * How far cell means lie from a fitted curve, and why. Repetitions tell how well a cell's own mean is known; they say
 * nothing about whether the cell as a whole (its day, its hosts, a curve of another shape) lies on the curve. So the
 * variance of a cell mean has two levels: within / repetitions + between² · CT².
 */
export interface Noise {
  /** Relative standard deviation of one repetition around its cell's mean; null with one repetition per cell. */
  readonly repetition: number | null;
  /** Relative standard deviation of whole cells around the curve beyond what repetitions explain; 0 if there is no sign of it. */
  readonly between: number;
  /** Degrees of freedom behind `between`: cells minus unknowns. */
  readonly freedom: number;
  /** Degrees of freedom behind `repetition`. */
  readonly withinFreedom: number;
  /** The lack-of-fit test as a normal score: above 1.64 at the 5 % level; null where it cannot be made. */
  readonly lackOfFit: number | null;
  /** Variance of each cell's mean from its repetitions alone, s². */
  readonly within: Float64Array;
}

/** The 5 % level of the lack-of-fit test: below it whole cells are taken to lie on the curve. */
const SIGN = 1.6449;
/** A cell's own variance counts as if this many of its repetitions had the campaign's common one. */
const PRIOR = 10;

export function estimateNoise(solved: Solved): Noise {
  const known = estimated.get(solved);
  if (known !== undefined) return known;
  const noise = noiseOf(solved);
  estimated.set(solved, noise);
  return noise;
}

/** Fits are never changed, and every criterion asks. */
const estimated = new WeakMap<Solved, Noise>();

function noiseOf(solved: Solved): Noise {
  const { cells, design, u, coefficients } = solved;
  const predicted = design.predict(u, coefficients);
  const { variance: within, repetition, withinFreedom } = repetitionNoise(cells);
  const curve = orthonormal(solved.directions, design.weights);
  const freedom = cells.length - curve.length;
  const common = { repetition, freedom, withinFreedom, within };
  if (freedom <= 0) return { ...common, between: 0, lackOfFit: null };

  const squares = predicted.map((value) => value ** 2);
  const unit = repetition === null ? squares : within;
  let seen = 0;
  for (let cell = 0; cell < cells.length; cell += 1) {
    seen += (at(cells.mean, cell) - at(predicted, cell)) ** 2 / at(unit, cell);
  }
  const expected = (variance: Float64Array): number => expectedSquares(curve, design.weights, { variance, unit });
  if (repetition === null) return { ...common, between: Math.sqrt(seen / expected(squares)), lackOfFit: null };
  const fromRepetitions = expected(within);
  const lackOfFit = fScore(seen / fromRepetitions, freedom, withinFreedom);
  const between = lackOfFit > SIGN ? Math.sqrt((seen - fromRepetitions) / expected(squares)) : 0;
  return { ...common, between, lackOfFit };
}

/** Variance of each cell mean by its repetitions, drawn towards the common relative one where they are few. */
export function repetitionNoise(cells: Cells): {
  readonly variance: Float64Array;
  readonly repetition: number | null;
  readonly withinFreedom: number;
} {
  let [squares, withinFreedom] = [0, 0];
  for (let cell = 0; cell < cells.length; cell += 1) {
    squares += at(cells.m2, cell) / at(cells.mean, cell) ** 2;
    withinFreedom += at(cells.count, cell) - 1;
  }
  if (withinFreedom === 0) return { variance: new Float64Array(cells.length), repetition: null, withinFreedom };
  // Equal repetitions (to rounding) still have a clock behind them: a variance of exactly 0 would divide by it.
  const common = Math.max(squares / withinFreedom, 1e-18);
  const variance = cells.mean.map((mean, cell) => {
    const [count, m2] = [at(cells.count, cell), at(cells.m2, cell)];
    return (m2 + PRIOR * common * mean ** 2) / (count - 1 + PRIOR) / count;
  });
  return { variance, repetition: Math.sqrt(common), withinFreedom };
}

/** An orthonormal basis of the columns' span under the weights (modified Gram-Schmidt); dependent columns add nothing. */
export function orthonormal(columns: readonly Float64Array[], weights: Float64Array): Float64Array[] {
  const basis: Float64Array[] = [];
  for (const column of columns) {
    const rest = column.slice();
    for (const direction of basis) {
      const along = dot(rest, direction, weights);
      for (let cell = 0; cell < rest.length; cell += 1) rest[cell] = at(rest, cell) - along * at(direction, cell);
    }
    const norm = Math.sqrt(dot(rest, rest, weights));
    if (norm > 1e-9 * Math.sqrt(dot(column, column, weights))) basis.push(rest.map((value) => value / norm));
  }
  return basis;
}

/** Expected sum of residual² / unit when cell means have these variances: the residuals are (I - H) times the errors. */
function expectedSquares(
  curve: readonly Float64Array[],
  weights: Float64Array,
  { variance, unit }: { variance: Float64Array; unit: Float64Array },
): number {
  // The diagonal of (I - H) V (I - H)' for H = D D' W, as v (1 - 2 h) + d' (D' W V W D) d: linear in the number of cells.
  const inner = weights.map((weight, cell) => weight ** 2 * at(variance, cell));
  const products = curve.map((one) => curve.map((other) => dot(one, other, inner)));
  return unit.reduce((sum, scale, cell) => {
    const direction = curve.map((one) => at(one, cell));
    const quadratic = (row: readonly number[]): number =>
      row.reduce((total, product, index) => total + product * at(direction, index), 0);
    const leverage = quadratic(direction) * at(weights, cell);
    const moved = quadratic(products.map(quadratic));
    return sum + (at(variance, cell) * (1 - 2 * leverage) + moved) / scale;
  }, 0);
}

/** A ratio of variances as a standard normal score (Paulson 1942, after Wilson and Hilferty). */
export function fScore(ratio: number, above: number, below: number): number {
  const [a, b] = [2 / (9 * above), 2 / (9 * below)];
  const root = Math.cbrt(Math.max(ratio, 0));
  return ((1 - b) * root - (1 - a)) / Math.sqrt(b * root ** 2 + a);
}

/**
 * Schwarz's criterion, with the noise taken as known: squared errors over the variance of their cell mean, plus unknowns
 * times ln(evidence). The scatter of whole cells is that of the form that leaves the least; where there is any, the
 * pieces of evidence are cells, else rows.
 */
export function createCriterion(solved: readonly Solved[]): (one: Solved) => number {
  const noises = solved.map(estimateNoise);
  const most = Math.max(...noises.map(({ freedom }) => freedom));
  const reliable = noises.filter(({ freedom }) => freedom > 0 && freedom >= most / 2);
  const between = Math.min(...reliable.map((noise) => noise.between), Number.POSITIVE_INFINITY);
  const scatter = Number.isFinite(between) ? between : 0;
  return (one) => {
    const { cells, design, u, coefficients, fit } = one;
    const { within } = estimateNoise(one);
    const predicted = design.predict(u, coefficients);
    let squares = 0;
    for (let cell = 0; cell < cells.length; cell += 1) {
      const mean = at(cells.mean, cell);
      const variance = at(within, cell) + (Math.max(scatter, 1e-9) * mean) ** 2;
      squares += (mean - at(predicted, cell)) ** 2 / variance;
    }
    const unknowns = fit.form.terms.length + (fit.alpha === null ? 0 : 1) + (fit.form.searched ?? 0);
    return squares + unknowns * Math.log(scatter > 0 ? cells.length : fit.rows);
  };
}

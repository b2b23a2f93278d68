// How single cells and whole curves stray from a form: covariance K of ln CT = scatter of cells + bends (forms/bend.ts), by
// Woodbury's identity in as many dimensions as there are bins. Inner loops index with `?? NaN`, see fit/gram.ts.

import { ascending, at, last } from '../../base/lists.ts';
import { backward, cholesky, computeLogDeterminant, forward } from '../fit/cholesky.ts';
import type { Cells } from '../fit/collapse.ts';
import { dot } from '../fit/gram.ts';
import {
  BENT,
  type Bend,
  type BentAxis,
  binShape,
  type Course,
  integratePath,
  type Path,
  positionOn,
} from '../forms/bend.ts';
import { distinct, settingAt } from '../rows.ts';
import type { Random } from './distributions.ts';

/** Sizes of both, as standard deviations of ln CT: of a cell, and of a curve a factor e beyond where it was known, times sqrt(3). */
export interface Strays {
  readonly cell: number;
  readonly bend: Readonly<Record<BentAxis, number>>;
  /** Of all cells of a node count together; 0 where that is not told from a bend. */
  readonly offset: number;
  readonly beyond: Beyond;
}

/**
 * The bend beyond the largest node count, which the measured one does not tell: log-normal, and its expected curvature (of ln CT over
 * ln nodes) in these bends, since overheads show late.
 */
export interface Beyond {
  readonly median: number;
  readonly sd: number;
  readonly upward: number;
}

/** Knots of one axis: those between measured values, and others far beyond on both sides, where a bend is only guessed. */
export interface AxisKnots {
  readonly axis: BentAxis;
  readonly origin: number;
  readonly knots: readonly number[];
  /** Places of the bins between measured values: they follow each other. */
  readonly seen: readonly number[];
}

const MOST_LEVELS = 5;
/** Doublings beyond the measured values in which a bend is drawn: further out a curve goes on straight. */
const BEYOND = { nodes: 12, slowdown: 5, scale: 10, threads: 7 } as const;

export function axesOf(cells: Cells): AxisKnots[] {
  return BENT.flatMap((axis) => {
    const places = Array.from({ length: cells.length }, (_, cell) => positionOn(axis, settingAt(cells, cell)));
    const levels = few(ascending(places));
    if (levels.length < 2) return [];
    const [low, high] = [at(levels, 0), last(levels)];
    const doublings = Array.from({ length: BEYOND[axis] }, (_, index) => (index + 1) * Math.LN2);
    const below = doublings.map((one) => low - one).reverse();
    return [
      {
        axis,
        origin: low,
        knots: [...below, ...levels, ...doublings.map((one) => high + one)],
        seen: levels.slice(1).map((_, index) => below.length + index),
      },
    ];
  });
}

function few(levels: readonly number[]): number[] {
  if (levels.length <= MOST_LEVELS) return [...levels];
  return Array.from({ length: MOST_LEVELS }, (_, index) =>
    at(levels, Math.round((index * (levels.length - 1)) / (MOST_LEVELS - 1))),
  );
}

/** Standard deviation of a path's slope at its origin, in bends. */
const SLOPE = { nodes: 0.05, slowdown: 2, scale: 2, threads: 2 } as const;

/** How a standard normal number changes each cell's ln CT, where a bend over the axis has the size 1. */
interface BendColumn {
  readonly axis: BentAxis;
  readonly column: Float64Array;
}

/** One column for each slope and seen bin; `sensitivity`: d ln CT / d ln(100/bw). */
export function bendColumns(axes: readonly AxisKnots[], cells: Cells, sensitivity: Float64Array): BendColumn[] {
  return axes.flatMap(({ axis, origin, knots, seen }) => {
    const column = (shape: (position: number) => number): Float64Array =>
      Float64Array.from({ length: cells.length }, (_, cell) => {
        const factor = axis === 'slowdown' ? at(sensitivity, cell) : 1;
        return factor * shape(positionOn(axis, settingAt(cells, cell)));
      });
    return [
      column((position) => SLOPE[axis] * (position - origin)),
      ...seen.map((bin) => {
        const [from, to] = [at(knots, bin), at(knots, bin + 1)];
        return column((position) => binShape({ from, to, origin }, position) / Math.sqrt(to - from));
      }),
    ].map((own) => ({ axis, column: own }));
  });
}

/** Per node count what all of its cells have in common: how well so many hosts use their links, which hosts, that hour. */
function offsetColumns(cells: Cells, offset: number): Float64Array[] {
  if (offset === 0) return [];
  return distinct(cells, 'nodes').map((count) => cells.nodes.map((nodes) => (nodes === count ? offset : 0)));
}

/** K, ready for products with its inverse. */
export interface Covariance {
  /** ln det K. */
  readonly logDeterminant: number;
  /** How many numbers a whitened vector has. */
  readonly length: number;
  /** A vector as the inverse sees it, for `between`. */
  readonly whiten: (vector: Float64Array, into: Float64Array) => void;
  /** a' K^-1 b of whitened vectors. */
  readonly between: (a: Float64Array, b: Float64Array) => number;
  /** r' K^-1 r. */
  readonly square: (residuals: Float64Array) => number;
  /** Standard normal numbers behind the seen bins, drawn as the residuals (ln) leave them. */
  readonly drawBins: (residuals: Float64Array, random: Random) => Float64Array;
}

/** Of cells whose ln CT has these variances by its repetitions. */
export function computeCovariance(
  cells: Cells,
  { variance, columns }: { readonly variance: Float64Array; readonly columns: readonly BendColumn[] },
  { cell: scatter, bend, offset }: Pick<Strays, 'cell' | 'bend' | 'offset'>,
): Covariance {
  const count = cells.length;
  const root = variance.map((own) => 1 / Math.sqrt(own + scatter ** 2));
  const scaled = [
    ...columns.map(({ axis, column }) => scaledBy(root, column, bend[axis])),
    ...offsetColumns(cells, offset).map((column) => scaledBy(root, column, 1)),
  ];
  const size = scaled.length;
  const matrix = new Float64Array(size * size);
  for (let a = 0; a < size; a += 1) {
    for (let b = 0; b <= a; b += 1) {
      matrix[a * size + b] = (a === b ? 1 : 0) + dot(at(scaled, a), at(scaled, b));
    }
  }
  const lower = cholesky(matrix, size);
  if (!lower) throw new Error('a covariance that is not positive definite');
  const logDeterminant = computeLogDeterminant(lower, size) - 2 * root.reduce((sum, value) => sum + Math.log(value), 0);
  const inner = innerRows(lower, scaled, root);

  /** The inner product of one row of the inverse's correction with a vector. */
  const along = (row: number, vector: Float64Array): number => {
    const from = row * count;
    let sum = 0;
    for (let cell = 0; cell < count; cell += 1) sum += (inner[from + cell] ?? NaN) * (vector[cell] ?? NaN);
    return sum;
  };
  const square = (residuals: Float64Array): number => {
    let sum = 0;
    for (let cell = 0; cell < count; cell += 1) sum += ((residuals[cell] ?? NaN) * (root[cell] ?? NaN)) ** 2;
    for (let row = 0; row < size; row += 1) sum -= along(row, residuals) ** 2;
    return sum;
  };
  return {
    logDeterminant,
    length: count + size,
    whiten: (vector, into) => {
      for (let cell = 0; cell < count; cell += 1) into[cell] = (vector[cell] ?? NaN) * (root[cell] ?? NaN);
      for (let row = 0; row < size; row += 1) into[count + row] = along(row, vector);
    },
    between: (a, b) => {
      let sum = 0;
      for (let cell = 0; cell < count; cell += 1) sum += (a[cell] ?? NaN) * (b[cell] ?? NaN);
      for (let row = count; row < count + size; row += 1) sum -= (a[row] ?? NaN) * (b[row] ?? NaN);
      return sum;
    },
    square,
    drawBins: (residuals, random) => {
      const bins = new Float64Array(size);
      for (let row = 0; row < size; row += 1) bins[row] = along(row, residuals) + random.normal();
      return backward(lower, bins);
    },
  };
}

function scaledBy(root: Float64Array, column: Float64Array, factor: number): Float64Array {
  return root.map((value, cell) => value * factor * (column[cell] ?? NaN));
}

/** L^-1 S' R, row by row: what Woodbury's correction sees of a vector. */
function innerRows(lower: Float64Array, scaled: readonly Float64Array[], root: Float64Array): Float64Array {
  const [size, count] = [scaled.length, root.length];
  const rows = new Float64Array(size * count);
  const one = new Float64Array(size);
  for (let cell = 0; cell < count; cell += 1) {
    for (let row = 0; row < size; row += 1) one[row] = (scaled[row]?.[cell] ?? NaN) * (root[cell] ?? NaN);
    forward(lower, one);
    for (let row = 0; row < size; row += 1) rows[row * count + cell] = one[row] ?? NaN;
  }
  return rows;
}

/** A bend of this size: seen bins as given, the others drawn from what is known beforehand. */
export function bendOf(
  axes: readonly AxisKnots[],
  seen: Float64Array,
  strays: Pick<Strays, 'bend' | 'beyond'>,
  random: Random,
): Bend {
  let used = 0;
  const bend: { -readonly [A in BentAxis]?: Path } = {};
  const { median, sd, upward } = strays.beyond;
  const beyond = median * Math.exp(sd * random.normal());
  for (const { axis, origin, knots, seen: bins } of axes) {
    const size = strays.bend[axis];
    const slope = (seen[used++] ?? NaN) * SLOPE[axis] * size;
    const [low, high] = [at(bins, 0), last(bins)];
    const curvature = knots.slice(1);
    for (let bin = 0; bin < curvature.length; bin += 1) {
      const own = bin >= low && bin <= high ? (seen[used++] ?? NaN) : random.normal();
      const width = Math.sqrt((knots[bin + 1] ?? NaN) - (knots[bin] ?? NaN));
      const isBeyond = axis === 'nodes' && bin > high;
      curvature[bin] = isBeyond ? beyond * (upward + own / width) : (own * size) / width;
    }
    const first = axis === 'slowdown' ? Math.max(slope, LEAST_SLOPE) : slope;
    if (axis === 'slowdown') stopTurning(curvature, { origin, slope: first, knots });
    bend[axis] = integratePath({ origin, slope: first, knots, curvature });
  }
  return bend;
}

/** A slope below -1 would make a slower link quicker than a faster one. */
const LEAST_SLOPE = -0.95;

/** Curvatures that lead to a smaller slope than the least, to either side of the origin, stop at it. */
function stopTurning(curvature: number[], { origin, slope: first, knots }: Omit<Course, 'curvature'>): void {
  const start = knots.findIndex((knot) => knot >= origin - 1e-12);
  for (const sign of [1, -1]) {
    let slope = first;
    for (let bin = sign === 1 ? start : start - 1; bin >= 0 && bin < curvature.length; bin += sign) {
      const width = (knots[bin + 1] ?? NaN) - (knots[bin] ?? NaN);
      const step = Math.max((curvature[bin] ?? NaN) * width * sign, LEAST_SLOPE - slope);
      curvature[bin] = (step / width) * sign;
      slope += step;
    }
  }
}

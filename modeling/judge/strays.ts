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
  /** Places of the bins between measured values. */
  readonly seen: readonly number[];
}

const MOST_LEVELS = 5;
/** Doublings beyond the measured values in which a bend is drawn: further out a curve goes on straight. */
const BEYOND = { nodes: 12, slowdown: 5, scale: 10 } as const;

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
const SLOPE = { nodes: 0.05, slowdown: 2, scale: 2 } as const;

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
  /** Rows of a vector as the inverse sees it: a' K^-1 b = dot of both. */
  readonly whiten: (vector: Float64Array) => Whitened;
  /** r' K^-1 r. */
  readonly square: (residuals: Float64Array) => number;
  /** Standard normal numbers behind the seen bins, drawn as the residuals (ln) leave them. */
  readonly drawBins: (residuals: Float64Array, random: Random) => Float64Array;
}

interface Whitened {
  readonly scaled: Float64Array;
  readonly inner: Float64Array;
}

/** Of cells whose ln CT has these variances by its repetitions. */
export function computeCovariance(
  cells: Cells,
  { variance, columns }: { readonly variance: Float64Array; readonly columns: readonly BendColumn[] },
  { cell, bend, offset }: Strays,
): Covariance {
  const root = variance.map((own) => 1 / Math.sqrt(own + cell ** 2));
  const scaled = [
    ...columns.map(({ axis, column }) => column.map((value, index) => value * bend[axis] * (root[index] ?? NaN))),
    ...offsetColumns(cells, offset).map((column) => column.map((value, index) => value * (root[index] ?? NaN))),
  ];
  const size = scaled.length;
  const matrix = new Float64Array(size * size);
  for (const [a, left] of scaled.entries()) {
    for (const [b, right] of scaled.entries()) matrix[a * size + b] = (a === b ? 1 : 0) + dot(left, right);
  }
  const lower = cholesky(matrix, size);
  if (!lower) throw new Error('a covariance that is not positive definite');
  const logDeterminant = computeLogDeterminant(lower, size) - 2 * root.reduce((sum, value) => sum + Math.log(value), 0);

  const whiten = (vector: Float64Array): Whitened => {
    const own = vector.map((value, index) => value * (root[index] ?? NaN));
    const inner = Float64Array.from(scaled, (column) => dot(column, own));
    return { scaled: own, inner: forward(lower, inner) };
  };
  const inner = new Float64Array(size);
  const square = (residuals: Float64Array): number => {
    let sum = 0;
    for (let cell = 0; cell < residuals.length; cell += 1) sum += ((residuals[cell] ?? NaN) * (root[cell] ?? NaN)) ** 2;
    for (let a = 0; a < size; a += 1) {
      const column = scaled[a];
      let value = 0;
      for (let cell = 0; cell < residuals.length; cell += 1) {
        value += (column?.[cell] ?? NaN) * (residuals[cell] ?? NaN) * (root[cell] ?? NaN);
      }
      inner[a] = value;
    }
    return sum - dot(forward(lower, inner), inner);
  };
  return {
    logDeterminant,
    whiten,
    square,
    drawBins: (residuals, random) =>
      backward(
        lower,
        whiten(residuals).inner.map((value) => value + random.normal()),
      ),
  };
}

/** a' K^-1 b. */
export function between(a: Whitened, b: Whitened): number {
  return dot(a.scaled, b.scaled) - dot(a.inner, b.inner);
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
    const numbers = new Map(bins.map((bin) => [bin, seen[used++] ?? NaN]));
    const curvature = knots.slice(1).map((knot, bin) => {
      const own = numbers.get(bin) ?? random.normal();
      const width = Math.sqrt(knot - at(knots, bin));
      if (axis === 'nodes' && bin > last(bins)) return beyond * (upward + own / width);
      return (own * size) / width;
    });
    const course = { origin, slope, knots, curvature };
    bend[axis] = integratePath(axis === 'slowdown' ? neverTurning(course) : course);
  }
  return bend;
}

/** A slope below -1 would make a slower link quicker than a faster one: curvatures that lead there stop at it. */
function neverTurning({ origin, slope: initial, knots, curvature }: Course): Course {
  const kept = [...curvature];
  const first = Math.max(initial, -0.95);
  const start = knots.findIndex((knot) => knot >= origin - 1e-12);
  for (const [bins, sign] of [
    [[...kept.keys()].filter((bin) => bin >= start), 1],
    [[...kept.keys()].filter((bin) => bin < start).reverse(), -1],
  ] as const) {
    let slope = first;
    for (const bin of bins) {
      const width = at(knots, bin + 1) - at(knots, bin);
      const step = Math.max(at(kept, bin) * width * sign, -0.95 - slope);
      kept[bin] = (step / width) * sign;
      slope += step;
    }
  }
  return { origin, slope: first, knots, curvature: kept };
}

// Lawson and Hanson, Solving Least Squares Problems (1974), chapter 23, on the normal equations.
// Inner loops index with `?? NaN`, see gram.ts.
import { dot, type LeastSquares, residuals, type ScaledGram, scaledGram, solveChosen } from './gram.ts';

/** A gradient below this, with columns and y at norm 1, is rounding. */
const TOLERANCE = 1e-13;

/**
 * Coefficients c >= 0, one per column, that minimise sum of weight (y - sum of c column)².
 * Of linearly dependent columns it takes the first that helps most; a column of zeros gets 0.
 */
export function nnls(problem: LeastSquares): Float64Array {
  const scaled = scaledGram(problem);
  const { norms, yNorm } = scaled;
  const solution = solveScaled(scaled).map((value, index) => (value > 0 ? (value * yNorm) / (norms[index] ?? NaN) : 0));
  return refine(problem, scaled, solution);
}

/** One step on the residual wins back the digits that squaring the columns into a Gram matrix costs. */
function refine(
  { columns, y, weights }: LeastSquares,
  { gram, norms }: ScaledGram,
  solution: Float64Array,
): Float64Array {
  const used = columns.map((_, index) => index).filter((index) => (solution[index] ?? NaN) > 0);
  const rest = residuals({ columns, y }, solution);
  const rhs = Float64Array.from(columns, (column, index) =>
    (solution[index] ?? NaN) > 0 ? dot(column, rest, weights) / (norms[index] ?? NaN) : 0,
  );
  const step = solveChosen({ gram, rhs }, used);
  const refined = solution.slice();
  for (const [place, index] of used.entries()) {
    refined[index] = (solution[index] ?? 0) + (step?.[place] ?? 0) / (norms[index] ?? 0);
  }
  return refined.every((value) => value >= 0) ? refined : solution;
}

function solveScaled(scaled: ScaledGram): Float64Array {
  const size = scaled.rhs.length;
  const x = new Float64Array(size);
  let passive: number[] = [];
  // Columns that cannot enter as things stand: dependent on the passive ones, or entering by rounding only.
  const refused = new Set<number>();
  // The error falls with each column that enters, so no passive set comes twice; the bound is for rounding's sake.
  for (let round = 0; round < 100 * (size + 1); round += 1) {
    const entering = steepest(scaled, x, (index) => passive.includes(index) || refused.has(index));
    if (entering === null) break;
    const candidate = [...passive, entering];
    const first = solveChosen(scaled, candidate);
    if (!first || !((first[passive.length] ?? NaN) > 0)) {
      refused.add(entering);
      continue;
    }
    refused.clear();
    passive = settle(scaled, x, candidate, first);
  }
  return x;
}

/** Moves x to the solution on the passive columns, dropping those that would turn negative on the way. */
function settle(scaled: ScaledGram, x: Float64Array, candidate: number[], first: Float64Array): number[] {
  let passive = candidate;
  let target: Float64Array | null = first;
  while (target && passive.length > 0) {
    const goal: Float64Array = target;
    let step = 1;
    let leaving = -1;
    for (const [place, index] of passive.entries()) {
      const from = x[index] ?? NaN;
      const to = goal[place] ?? NaN;
      if (to <= 0 && from / (from - to) < step) {
        step = from / (from - to);
        leaving = index;
      } else if (to <= 0 && leaving < 0) {
        leaving = index;
      }
    }
    for (const [place, index] of passive.entries()) {
      const from = x[index] ?? NaN;
      x[index] = leaving < 0 ? (goal[place] ?? NaN) : Math.max(0, from + step * ((goal[place] ?? NaN) - from));
    }
    if (leaving < 0) break;
    x[leaving] = 0;
    passive = passive.filter((index) => index !== leaving);
    target = solveChosen(scaled, passive);
  }
  return passive;
}

/** The column along which the error falls fastest; null when it falls along none (the KKT conditions hold). */
function steepest({ gram, rhs }: ScaledGram, x: Float64Array, skip: (index: number) => boolean): number | null {
  const size = rhs.length;
  let best: number | null = null;
  let largest = TOLERANCE;
  for (let row = 0; row < size; row += 1) {
    if (skip(row)) continue;
    let gradient = rhs[row] ?? NaN;
    for (let column = 0; column < size; column += 1)
      gradient -= (gram[row * size + column] ?? NaN) * (x[column] ?? NaN);
    if (gradient > largest) {
      largest = gradient;
      best = row;
    }
  }
  return best;
}

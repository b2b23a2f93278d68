// Inner loops index with `?? NaN`: with at() a comparison of all forms takes twice as long, a bootstrap of Eq 7 three times.
import { backward, cholesky, forward } from './cholesky.ts';

/** Weighted least squares: columns and y of equal length, weights (default 1) above 0. */
export interface LeastSquares {
  readonly columns: readonly Float64Array[];
  readonly y: Float64Array;
  readonly weights?: Float64Array;
}

/** The normal equations with every column and y at norm 1, so that one tolerance serves all units. */
export interface ScaledGram {
  /** Row-major k x k, ones on the diagonal (0 for a column of zeros). */
  readonly gram: Float64Array;
  readonly rhs: Float64Array;
  readonly norms: Float64Array;
  readonly yNorm: number;
}

/** A pivot below this, in a Gram matrix with ones on its diagonal, is rounding: the column adds no direction. */
const SMALLEST_PIVOT = 1e-12;

export function scaledGram({ columns, y, weights }: LeastSquares): ScaledGram {
  const size = columns.length;
  const norms = Float64Array.from(columns, (column) => Math.sqrt(dot(column, column, weights)));
  const yNorm = Math.sqrt(dot(y, y, weights));
  const gram = new Float64Array(size * size);
  const rhs = new Float64Array(size);
  for (const [a, left] of columns.entries()) {
    const norm = norms[a] ?? NaN;
    if (norm === 0) continue;
    gram[a * size + a] = 1;
    if (yNorm > 0) rhs[a] = dot(left, y, weights) / norm / yNorm;
    for (let b = 0; b < a; b += 1) {
      const [right, other] = [columns[b], norms[b] ?? NaN];
      if (!right || other === 0) continue;
      gram[a * size + b] = dot(left, right, weights) / norm / other;
      gram[b * size + a] = gram[a * size + b] ?? NaN;
    }
  }
  return { gram, rhs, norms, yNorm };
}

/** Solves the normal equations restricted to `chosen` by Cholesky; null when those columns are linearly dependent. */
export function solveChosen(
  { gram, rhs }: Pick<ScaledGram, 'gram' | 'rhs'>,
  chosen: readonly number[],
): Float64Array | null {
  const size = rhs.length;
  const matrix = new Float64Array(chosen.length ** 2);
  for (const [row, a] of chosen.entries()) {
    for (const [column, b] of chosen.entries()) matrix[row * chosen.length + column] = gram[a * size + b] ?? NaN;
  }
  const lower = cholesky(matrix, chosen.length, SMALLEST_PIVOT);
  if (!lower) return null;
  const wanted = Float64Array.from(chosen, (a) => rhs[a] ?? NaN);
  return backward(lower, forward(lower, wanted));
}

/** Sum of weight a b. */
export function dot(a: Float64Array, b: Float64Array, weights?: Float64Array): number {
  let sum = 0;
  if (weights) {
    for (let row = 0; row < a.length; row += 1) sum += (weights[row] ?? NaN) * (a[row] ?? NaN) * (b[row] ?? NaN);
  } else {
    for (let row = 0; row < a.length; row += 1) sum += (a[row] ?? NaN) * (b[row] ?? NaN);
  }
  return sum;
}

/** y minus the columns' weighted sum. */
export function residuals({ columns, y }: LeastSquares, coefficients: Float64Array): Float64Array {
  const rest = y.slice();
  for (const [index, column] of columns.entries()) {
    const coefficient = coefficients[index] ?? NaN;
    for (let row = 0; row < rest.length; row += 1) rest[row] = (rest[row] ?? NaN) - coefficient * (column[row] ?? NaN);
  }
  return rest;
}

// Inner loops index with `?? 0`: with at() a comparison of all forms takes twice as long, a bootstrap of Eq 7 three times.
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
    const norm = norms[a] ?? 0;
    if (norm === 0) continue;
    gram[a * size + a] = 1;
    if (yNorm > 0) rhs[a] = dot(left, y, weights) / norm / yNorm;
    for (let b = 0; b < a; b += 1) {
      const [right, other] = [columns[b], norms[b] ?? 0];
      if (!right || other === 0) continue;
      gram[a * size + b] = dot(left, right, weights) / norm / other;
      gram[b * size + a] = gram[a * size + b] ?? 0;
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
  const count = chosen.length;
  const lower = new Float64Array(count * count);
  const solution = new Float64Array(count);
  for (const [row, a] of chosen.entries()) {
    for (let column = 0; column <= row; column += 1) {
      let value = gram[a * size + (chosen[column] ?? 0)] ?? 0;
      for (let k = 0; k < column; k += 1) value -= (lower[row * count + k] ?? 0) * (lower[column * count + k] ?? 0);
      if (row === column && !(value > SMALLEST_PIVOT)) return null;
      lower[row * count + column] = row === column ? Math.sqrt(value) : value / (lower[column * count + column] ?? 1);
    }
    let value = rhs[a] ?? 0;
    for (let k = 0; k < row; k += 1) value -= (lower[row * count + k] ?? 0) * (solution[k] ?? 0);
    solution[row] = value / (lower[row * count + row] ?? 1);
  }
  for (let row = count - 1; row >= 0; row -= 1) {
    let value = solution[row] ?? 0;
    for (let k = row + 1; k < count; k += 1) value -= (lower[k * count + row] ?? 0) * (solution[k] ?? 0);
    solution[row] = value / (lower[row * count + row] ?? 1);
  }
  return solution;
}

/** Sum of weight a b. */
export function dot(a: Float64Array, b: Float64Array, weights: Float64Array | undefined): number {
  let sum = 0;
  if (weights) {
    for (let row = 0; row < a.length; row += 1) sum += (weights[row] ?? 0) * (a[row] ?? 0) * (b[row] ?? 0);
  } else {
    for (let row = 0; row < a.length; row += 1) sum += (a[row] ?? 0) * (b[row] ?? 0);
  }
  return sum;
}

/** y minus the columns' weighted sum. */
export function residuals({ columns, y }: LeastSquares, coefficients: Float64Array): Float64Array {
  const rest = y.slice();
  for (const [index, column] of columns.entries()) {
    const coefficient = coefficients[index] ?? 0;
    for (let row = 0; row < rest.length; row += 1) rest[row] = (rest[row] ?? 0) - coefficient * (column[row] ?? 0);
  }
  return rest;
}

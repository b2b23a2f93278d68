// Inner loops index with `?? NaN`, see gram.ts.

/** Lower factor L of a positive definite matrix (row by row): L L' = matrix; null where a pivot is not above `smallest`. */
export function cholesky(matrix: Float64Array, size: number, smallest = 0): Float64Array | null {
  const lower = new Float64Array(size * size);
  for (let a = 0; a < size; a += 1) {
    for (let b = 0; b <= a; b += 1) {
      let value = matrix[a * size + b] ?? NaN;
      for (let k = 0; k < b; k += 1) value -= (lower[a * size + k] ?? NaN) * (lower[b * size + k] ?? NaN);
      if (a === b && !(value > smallest)) return null;
      lower[a * size + b] = a === b ? Math.sqrt(value) : value / (lower[b * size + b] ?? 1);
    }
  }
  return lower;
}

/** Solves L x = rhs, in place. */
export function forward(lower: Float64Array, rhs: Float64Array): Float64Array {
  const size = rhs.length;
  for (let a = 0; a < size; a += 1) {
    let value = rhs[a] ?? NaN;
    for (let k = 0; k < a; k += 1) value -= (lower[a * size + k] ?? NaN) * (rhs[k] ?? NaN);
    rhs[a] = value / (lower[a * size + a] ?? 1);
  }
  return rhs;
}

/** Solves L' x = rhs, in place. */
export function backward(lower: Float64Array, rhs: Float64Array): Float64Array {
  const size = rhs.length;
  for (let a = size - 1; a >= 0; a -= 1) {
    let value = rhs[a] ?? NaN;
    for (let k = a + 1; k < size; k += 1) value -= (lower[k * size + a] ?? NaN) * (rhs[k] ?? NaN);
    rhs[a] = value / (lower[a * size + a] ?? 1);
  }
  return rhs;
}

/** ln det(L L'). */
export function computeLogDeterminant(lower: Float64Array, size: number): number {
  let sum = 0;
  for (let a = 0; a < size; a += 1) sum += 2 * Math.log(lower[a * size + a] ?? 1);
  return sum;
}

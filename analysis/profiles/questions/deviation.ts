/** How a value stands against those before it. */
export interface Deviation {
  /** Mean of those before. */
  readonly expected: number;
  readonly actual: number;
  readonly diff: number;
  /** Standard deviation of those before, with n - 1. */
  readonly std: number;
  /** diff in standard deviations; 0 where there is none but of rounding. */
  readonly score: number;
}

/**
 * The score of time series analysis (Lundberg and Rettig 2024, section 6.1, A.1): runs in which nothing was seen count as 0. With
 * `leastStd`, the deviation is not below it.
 */
export function deviation(
  actual: number,
  history: ArrayLike<number>,
  leastStd: ((expected: number) => number) | null,
): Deviation {
  const n = history.length;
  let sum = 0;
  for (let index = 0; index < n; index += 1) sum += history[index] ?? 0;
  const expected = sum / n;
  let [around, squares] = [0, 0];
  for (let index = 0; index < n; index += 1) {
    const value = history[index] ?? 0;
    around += (value - expected) ** 2;
    squares += value * value;
  }
  const varied = isConstant(around, squares) ? 0 : Math.sqrt(around / (n - 1));
  const std = Math.max(varied, leastStd?.(expected) ?? 0);
  const diff = actual - expected;
  return { expected, actual, diff, std, score: std > 0 ? diff / std : 0 };
}

/** Below this, of the sum of squares, what is left around the mean is rounding. */
const ROUNDING = 1e-24;

/** Whether values do not vary, by their squares around their mean and their squares. */
export function isConstant(aroundMean: number, squares: number): boolean {
  return aroundMean <= ROUNDING * squares;
}

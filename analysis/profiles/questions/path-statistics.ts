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
  history: Float64Array,
  leastStd: ((expected: number) => number) | null,
): Deviation {
  const n = history.length;
  const expected = history.reduce((sum, value) => sum + value, 0) / n;
  const around = history.reduce((sum, value) => sum + (value - expected) ** 2, 0);
  const squares = history.reduce((sum, value) => sum + value * value, 0);
  const varied = isConstant(around, squares) ? 0 : Math.sqrt(around / (n - 1));
  const std = Math.max(varied, leastStd?.(expected) ?? 0);
  const diff = actual - expected;
  return { expected, actual, diff, std, score: std > 0 ? diff / std : 0 };
}

/** What was sampled of a code path in a profile, and the profile's metric. */
export interface MetricPoint {
  readonly x: number;
  readonly y: number;
}

/** Pearson's coefficient; 0 where x or y is constant. */
export function pearson(points: readonly MetricPoint[]): number {
  const sum = (of: (point: MetricPoint) => number): number => points.reduce((all, point) => all + of(point), 0);
  const meanX = sum(({ x }) => x) / points.length;
  const meanY = sum(({ y }) => y) / points.length;
  const xx = sum(({ x }) => (x - meanX) ** 2);
  const yy = sum(({ y }) => (y - meanY) ** 2);
  const isFlat =
    isConstant(
      xx,
      sum(({ x }) => x * x),
    ) ||
    isConstant(
      yy,
      sum(({ y }) => y * y),
    );
  return isFlat ? 0 : sum(({ x, y }) => (x - meanX) * (y - meanY)) / Math.sqrt(xx * yy);
}

export function meanCoefficient(benchmarks: readonly { readonly pcc: number }[]): number {
  return benchmarks.reduce((sum, { pcc }) => sum + pcc, 0) / benchmarks.length;
}

/** Below this, of the sum of squares, what is left around the mean is rounding. */
const ROUNDING = 1e-24;

/** Whether values do not vary, by their squares around their mean and their squares. */
function isConstant(aroundMean: number, squares: number): boolean {
  return aroundMean <= ROUNDING * squares;
}

/** Evaluations that the worst function costs beyond bisection's. */
const SLACK = 1;
const TRUNCATION = 0.2;

/**
 * Where f turns from at or below 0 to above it within [low, high], to the last bits: the secant's point, moved towards the middle
 * and kept near it, so that no function needs more steps than bisection (ITP; Oliveira and Takahashi, ACM TOMS 47, 2020).
 * f(low) <= 0 < f(high) is the caller's promise; the answer is the upper end of the last bracket.
 */
export function findRoot(f: (x: number) => number, { low, high }: { low: number; high: number }): number {
  let [below, above] = [low, high];
  let [atBelow, atAbove] = [f(low), f(high)];
  const tolerance = 2 * Number.EPSILON * Math.max(Math.abs(low), Math.abs(high));
  const most = Math.ceil(Math.log2((high - low) / (2 * tolerance))) + SLACK;
  const truncation = TRUNCATION / (high - low);
  for (let step = 0; above - below > 2 * tolerance; step += 1) {
    const middle = below + (above - below) / 2;
    const secant = (atAbove * below - atBelow * above) / (atAbove - atBelow);
    const point = Number.isFinite(secant) ? between(secant) : middle;
    // At least a step from both ends, or rounding would stop it there.
    const x = Math.min(Math.max(point, below + tolerance), above - tolerance);
    const value = f(x);
    if (value > 0) [above, atAbove] = [x, value];
    else [below, atBelow] = [x, value];

    function between(point: number): number {
      const away = Math.abs(middle - point);
      const side = Math.sign(middle - point);
      const truncated = Math.min(away, truncation * (above - below) ** 2);
      const reach = tolerance * 2 ** (most - step) - (above - below) / 2;
      const moved = point + side * truncated;
      return Math.abs(moved - middle) <= reach ? moved : middle - side * Math.max(0, reach);
    }
  }
  return above;
}

const RATIO = (Math.sqrt(5) - 1) / 2;

/** The interval of at most this width around the minimum of a function with one valley (golden section; Kiefer 1953). */
export function narrow(
  f: (x: number) => number,
  { low, high, width }: { readonly low: number; readonly high: number; readonly width: number },
): { readonly low: number; readonly high: number } {
  let [a, b] = [low, high];
  let [left, right] = [b - RATIO * (b - a), a + RATIO * (b - a)];
  let [atLeft, atRight] = [f(left), f(right)];
  while (b - a > width) {
    if (atLeft <= atRight) {
      [b, right, atRight] = [right, left, atLeft];
      left = b - RATIO * (b - a);
      atLeft = f(left);
    } else {
      [a, left, atLeft] = [left, right, atRight];
      right = a + RATIO * (b - a);
      atRight = f(right);
    }
  }
  return { low: a, high: b };
}

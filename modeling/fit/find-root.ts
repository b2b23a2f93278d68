/**
 * Where f turns from at or below 0 to above it within [low, high], by bisection to the last bit.
 * f(low) <= 0 < f(high) is the caller's promise; the answer is the upper end of the last bracket.
 */
export function findRoot(f: (x: number) => number, { low, high }: { low: number; high: number }): number {
  let below = low;
  let above = high;
  for (;;) {
    const middle = below + (above - below) / 2;
    if (middle <= below || middle >= above) return above;
    if (f(middle) > 0) above = middle;
    else below = middle;
  }
}

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

// A twice integrated Wiener process (Wahba 1978) on bins: between two knots its second derivative is constant.
// Answers follow from millions of them: loops index with `?? NaN`, see fit/gram.ts.
import type { Target } from '../rows.ts';

/** How ln CT strays from a form along one variable: a piece of a parabola between each two knots, straight beyond them. */
export interface Path {
  /** Ascending. */
  readonly knots: readonly number[];
  /** At each knot; 0 at the path's origin. */
  readonly values: readonly number[];
  readonly slopes: readonly number[];
  /** Between each two knots: one less than they are. */
  readonly curvature: readonly number[];
}

/** What makes a path: its origin, which is one of its knots, the slope there, and a curvature between each two knots. */
export interface Course {
  readonly origin: number;
  readonly slope: number;
  readonly knots: readonly number[];
  readonly curvature: readonly number[];
}

/** What a program does beside its form, over ln nodes, ln(100/bw), scale * ln 2 and ln threads: factors exp(path) of its time. */
export interface Bend {
  readonly nodes?: Path;
  readonly scale?: Path;
  readonly threads?: Path;
  /** Of the slowdown 100/bw that the form is asked for, not of the time: a form that knows no bandwidth has none. */
  readonly slowdown?: Path;
}

/** The axes of a bend. */
export const BENT = ['nodes', 'slowdown', 'scale', 'threads'] as const;
export type BentAxis = (typeof BENT)[number];

/** Where a target lies on an axis. */
export function positionOn(axis: BentAxis, { nodes, bw, scale, threads = 1 }: Target): number {
  switch (axis) {
    case 'nodes':
      return Math.log(nodes);
    case 'slowdown':
      return Math.log(100 / bw);
    case 'scale':
      return scale * Math.LN2;
    case 'threads':
      return Math.log(threads);
  }
}

/** The factor by which a bend changes the time at a target. */
export function bendFactor(bend: Bend, target: Target): number {
  let sum = 0;
  for (const axis of ['nodes', 'scale', 'threads'] as const) {
    const path = bend[axis];
    if (path) sum += pathAt(path, positionOn(axis, target));
  }
  return Math.exp(sum);
}

/** The bandwidth (percent) for which a bent form is asked: a warp that never turns, so a slower link stays slower. */
export function bentBandwidth({ slowdown: path }: Bend, bw: number): number {
  if (!path) return bw;
  const position = Math.log(100 / bw);
  return 100 * Math.exp(-(position + pathAt(path, position)));
}

/** Integrates curvatures twice, from the origin to both sides. */
export function integratePath({ origin, slope, knots, curvature }: Course): Path {
  const start = knots.indexOf(origin);
  const values = knots.slice().fill(0);
  const slopes = knots.slice().fill(slope);
  const go = (from: number, to: number, bend: number): void => {
    const step = (knots[to] ?? NaN) - (knots[from] ?? NaN);
    values[to] = (values[from] ?? NaN) + (slopes[from] ?? NaN) * step + (bend * step ** 2) / 2;
    slopes[to] = (slopes[from] ?? NaN) + bend * step;
  };
  for (let knot = start; knot + 1 < knots.length; knot += 1) go(knot, knot + 1, curvature[knot] ?? NaN);
  for (let knot = start; knot > 0; knot -= 1) go(knot, knot - 1, curvature[knot - 1] ?? NaN);
  return { knots, values, slopes, curvature };
}

function pathAt({ knots, values, slopes, curvature }: Path, position: number): number {
  let low = 0;
  let high = knots.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((knots[middle] ?? NaN) <= position) low = middle;
    else high = middle - 1;
  }
  const step = position - (knots[low] ?? NaN);
  // Before the first knot and behind the last one it is straight: there are fewer curvatures than knots.
  const isBetween = step >= 0 && low < curvature.length;
  const bend = isBetween ? (curvature[low] ?? NaN) : 0;
  return (values[low] ?? NaN) + (slopes[low] ?? NaN) * step + (bend * step ** 2) / 2;
}

/** What a curvature of 1 between two knots adds at a position: it counts away from the origin, on both of its sides. */
export function binShape(
  { from, to, origin }: { readonly from: number; readonly to: number; readonly origin: number },
  position: number,
): number {
  const [near, far, reached] = from >= origin ? [from, to, position] : [-to, -from, -position];
  if (reached <= near) return 0;
  const width = Math.min(reached, far) - near;
  return width ** 2 / 2 + width * Math.max(0, reached - far);
}

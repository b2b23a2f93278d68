// A twice integrated Wiener process (Wahba 1978) on bins: between two knots its second derivative is constant.
import { at } from '../../base/index.ts';
import type { Target } from './predict.ts';

/** How ln CT strays from a form along one variable: 0 at the origin, a slope there, and a curvature between each two knots. */
export interface Path {
  readonly origin: number;
  readonly slope: number;
  /** Ascending, one more than curvatures; beyond its ends a path goes on straight. */
  readonly knots: readonly number[];
  readonly curvature: readonly number[];
}

/** What a program does beside its form, over ln nodes, ln(100/bw) and scale * ln 2: factors exp(path) of its time. */
export interface Bend {
  readonly nodes?: Path;
  readonly scale?: Path;
  /** Of the slowdown 100/bw that the form is asked for, not of the time: a form that knows no bandwidth has none. */
  readonly slowdown?: Path;
}

/** The axes of a bend. */
export const BENT = ['nodes', 'slowdown', 'scale'] as const;
export type BentAxis = (typeof BENT)[number];

/** Where a target lies on an axis. */
export function positionOn(axis: BentAxis, { nodes, bw, scale }: Target): number {
  switch (axis) {
    case 'nodes':
      return Math.log(nodes);
    case 'slowdown':
      return Math.log(100 / bw);
    case 'scale':
      return scale * Math.LN2;
  }
}

/** The factor by which a bend changes the time at a target. */
export function bendFactor(bend: Bend, target: Target): number {
  let sum = 0;
  for (const axis of ['nodes', 'scale'] as const) {
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

export function pathAt({ origin, slope, knots, curvature }: Path, position: number): number {
  let sum = slope * (position - origin);
  for (let bin = 0; bin < curvature.length; bin += 1) {
    sum += at(curvature, bin) * binShape({ from: at(knots, bin), to: at(knots, bin + 1), origin }, position);
  }
  return sum;
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

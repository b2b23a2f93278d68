import { mulberry32 } from '../../base/lists.ts';
import { findRoot } from '../fit/find-root.ts';

export interface Random {
  /** In [0, 1). */
  readonly uniform: () => number;
  readonly normal: () => number;
  /** Chi-squared with this many degrees of freedom, above 0. */
  readonly chiSquared: (freedom: number) => number;
}

/** Draws that depend on the seed alone. */
export function createRandom(seed: number): Random {
  const uniform = mulberry32(seed);
  let spare: number | null = null;
  // Marsaglia's polar method: two normals at a time.
  const normal = (): number => {
    if (spare !== null) {
      const value = spare;
      spare = null;
      return value;
    }
    for (;;) {
      const [a, b] = [2 * uniform() - 1, 2 * uniform() - 1];
      const square = a * a + b * b;
      if (square >= 1 || square === 0) continue;
      const factor = Math.sqrt((-2 * Math.log(square)) / square);
      spare = b * factor;
      return a * factor;
    }
  };
  // Marsaglia and Tsang (2000) for a gamma of shape freedom / 2; below shape 1 by their power of a uniform.
  const gamma = (shape: number): number => {
    if (shape < 1) return gamma(shape + 1) * (1 - uniform()) ** (1 / shape);
    const d = shape - 1 / 3;
    for (;;) {
      const x = normal();
      const v = (1 + x / Math.sqrt(9 * d)) ** 3;
      if (v > 0 && Math.log(1 - uniform()) < (x * x) / 2 + d - d * v + d * Math.log(v)) return d * v;
    }
  };
  return { uniform, normal, chiSquared: (freedom) => 2 * gamma(freedom / 2) };
}

/** More degrees of freedom count as so many: less than 0.1 % too high at 99.9 %. */
const MOST = 2000;

/** Student's t, two-sided at a level, for whole degrees of freedom: where Abramowitz and Stegun 26.7.3 and 26.7.4 reach it. */
export function studentQuantile(degrees: number, level: number): number {
  const freedom = Math.min(degrees, MOST);
  // In the angle, because t itself has no end.
  const angle = findRoot((a) => within(a, freedom) - level, { low: 0, high: Math.PI / 2 });
  return Math.sqrt(freedom) * Math.tan(angle);
}

/** P(|T| <= sqrt(freedom) tan(angle)): a finite sum for whole degrees of freedom. */
function within(angle: number, freedom: number): number {
  const isOdd = freedom % 2 === 1;
  const square = Math.cos(angle) ** 2;
  let term = freedom === 1 ? 0 : isOdd ? Math.cos(angle) : 1;
  let sum = term;
  for (let k = isOdd ? 3 : 2; k < freedom; k += 2) {
    term *= square * ((k - 1) / k);
    sum += term;
  }
  const inside = Math.sin(angle) * sum;
  return isOdd ? (2 / Math.PI) * (angle + inside) : inside;
}

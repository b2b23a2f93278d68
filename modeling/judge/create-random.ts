import { mulberry32 } from '../../base/lists.ts';

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

import { at } from '../../base/index.ts';
/** The numbers 0..length-1 in an order that depends on the seed alone (Fisher-Yates). */
export function shuffledIndices(length: number, seed: number): Uint32Array {
  const random = mulberry32(seed);
  const order = Uint32Array.from({ length }, (_, index) => index);
  for (let last = length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    const held = at(order, last);
    order[last] = at(order, other);
    order[other] = held;
  }
  return order;
}

/** Tommy Ettinger's mulberry32: uniform in [0, 1), 32 bits of state. */
export function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

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

import { at } from './at.ts';

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

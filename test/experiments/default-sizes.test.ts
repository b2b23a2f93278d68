import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DEFAULT_SWEEP_S, defaultSizes } from '../../experiments/default-sizes.ts';

const cells = (count: number, nodes: number): number[] => Array.from({ length: count }, () => nodes);

test('a short sweep gets the sizes that are usual, a long one smaller ones', () => {
  expect(defaultSizes({ nodes: cells(4, 4), emulated: false })).toMatchObject({ scale: 20, roots: 64 });
  const { scale, roots, seconds } = defaultSizes({ nodes: cells(92, 14), emulated: true });
  expect(scale).toBeLessThanOrEqual(20);
  expect(roots).toBeLessThan(16);
  expect(seconds).toBeLessThanOrEqual(DEFAULT_SWEEP_S);
});

test('a graph fits half the memory of the smallest cluster', () => {
  // 16 edges per vertex at 100 bytes on two hosts of 256 MiB: half of them hold 2^17 vertices.
  expect(defaultSizes({ nodes: [2, 8], emulated: false, memoryBytes: 2 ** 28 }).scale).toBe(17);
});

test('what was asked for is kept, and the rest is chosen for it', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 60 }),
      fc.boolean(),
      fc.integer({ min: 5, max: 30 }),
      fc.integer({ min: 1, max: 500 }),
      (nodes, emulated, scale, roots) => {
        expect(defaultSizes({ nodes, emulated, scale }).scale).toBe(scale);
        expect(defaultSizes({ nodes, emulated, roots }).roots).toBe(roots);
        const free = defaultSizes({ nodes, emulated });
        const isLeast = free.scale === 12 && free.roots === 4;
        expect(isLeast || free.seconds <= DEFAULT_SWEEP_S).toBe(true);
      },
    ),
  );
});

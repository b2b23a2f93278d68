import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { chooseDefaultSizes, DEFAULT_SWEEP_S, estimateSweep, refuseTooLarge } from '../../experiments/estimate.ts';
import type { Cell } from '../../experiments/records.ts';

const cell = (id: number, change: Partial<Cell> = {}): Cell => ({
  ...{ id: String(id).padStart(16, '0'), workload: 'graph500', nodes: 4, ranks: 4, scale: 20, bw: 100, rep: 1 },
  ...{ role: 'measure', roots: 8, ...change },
});
const measured = (of: Cell, seconds: number, startS?: number) => ({
  cell: of,
  timing: {
    ...{ throttleMs: 0, workloadMs: 0, collectMs: 0, totalMs: seconds * 1000 },
    ...(startS !== undefined && { startMs: startS * 1000 }),
  },
});
const base = { records: [], isGraph500: true, followsOrders: () => false, emulated: false };

describe('what a sweep takes', () => {
  it('is told by its measured cells: of the same bandwidth first, then of the same size', () => {
    const cells = [cell(1), cell(2, { rep: 2 }), cell(3, { bw: 20 }), cell(4, { bw: 50 })];
    const records = [measured(cell(1), 10), measured(cell(9, { bw: 20 }), 40)];
    expect(estimateSweep(cells, { ...base, records })).toMatchObject({
      seconds: 10 + 40 + 25,
      known: 3,
      unmeasured: 3,
    });
  });

  it('is not known of a program without measured cells', () => {
    const { seconds, memory } = estimateSweep([cell(1)], { ...base, isGraph500: false });
    expect([seconds, memory]).toEqual([null, null]);
  });

  it('grows with cells and searches by the figures of Graph500, corrected by what was measured', () => {
    const one = estimateSweep([cell(1)], base).seconds ?? 0;
    const two = estimateSweep([cell(1), cell(2)], base).seconds ?? 0;
    expect(two).toBeCloseTo(2 * one, 9);
    const records = [measured(cell(1), 3 * one)];
    expect(
      estimateSweep([cell(1), cell(2, { nodes: 4, scale: 20, params: { x: 1 } })], { ...base, records }).seconds,
    ).toBeCloseTo(3 * one, 9);
  });

  it('counts one start for the levels that it serves', () => {
    const cells = [cell(1), cell(2, { bw: 20 }), cell(3, { bw: 50 })];
    const [each, together] = [false, true].map((follows) =>
      estimateSweep(cells, { ...base, followsOrders: () => follows }),
    );
    const [own, again] = [false, true].map((follows) =>
      estimateSweep([cell(1)], { ...base, followsOrders: () => follows }),
    );
    expect(own?.seconds).toBe(again?.seconds);
    expect(together?.seconds ?? 0).toBeLessThan((each?.seconds ?? 0) - 4);
  });

  it('counts one start for the levels that are left, where measured cells say what a start takes', () => {
    const records = [measured(cell(1), 12, 10), measured(cell(2, { bw: 20 }), 5, 0)];
    const levels = { ...base, records, isGraph500: false, followsOrders: () => true };
    // Of the same start, which has ended, and both levels of another one.
    expect(estimateSweep([cell(1), cell(2, { bw: 20 }), cell(3, { bw: 50 })], levels).seconds).toBeCloseTo(3.5 + 10, 9);
    expect(estimateSweep([cell(4, { rep: 2 }), cell(5, { rep: 2, bw: 20 })], levels).seconds).toBeCloseTo(7 + 10, 9);
  });

  it('is refused where a graph does not fit its hosts, with the scale that does', () => {
    const estimate = estimateSweep([cell(1), cell(2, { scale: 40 })], base);
    // 16 * 2^40 edges of 100 bytes on 4 hosts: 400 TiB on each.
    expect(estimate.memory?.bytesPerNode).toBe(400 * 2 ** 40);
    expect(() => refuseTooLarge(estimate, 2 ** 30 * 25)).toThrow(
      'Scale 40 needs about 400 TiB of memory on each of 4 nodes, but a host has 25 GiB. Use scale 26 or less there, or more nodes.',
    );
    expect(() => refuseTooLarge(estimate, undefined)).not.toThrow();
    expect(() => refuseTooLarge(estimateSweep([cell(1)], base), 2 ** 30)).not.toThrow();
  });
});

const on = (nodes: readonly number[]) => {
  const cells = nodes.map((count) => ({ nodes: count }));
  return { cells, starts: cells };
};

const alike = (cells: number, starts: number, nodes: number, params?: Cell['params']) => {
  const all = (count: number) => Array.from({ length: count }, () => ({ nodes, params }));
  return { cells: all(cells), starts: all(starts) };
};

test('a short sweep gets the sizes that are usual, a long one smaller ones', () => {
  expect(chooseDefaultSizes({ ...alike(4, 2, 4), emulated: false })).toMatchObject({ scale: 20, roots: 64 });
  const { scale, roots, seconds } = chooseDefaultSizes({ ...alike(92, 16, 14), emulated: true });
  expect(scale).toBeLessThanOrEqual(20);
  expect(roots).toBeLessThan(16);
  expect(seconds).toBeLessThanOrEqual(DEFAULT_SWEEP_S);
});

test('shortest paths are estimated as what they take, ten times the search and four times the graph', () => {
  const emulated = { ...base, emulated: true };
  const secondsOf = (params?: Cell['params']) => estimateSweep([cell(1, { params })], emulated).seconds;
  // A breadth-first search of 2^24 edges takes 0.559 s, and 0.05 s beside it; there are 9 of them and a start.
  const edges = 2 ** 24 / 3e7;
  expect(secondsOf()).toBeCloseTo(0.6 + 0.4 + 9 * (0.05 + edges) + 2 + 1 + 8 * edges, 6);
  expect(secondsOf({ kernel: 'bfs' })).toBe(secondsOf());
  expect(secondsOf({ kernel: 'sssp' })).toBeCloseTo(0.6 + 0.4 + 9 * (0.05 + 10 * edges) + 2 + 1 + 32 * edges, 6);
  const sizes = chooseDefaultSizes({ ...alike(92, 16, 14, { kernel: 'sssp' }), emulated: true });
  expect(sizes.scale).toBeLessThan(chooseDefaultSizes({ ...alike(92, 16, 14), emulated: true }).scale);
  expect(sizes.seconds).toBeLessThanOrEqual(DEFAULT_SWEEP_S);
});

test('a graph fits half the memory of the smallest cluster', () => {
  // 16 edges per vertex at 100 bytes on two hosts of 256 MiB: half of them hold 2^17 vertices.
  expect(chooseDefaultSizes({ ...on([2, 8]), emulated: false, memoryBytes: 2 ** 28 }).scale).toBe(17);
});

test('what was asked for is kept, and the rest is chosen for it', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 60 }),
      fc.boolean(),
      fc.integer({ min: 5, max: 30 }),
      fc.integer({ min: 1, max: 500 }),
      (nodes, emulated, scale, roots) => {
        expect(chooseDefaultSizes({ ...on(nodes), emulated, scale }).scale).toBe(scale);
        expect(chooseDefaultSizes({ ...on(nodes), emulated, roots }).roots).toBe(roots);
        const free = chooseDefaultSizes({ ...on(nodes), emulated });
        const isLeast = free.scale === 12 && free.roots === 4;
        expect(isLeast || free.seconds <= DEFAULT_SWEEP_S).toBe(true);
      },
    ),
  );
});

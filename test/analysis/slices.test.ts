import fc from 'fast-check';
import { expect, test } from 'vitest';
import { offsets, sliceBoundary } from '../../analysis/grade10/model/phases.ts';
import { run } from './make-case.ts';

test.each([
  ['whole slices', 1000, 1300, [100, 129]],
  ['a start below half a slice stays', 1004, 1300, [100, 129]],
  ['a start at half a slice moves on', 1005, 1300, [101, 129]],
  ['an end below half a slice drops the slice', 1000, 1304, [100, 129]],
  ['an end at half a slice keeps it', 1000, 1305, [100, 130]],
  ['a stretch around a midpoint fills the slice', 1004, 1006, [100, 100]],
  ['a stretch between midpoints vanishes', 1006, 1014, [101, 100]],
  ['no length is no slice', 1000, 1000, [100, 99]],
])('%s', (_, start, end, slices) => {
  expect([sliceBoundary(start, 10), sliceBoundary(end, 10) - 1]).toEqual(slices);
});

test('a stretch has as many slices as midpoints after its start and not after its end', () => {
  const time = fc.integer({ min: -500, max: 500 });
  fc.assert(
    fc.property(time, time, fc.integer({ min: 1, max: 40 }), (a, b, slice) => {
      const [start, end] = [Math.min(a, b), Math.max(a, b)];
      let midpoints = 0;
      for (let k = -600; k <= 600; k += 1) {
        const middle = k * slice + slice / 2;
        if (middle > start && middle <= end) midpoints += 1;
      }
      if (600 * slice < 500) return;
      expect(sliceBoundary(end, slice) - sliceBoundary(start, slice)).toBe(midpoints);
    }),
  );
});

test('times near 2^53 are exact', () => {
  const time = Number.MAX_SAFE_INTEGER - 6;
  const slice = 1_000_000;
  expect(sliceBoundary(time, slice)).toBe(Number((BigInt(time) + 500_000n) / 1_000_000n));
});

test('a phase of no slices ends before it starts and takes part with no time', () => {
  const output = run({
    execution_spec: { name: '', children: [{ name: 'A', repeat: 'concurrent', key: 'i' }] },
    phases: [
      { path: '/', start_ns: 0, end_ns: 100 },
      { path: '/A[i=0]', start_ns: 0, end_ns: 100 },
      { path: '/A[i=1]', start_ns: 6, end_ns: 14 },
    ],
  });
  expect(output.phases).toEqual([
    ['/', 0, 9],
    ['/A[i=0]', 0, 9],
    ['/A[i=1]', 1, 0],
  ]);
  expect(output.issues).toEqual([
    { pass: 'imbalance', phase: '/', target: '/A', impact: 5, count: 2, actual: 10, optimal: 5 },
  ]);
});

test('phase-slices that no array holds are refused before it is made', () => {
  expect([...offsets(3, (phase) => phase)]).toEqual([0, 0, 1, 3]);
  expect([...offsets(1, () => 2 ** 32 - 1)]).toEqual([0, 2 ** 32 - 1]);
  expect(() => offsets(2, () => 2 ** 31)).toThrow('4294967296 phase-slices are more than one array can hold');
});

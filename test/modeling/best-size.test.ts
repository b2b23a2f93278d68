import { expect, test } from 'vitest';
import { findBestSize } from '../../modeling/answers/savings.ts';
import { solveModel } from '../../modeling/fit/fit.ts';
import { chooseAmong } from '../../modeling/judge/compare-candidates.ts';
import { bootstrap } from '../../modeling/judge/ensemble.ts';
import { rowsFrom } from '../../modeling/rows.ts';
import { grid, objects } from './fixtures.ts';

const SQUARES = [4, 9, 16, 25, 36, 49, 64, 81, 100];
const setting = { scale: [20], nodes: [4, 9, 16, 25], bw: [10, 20, 50, 100] };
const asked = { nodes: SQUARES, bw: 100, scale: 20 };
/** Of a bandwidth's cost and noise that is the same in every run of this test. */
const rowsOf = (truth: (nodes: number) => number) =>
  rowsFrom(
    [-1, 1].flatMap((sign, rep) =>
      objects(
        grid(
          setting,
          ({ nodes, bw }) => truth(nodes) * (1 + 0.5 / bw) * (1 + sign * 0.01 * Math.sin(nodes + bw + rep)),
        ),
      ),
    ),
  );

test('is one of the sizes asked about, and so are the ends of its interval that do not lie beyond them', () => {
  // 1/n + 0.02 sqrt(n) is least at 21.5 nodes: 25 of the squares.
  const { solved } = chooseAmong(
    rowsOf((nodes) => 1 / nodes + 0.02 * Math.sqrt(nodes)),
    { ranksPerNode: 1 },
  );
  const { value, low, high } = findBestSize(bootstrap(solved, { replicates: 300 }), asked);
  for (const size of [value, low]) expect(SQUARES).toContain(size);
  expect([...SQUARES, null]).toContain(high);
  expect(low ?? 0).toBeLessThanOrEqual(25);
  expect(high ?? 100).toBeGreaterThanOrEqual(16);
});

test('is null where time falls as far as the sizes go', () => {
  const solved = solveModel(
    'eq2',
    rowsOf((nodes) => 1 / nodes),
    { ranksPerNode: 1, at: { bw: 100 } },
  );
  expect(findBestSize(bootstrap(solved, { replicates: 100 }), asked)).toEqual({ value: null, low: null, high: null });
});

test('is the first where time only rises', () => {
  const { solved } = chooseAmong(
    rowsOf((nodes) => nodes),
    { ranksPerNode: 1 },
  );
  expect(findBestSize(bootstrap(solved, { replicates: 100 }), asked)).toEqual({ value: 4, low: 4, high: 4 });
});

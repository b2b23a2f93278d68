import { expect, test } from 'vitest';
import { studentQuantile } from '../../modeling/judge/distributions.ts';

/** NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2, two-sided 90, 95 and 99 %. */
const TABLE: readonly (readonly [freedom: number, p90: number, p95: number, p99: number])[] = [
  [1, 6.314, 12.706, 63.657],
  [2, 2.92, 4.303, 9.925],
  [3, 2.353, 3.182, 5.841],
  [4, 2.132, 2.776, 4.604],
  [5, 2.015, 2.571, 4.032],
  [7, 1.895, 2.365, 3.499],
  [10, 1.812, 2.228, 3.169],
  [20, 1.725, 2.086, 2.845],
  [60, 1.671, 2, 2.66],
  [100, 1.66, 1.984, 2.626],
];

test.each(TABLE)('with %d degrees of freedom the quantiles are those of the table', (freedom, ...row) => {
  const levels = [0.9, 0.95, 0.99] as const;
  for (const [index, expected] of row.entries()) {
    const ratio = studentQuantile(freedom, levels[index] ?? Number.NaN) / expected;
    expect(Math.abs(ratio - 1)).toBeLessThan(1e-3);
  }
});

/** SciPy 1.17.1, t.ppf(1 - tail / 2, freedom): what a level of 95 % becomes where many cells share it. */
test.each([
  [3, 0.999, 12.92398],
  [4, 0.999, 8.610302],
  [5, 0.9999, 11.17771],
  [8, 0.999, 5.041305],
  [3, 0.999999, 130.1546],
  [200, 0.999, 3.339835],
])('with %d degrees of freedom and a level of %d it is %d', (freedom, level, expected) => {
  expect(studentQuantile(freedom, level) / expected).toBeCloseTo(1, 5);
});

test('they fall with the freedom towards those of the normal distribution', () => {
  const freedoms = [1, 2, 3, 4, 5, 6, 8, 12, 30, 100, 1e6];
  const values = freedoms.map((freedom) => studentQuantile(freedom, 0.9));
  expect(values).toEqual([...values].sort((a, b) => b - a));
  expect(values.at(-1)).toBeCloseTo(1.645, 2);
});

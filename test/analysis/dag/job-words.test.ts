import { expect, test } from 'vitest';
import type { ExplainedJobs, RunRow } from '../../../analysis/dag/explain/explained.ts';
import { runColumns } from '../../../analysis/dag/explain/job-tables.ts';
import { amountText, rangedText, rateText } from '../../../analysis/dag/explain/job-words.ts';

test.each([
  [{ value: 4, low: 2, high: 8 }, '4 % (2 to 8 %)'],
  [{ value: 4, low: null, high: 8 }, '4 %'],
  [{ value: 4, low: 2, high: null }, '4 %'],
  [null, '?'],
])('%j is said as %s', (ranged, said) => {
  expect(rangedText(ranged, (value) => `${value} %`)).toBe(said);
});

test.each([
  ['records', '2.78/s', '4000 records'],
  [null, '2.78/s', '4000 records'],
  ['bytes', '2 KiB/s', '3.91 KiB'],
] as const)('work of a job in %s', (unit, rate, amount) => {
  expect([rateText(unit === 'bytes' ? 2048 : 2.78, unit), amountText(4000, unit)]).toEqual([rate, amount]);
});

test('of a run without a bandwidth or a rate its row says that they are not known', () => {
  const columns = runColumns({ unit: 'records' } as ExplainedJobs, () => 'x').slice(0, 5);
  const row = { folder: 'f', instances: [1, 2], predicted: null, summary: { dominant: null }, holder: null };
  const said = (bw: number | null, rate: number | null) =>
    columns.map(({ text }) => text({ ...row, bw, rate } as unknown as RunRow));
  expect(said(null, null)).toEqual(['f', '1 2', '?', '?', '']);
  expect(said(12.5, 2.78)).toEqual(['f', '1 2', '12.5 %', '2.78/s', '']);
});

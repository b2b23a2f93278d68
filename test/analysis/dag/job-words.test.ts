import { expect, test } from 'vitest';
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

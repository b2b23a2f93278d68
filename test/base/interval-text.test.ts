import { expect, it, test } from 'vitest';
import { endsText, estimateText, intervalText } from '../../base/interval-text.ts';
import { formatSeconds, trimNumber } from '../../base/units.ts';

it.each([
  ['one unit', { low: 0.366, high: 0.48 }, '366 to 480 ms'],
  ['two units', { low: 0.366, high: 1.43 }, '366 ms to 1.43 s'],
  ['several numbers in an end', { low: 65, high: 130 }, '1 min 05 s to 2 min 10 s'],
  ['no end above', { low: 0.366, high: null }, '366 ms to ?'],
])('the ends of an interval with %s', (_, ends, text) => {
  expect(endsText(ends, formatSeconds)).toBe(text);
});

test('percents and plain numbers have their unit once, or none', () => {
  expect(endsText({ low: 24, high: 38 }, (value) => `${value} %`)).toBe('24 to 38 %');
  expect(endsText({ low: 4.4, high: null }, trimNumber, 'beyond 256')).toBe('4.4 to beyond 256');
});

test('an interval has its level', () => {
  expect(intervalText({ low: 9, high: 36 }, String)).toBe('90 % interval 9 to 36');
  expect(intervalText({ low: 9, high: null }, String, { level: 0.95, unbounded: 'unbounded' })).toBe(
    '95 % interval 9 to unbounded',
  );
});

test('a value has its interval behind it where both ends are known', () => {
  expect(estimateText({ value: 0.412, low: 0.366, high: 0.48 }, formatSeconds)).toBe(
    '412 ms (90 % interval 366 to 480 ms)',
  );
  expect(estimateText({ value: 0.412, low: null, high: 0.48 }, formatSeconds)).toBe('412 ms');
  expect(estimateText({ value: null, low: null, high: null }, formatSeconds)).toBe('unknown');
});

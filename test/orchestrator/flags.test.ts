import { expect, test } from 'vitest';
import { parseCount, parseNumber, parseSeconds } from '../../orchestrator/cli/flags.ts';

test.each([
  ['90', 90],
  ['90s', 90],
  ['1.5 s', 1.5],
  ['10m', 600],
  ['0.5m', 30],
  ['2h', 7200],
  [' 1 h ', 3600],
])('%s is a time of %d seconds', (text, seconds) => {
  expect(parseSeconds(text, '--lease')).toBe(seconds);
});

test.each(['', '0', '0m', '-1', '10d', 'm', '1m30s'])('%j is no time', (text) => {
  expect(() => parseSeconds(text, '--lease')).toThrow(`--lease: '${text}' is no time`);
});

test('counts are whole and at least as large as asked for, numbers above 0', () => {
  expect([parseCount(' 3 ', '--reps'), parseCount('0', '--seed', 0), parseNumber('1e-3', '--price')]).toEqual([
    3, 0, 1e-3,
  ]);
  expect(() => parseCount('0', '--reps')).toThrow("--reps: '0' is not a whole number of at least 1");
  expect(() => parseCount('1.5', '--reps')).toThrow("--reps: '1.5'");
  expect(() => parseNumber('', '--price')).toThrow("--price: '' is no number above 0");
  expect(() => parseNumber('0', '--price')).toThrow("--price: '0'");
});

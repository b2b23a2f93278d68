import fc from 'fast-check';
import { expect, test } from 'vitest';
import { COUNTS, NUMBERS, parseCount, parseNumber, parseSeconds, refuseMore, TIMES } from '../../base/bounds.ts';
import { PredictError } from '../../base/errors.ts';

test.each([
  ['90', 90],
  ['90s', 90],
  ['1.5 s', 1.5],
  ['10m', 600],
  ['20min', 1200],
  ['1.5 min', 90],
  ['0.5m', 30],
  ['2h', 7200],
  [' 1 h ', 3600],
  ['1500ms', 1.5],
  ['2000000us', 2],
])('%s is a time of %d seconds', (text, seconds) => {
  expect(parseSeconds(text, '--cell-timeout')).toBe(seconds);
});

test.each(['', '-1', '10d', 'm', 'min', '1mi', '1mins', '1m30s', '1e3', 'Infinity', '0x10'])(
  '%j is no time',
  (text) => {
    expect(() => parseSeconds(text, '--lease')).toThrow(`--lease: '${text}' is not a time`);
  },
);

test.each([
  ['--lease', '0.05s', '2 s to 1 h 00 min'],
  ['--lease', '0', '2 s to 1 h 00 min'],
  ['--lease', '2000h', '2 s to 1 h 00 min'],
  ['throttle set --lease', '25h', '2 s to 24 h 00 min'],
  ['--cell-timeout', '600h', '1 s to 168 h 00 min'],
  ['--timeout', '600h', '100 ms to 168 h 00 min'],
  ['--slice', '0.000000001', '1 µs to 1 h 00 min'],
  ['--slice', '9'.repeat(400), '1 µs to 1 h 00 min'],
] as const)('%s %s is outside its range', (what, text, range) => {
  expect(() => parseSeconds(text, what)).toThrow(new RegExp(`^${what}: '.{1,60}' is outside its range, ${range}\\.$`));
});

test('timers hold every time-out, and what is added to it on its way', () => {
  for (const flag of ['--lease', '--cell-timeout', '--timeout'] as const) {
    expect((TIMES[flag].most + 3600) * 1000).toBeLessThan(2 ** 31);
  }
});

test('counts are whole and within their bounds', () => {
  expect([parseCount(' 3 ', '--reps'), parseCount('0', '--seed')]).toEqual([3, 0]);
  expect(() => parseCount('1.5', '--reps')).toThrow("--reps: '1.5' is not a whole number.");
  expect(() => parseCount('0', '--reps')).toThrow("--reps: '0' is outside its range, 1 to 10000.");
  expect(() => parseCount('1000000000', '--reps')).toThrow('outside its range');
  expect(() => parseCount('9'.repeat(30), '--seed')).toThrow('outside its range');
  expect(() => parseCount('500', '--hosts')).toThrow("--hosts: '500' is outside its range, 1 to 400.");
  expect(() => parseCount('NaN', '--hosts')).toThrow("--hosts: 'NaN' is not a whole number.");
});

test('numbers are decimal and within their bounds', () => {
  expect(parseNumber('1e-3', '--price')).toBe(1e-3);
  for (const text of ['', 'Infinity', '0x10', '1_000', '1 2']) {
    expect(() => parseNumber(text, '--price')).toThrow(`--price: '${text}' is not a number.`);
  }
  expect(() => parseNumber('0', '--price')).toThrow('outside its range, 1e-9 to 1000000000.');
  expect(() => parseNumber('0.5', '--interval')).toThrow('outside its range, 0.501 to 0.9999.');
});

test('whatever a flag says, it is a number within its bounds or one short sentence', () => {
  const text = fc.oneof(fc.string(), fc.stringMatching(/^\d{1,400}(\.\d{0,20})?(e\d{1,4})?(s|m|min|h)?$/));
  fc.assert(
    fc.property(text, (said) => {
      const within = (parse: () => number, { least, most }: { least: number; most: number }): void => {
        let value: number;
        try {
          value = parse();
        } catch (error) {
          expect(error).toBeInstanceOf(PredictError);
          expect(String(error).length).toBeLessThan(200);
          return;
        }
        expect(value >= least && value <= most).toBe(true);
      };
      for (const flag of Object.keys(TIMES) as (keyof typeof TIMES)[]) {
        within(() => parseSeconds(said, flag), TIMES[flag]);
      }
      for (const flag of Object.keys(COUNTS) as (keyof typeof COUNTS)[]) {
        within(() => parseCount(said, flag), COUNTS[flag]);
      }
      for (const flag of Object.keys(NUMBERS) as (keyof typeof NUMBERS)[]) {
        within(() => parseNumber(said, flag), NUMBERS[flag]);
      }
    }),
    { numRuns: 500 },
  );
});

test('too many of something are refused in a sentence', () => {
  expect(() => refuseMore(100_001, 100_000, { what: 'There are 100001 cells', help: 'name fewer' })).toThrow(
    /^There are 100001 cells, more than 100,000: name fewer\.$/,
  );
  refuseMore(100_000, 100_000, { what: '', help: '' });
});

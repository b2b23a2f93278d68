import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { EXIT, messageOf, PredictError } from '../../base/errors.ts';
import {
  asBitsPerSecond,
  asPercent,
  asSeconds,
  endsText,
  estimateText,
  formatBytes,
  formatRate,
  formatSeconds,
  intervalText,
  parseBytes,
  parsePercent,
  parseRate,
  rateOf,
  trimNumber,
} from '../../base/units.ts';

describe('rates', () => {
  test.each([
    ['200mbit', 200e6],
    ['56gbit', 56e9],
    ['10Gbps', 10e9],
    ['9600bit', 9600],
    ['1.5 Mbit/s', 1.5e6],
    ['200MB/s', 1.6e9],
    ['10 GB/s', 80e9],
  ])('%s is read as bits per second', (text, rate) => {
    expect(parseRate(text)).toBe(rate);
  });

  test.each(['', '200', '0mbit', '-1mbit', '5 apples', '1e9bit'])("'%s' is no rate", (text) => {
    expect(() => parseRate(text)).toThrow('is not a link rate');
  });

  test.each(['10GB', '10GBps', '1 Bps', '200MBIT', '56GBit/s'])("'%s' may be meant as bytes and is no rate", (text) => {
    expect(() => parseRate(text)).toThrow(`'${text}' has a capital B, which means bytes: write bits`);
  });

  test('what no host could be held at is out of range', () => {
    expect(parseRate('10tbit')).toBe(1e13);
    for (const text of ['999bit', '11tbit']) expect(() => parseRate(text)).toThrow('1kbit to 10tbit');
  });

  test('a formatted rate is read back within three digits', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e4, max: 9e11, noNaN: true }), (rate) => {
        const back = parseRate(formatRate(rate));
        expect(Math.abs(back / rate - 1)).toBeLessThan(0.006);
      }),
    );
  });
});

describe('units', () => {
  test('are not taken for each other', () => {
    expect(rateOf(asBitsPerSecond(200e6), asPercent(20))).toBe(40e6);
    // @ts-expect-error a percentage where a rate is wanted
    const rate: Parameters<typeof rateOf>[0] = asPercent(20);
    // @ts-expect-error a rate where a percentage is wanted
    const share: Parameters<typeof rateOf>[1] = asBitsPerSecond(20);
    // @ts-expect-error a number that nobody looked at
    expect(rateOf(rate, 20)).toBe(rateOf(asBitsPerSecond(20), share));
  });

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('%d is neither a rate, a percentage nor a time', (value) => {
    for (const unit of [asBitsPerSecond, asPercent, asSeconds]) expect(() => unit(value)).toThrow('outside its range');
  });

  test('a percentage ends at 100', () => {
    expect(asPercent(100)).toBe(100);
    expect(() => asPercent(100.1)).toThrow(RangeError);
  });
});

describe('sizes', () => {
  test.each([
    ['256GiB', 256 * 2 ** 30],
    ['64 GB', 64e9],
    ['1024', 1024],
    ['4Ki', 4096],
  ])('%s is read as bytes', (text, bytes) => {
    expect(parseBytes(text)).toBe(bytes);
  });

  test.each(['', '0', '-1', 'many'])("'%s' is no size", (text) => {
    expect(() => parseBytes(text)).toThrow('is not a size in bytes');
  });

  test('sizes are written with a binary unit', () => {
    expect(formatBytes(3 * 2 ** 30)).toBe('3 GiB');
    expect(formatBytes(1536)).toBe('1.5 KiB');
  });
});

describe('percentages and numbers', () => {
  test.each([
    ['6%', 6],
    ['6', 6],
    [' 0.5 % ', 0.5],
    ['100', 100],
  ])("'%s' is a percentage", (text, value) => {
    expect(parsePercent(text, '--cti')).toBe(value);
  });

  test.each(['0', '101', '-3', 'x'])("'%s' is outside the percentages", (text) => {
    expect(() => parsePercent(text, '--cti')).toThrow('--cti');
  });

  test.each([
    [Number.NaN, 'unknown'],
    [12e-6, '12 µs'],
    [0.85, '850 ms'],
    [12.34, '12.3 s'],
    [245, '4 min 05 s'],
    [7620, '2 h 07 min'],
  ])('%d seconds are written as %s', (seconds, text) => {
    expect(formatSeconds(seconds)).toBe(text);
  });

  test('a trimmed number has no exponent and three digits', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 1e15, noNaN: true }), (value) => {
        const text = trimNumber(value);
        expect(text).toMatch(/^\d+(\.\d+)?$/);
        expect(Math.abs(Number(text) / value - 1)).toBeLessThan(0.006);
      }),
    );
  });
});

describe('errors', () => {
  test('the kind of an error selects the exit code', () => {
    const error = new PredictError('host gone', { kind: 'infrastructure', host: 'node1' });
    expect(error.exitCode).toBe(EXIT.infrastructure);
    expect(error.host).toBe('node1');
  });

  test('anything thrown has a message', () => {
    expect(messageOf('text')).toBe('text');
    expect(messageOf(new Error('why'))).toBe('why');
  });
});

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

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PredictError } from '../../base/errors.ts';
import { formatRange, parseRange } from '../../base/ranges.ts';

const options = { what: '--nodes', least: 0, most: 1_000_000 };

describe('parseRange', () => {
  test.each([
    ['4,9,16,25', [4, 9, 16, 25]],
    ['9, 4 ,4', [4, 9]],
    ['10..14', [10, 11, 12, 13, 14]],
    ['10..50/20', [10, 30, 50]],
    ['10..45/20', [10, 30]],
    ['7..7', [7]],
    ['10..20/10%,100%', [10, 20, 100]],
  ])('%s is read', (text, values) => {
    expect(parseRange(text, options)).toEqual(values);
  });

  test.each([
    ['', 'is not a number or range'],
    ['4,,9', 'is not a number or range'],
    ['1-3', 'is not a number or range'],
    ['-4', 'is not a number or range'],
    ['9..4', 'runs backwards: write 4..9'],
    ['1..9/0', 'must be above 0'],
    ['2000000', '2000000 is outside its range'],
    ['0.5', 'is not a whole number'],
    ['0..1000000', 'more than 100000 values'],
  ])("'%s' is refused with what is wrong", (text, message) => {
    expect(() => parseRange(text, options)).toThrow(message);
    expect(() => parseRange(text, options)).toThrow(PredictError);
  });

  test('decimal steps have no binary noise', () => {
    expect(parseRange('0.1..0.5/0.1', { ...options, integer: false })).toEqual([0.1, 0.2, 0.3, 0.4, 0.5]);
  });

  test('formatRange is read back, for any ascending whole numbers', () => {
    const ascending = fc
      .uniqueArray(fc.integer({ min: 0, max: 100_000 }), { minLength: 1, maxLength: 40 })
      .map((values) => values.sort((a, b) => a - b));
    fc.assert(
      fc.property(ascending, (values) => {
        expect(parseRange(formatRange(values), options)).toEqual(values);
      }),
    );
  });

  test('formatRange is read back, for any percentages with two decimals', () => {
    const percents = fc
      .uniqueArray(fc.integer({ min: 1, max: 10_000 }), { minLength: 1, maxLength: 40 })
      .map((values) => values.sort((a, b) => a - b).map((value) => value / 100));
    fc.assert(
      fc.property(percents, (values) => {
        expect(parseRange(formatRange(values), { ...options, integer: false })).toEqual(values);
      }),
    );
  });
});

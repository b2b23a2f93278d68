import fc from 'fast-check';
import { expect, test } from 'vitest';
import { microseconds } from '../../../analysis/export/trace-events.ts';

test('nanoseconds survive a reader that multiplies by 1000 and cuts off the fraction', () => {
  fc.assert(
    fc.property(fc.oneof(fc.nat(1e6), fc.integer({ min: -(2 ** 50), max: 2 ** 50 })), (ns) => {
      expect(Math.trunc(JSON.parse(JSON.stringify(microseconds(ns))) * 1000) + 0).toBe(ns);
    }),
    { numRuns: 5000 },
  );
});

test('whole microseconds are whole', () => {
  expect([0, 1000, 10e6, 123_456_000].map(microseconds)).toEqual([0, 1, 10_000, 123_456]);
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type SizeFacts, sizeLine } from '../../../report/content/story/size.ts';

const rest = { scale: 20, bw: 100, noun: 'search', projected: null } as const;
const falling = [
  { nodes: 4, seconds: 4, interval: null },
  { nodes: 9, seconds: 2, interval: null },
  { nodes: 16, seconds: 1, interval: null },
];
const turning = [
  { nodes: 4, seconds: 1, interval: null },
  { nodes: 9, seconds: 0.5, interval: null },
  { nodes: 16, seconds: 0.7, interval: null },
];
const never = { value: null, low: null, high: null };

describe('whether more nodes help', () => {
  const table: [string, Omit<SizeFacts, keyof typeof rest>, RegExp, string][] = [
    [
      'no turn up to the reach of the models',
      { measured: falling, best: never, reach: 100 },
      /^More than 16 nodes help: no turn is seen up to 100 nodes\.$/,
      'over 100 nodes',
    ],
    [
      'a turn beyond all that was measured',
      { measured: falling, best: { value: 49, low: 36, high: 81 }, reach: 100 },
      /^More than 16 nodes help, up to about 49 nodes \(90 % interval 36 to 81\)\.$/,
      '49 nodes',
    ],
    [
      'a turn whose interval ends',
      { measured: turning, best: { value: 9, low: 9, high: 9 }, reach: 100 },
      /^Time is least on 9 nodes \(the whole 90 % interval\) and rises beyond\.$/,
      '9 nodes',
    ],
    [
      'an interval that holds the fastest measured size',
      { measured: turning, best: { value: 4, low: 4, high: 4 }, reach: 100 },
      /on about 4 nodes \(90 % interval 4 to 9\); more than 9 nodes do not help\.$/,
      '4 nodes',
    ],
    [
      'an interval without an end',
      { measured: turning, best: { value: 9, low: 4, high: null }, reach: 100 },
      /^Whether more than 16 nodes help cannot be said: .* \(90 % interval 4 to beyond 100\)\.$/,
      '9 nodes?',
    ],
    [
      'models that measured times contradict',
      { measured: turning, best: never, reach: 100 },
      /cannot be said: .* but 9 nodes were measured to be faster\.$/,
      'not known',
    ],
    [
      'models without an answer beyond',
      { measured: falling, best: never, reach: 16 },
      /cannot be said: .* have no answer beyond\.$/,
      'not known',
    ],
    ['no model', { measured: falling, best: null, reach: 16 }, /cannot be said: no model/, 'not known'],
    [
      'one size',
      { measured: falling.slice(0, 1), best: null, reach: 4 },
      /than 4 nodes help cannot be said: this is the only size/,
      'not known',
    ],
  ];
  it.each(table)('%s', (_, facts, answer, short) => {
    const line = sizeLine({ ...rest, ...facts });
    expect(line.answer).toMatch(answer);
    expect(line.short).toBe(short);
  });

  it('names the measured times that it stands on', () => {
    expect(sizeLine({ ...rest, measured: turning, best: null, reach: 16 }).detail).toBe(
      'Measured at full bandwidth and scale 20: one search takes 1 s on 4 nodes, 500 ms on 9 nodes (the fastest) and 700 ms on 16 nodes.',
    );
  });

  it('says how long it takes on the largest size that has an answer', () => {
    const projected = { value: 0.2, low: 0.1, high: 0.4 };
    expect(sizeLine({ ...rest, measured: falling, best: never, reach: 100, projected }).detail).toMatch(
      / By the models it takes 200 ms \(90 % interval 100 ms to 400 ms\) on 100 nodes\.$/,
    );
  });

  const facts = fc
    .record({
      seconds: fc.array(fc.double({ min: 1e-3, max: 1e3, noNaN: true }), { minLength: 2, maxLength: 6 }),
      places: fc.array(fc.nat(12), { minLength: 3, maxLength: 3 }),
      reach: fc.nat(6),
    })
    .map(({ seconds, places, reach }): SizeFacts => {
      const sizes = Array.from({ length: 12 }, (_, index) => (index + 1) ** 2);
      const measured = seconds.map((time, index) => ({ nodes: sizes[index] ?? 1, seconds: time, interval: null }));
      const far = sizes[seconds.length - 1 + reach] ?? 144;
      const [low, value, high] = places
        .sort((a, b) => a - b)
        .map((place) => sizes[place] ?? 1000)
        .map((nodes) => (nodes >= far ? null : nodes));
      return { ...rest, measured, reach: far, best: { low: low ?? null, value: value ?? null, high: high ?? null } };
    });

  it('never says that more nodes help and that time rises beyond fewer, nor against what was measured', () => {
    fc.assert(
      fc.property(facts, (one) => {
        const { answer, interval, value } = sizeLine(one);
        const most = one.measured.at(-1)?.nodes ?? 0;
        const times = one.measured.map(({ seconds }) => seconds);
        const fastest = one.measured[times.indexOf(Math.min(...times))]?.nodes ?? 0;
        const [helps, hurts, open] = [/^More than/, /do not help|rises/, /cannot be said/].map((sign) =>
          sign.test(answer),
        );
        expect([helps, hurts, open].filter(Boolean)).toHaveLength(1);
        if (helps) {
          // The least time may be that of several sizes.
          expect(times.at(-1)).toBe(Math.min(...times));
          expect(interval?.low ?? Number.POSITIVE_INFINITY).toBeGreaterThan(most);
        }
        if (interval === null) {
          expect(value).toBeNull();
          return;
        }
        const [low, high] = [interval.low ?? Number.POSITIVE_INFINITY, interval.high ?? Number.POSITIVE_INFINITY];
        expect(low).toBeLessThanOrEqual(value ?? Number.POSITIVE_INFINITY);
        expect(high).toBeGreaterThanOrEqual(value ?? one.reach);
        if (!helps) expect(low <= fastest && fastest <= high).toBe(true);
        if (hurts) expect(Number(/more than (\d+) nodes do not/.exec(answer)?.[1] ?? value)).toBe(interval.high);
      }),
      { numRuns: 2000 },
    );
  });
});

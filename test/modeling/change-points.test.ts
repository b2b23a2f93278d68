import fc from 'fast-check';
import { expect, test } from 'vitest';
import { at } from '../../base/lists.ts';
import { type Changes, FEWEST_VALUES, findChangePoints, type LogValue } from '../../modeling/judge/change-points.ts';
import { createRandom } from '../../modeling/judge/distributions.ts';

const STEP = Math.log(1.1);
const NOISE = 0.03;

function valuesOf(logs: readonly number[], variance: number | null = null): LogValue[] {
  return logs.map((log) => ({ log, variance }));
}

function changesOf(logs: readonly number[], variance: number | null = null): Changes {
  return at(findChangePoints([valuesOf(logs, variance)]), 0);
}

function placesOf({ points }: Changes): readonly number[] {
  return points.map(({ index }) => index);
}

/** Logarithms that are higher by a step from one place on. */
function history(random: ReturnType<typeof createRandom>, { from = 12, step = STEP } = {}): number[] {
  return Array.from({ length: 12 }, (_, index) => (index >= from ? step : 0) + NOISE * random.normal());
}

/** So many of 200 are exceeded once in a thousand times where 5 % are true (the binomial distribution). */
const MOST_OF_200 = 20;

test('at most 5 % of equal histories have a change point, whatever their noise', () => {
  const random = createRandom(1);
  const draws: (() => number)[] = [() => random.normal(), () => random.normal() * (random.uniform() < 0.1 ? 5 : 1)];
  for (const draw of draws) {
    const equal = Array.from({ length: 200 }, () => changesOf(Array.from({ length: 12 }, () => NOISE * draw())));
    expect(equal.filter(({ points }) => points.length > 0).length).toBeLessThanOrEqual(MOST_OF_200);
  }
});

test('equal histories that were measured together share their false alarms', () => {
  const random = createRandom(2);
  // Each by itself would have its own: nearly 5 % four times.
  const found = Array.from({ length: 200 }, () =>
    findChangePoints(Array.from({ length: 4 }, () => valuesOf(history(random)))),
  );
  const alarms = found.filter((together) => together.some(({ points }) => points.length > 0));
  expect(alarms.length).toBeLessThanOrEqual(MOST_OF_200);
});

test('a step of 10 % is found where it is, or one beside, nine times of ten; its interval holds it', () => {
  const random = createRandom(3);
  const found = [4, 5, 6, 7, 8, 9].flatMap((from) =>
    Array.from({ length: 20 }, () => {
      const { points } = changesOf(history(random, { from }));
      return points.find(({ index }) => Math.abs(index - from) <= 1);
    }),
  );
  const near = found.flatMap((point) => point ?? []);
  expect(near.length).toBeGreaterThanOrEqual(0.9 * found.length);
  const holds = near.filter(({ ratio: { low, high } }) => low <= 1.1 && 1.1 <= high);
  expect(holds.length).toBeGreaterThanOrEqual(0.83 * near.length);
});

test('a change that was undone is two changes', () => {
  const logs = Array.from({ length: 21 }, (_, index) => (index >= 7 && index < 14 ? STEP : 0) + 0.01 * (index % 3));
  expect(placesOf(changesOf(logs))).toEqual([7, 14]);
});

test('a ratio has the interval of a t-test', () => {
  const { points, levels, noise } = changesOf([0, 0.01, 0, 0.01, 0.2, 0.21, 0.2, 0.21]);
  expect(points).toHaveLength(1);
  const { index, ratio } = at(points, 0);
  // Eight errors of 0.005, six degrees of freedom; Student's t by the NIST table leaves 5 % above 1.943.
  const variance = (8 * 0.005 ** 2) / 6;
  expect(index).toBe(4);
  expect(Math.log(ratio.value)).toBeCloseTo(0.2, 12);
  expect(Math.log(ratio.high / ratio.value)).toBeCloseTo(1.943 * Math.sqrt(variance / 2), 5);
  expect(Math.log(ratio.value / ratio.low)).toBeCloseTo(1.943 * Math.sqrt(variance / 2), 5);
  expect(levels.map(Math.log)).toEqual([expect.closeTo(0.005, 12), expect.closeTo(0.205, 12)]);
  expect(noise).toBeCloseTo(Math.sqrt(variance), 12);
});

test('what repetitions scatter by is no change', () => {
  const logs = [0, 0.01, 0, 0.01, 0.2, 0.21, 0.2, 0.21];
  expect(placesOf(changesOf(logs, 0.001))).toEqual([4]);
  expect(placesOf(changesOf(logs, 0.04))).toEqual([]);
});

test('too few values, equal ones and single outliers have no change', () => {
  const step = (count: number): number[] => Array.from({ length: count }, (_, index) => (index < count / 2 ? 0 : 1));
  expect(placesOf(changesOf(step(FEWEST_VALUES - 1)))).toEqual([]);
  expect(placesOf(changesOf(step(FEWEST_VALUES)))).toEqual([FEWEST_VALUES / 2]);
  expect(placesOf(changesOf(new Array<number>(20).fill(0.3)))).toEqual([]);
  expect(placesOf(changesOf([...new Array<number>(12).fill(0), 1, 1]))).toEqual([]);
  expect(findChangePoints([[], [null, null]]).map(placesOf)).toEqual([[], []]);
});

test('units do not matter, and a missing value moves no other', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 31 }), fc.double({ min: -20, max: 20, noNaN: true }), (seed, unit) => {
      const logs = history(createRandom(seed), { from: 6, step: 0.2 });
      const [own, moved] = [changesOf(logs), changesOf(logs.map((log) => log + unit))];
      expect(placesOf(moved)).toEqual(placesOf(own));
      for (const [index, { ratio }] of moved.points.entries())
        expect(ratio.value).toBeCloseTo(at(own.points, index).ratio.value, 6);
    }),
    { numRuns: 15 },
  );
  const logs = [...new Array<number>(7).fill(0), ...new Array<number>(6).fill(0.1)].map(
    (log, index) => log + 0.005 * (index % 2),
  );
  const gapped = valuesOf(logs).map((value, index) => (index === 3 ? null : value));
  expect(placesOf(at(findChangePoints([gapped]), 0))).toEqual([7]);
});

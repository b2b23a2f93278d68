import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { computeSamplingAccuracy, type SamplingError } from '../../../analysis/grade10/attribution/accuracy.ts';
import { createModel, type Model } from '../../../analysis/grade10/model/create-model.ts';
import { readCase } from '../../cases/grade10/read-case.ts';
import { consumable, exact, makeCase, SLICE, variable, type Written } from '../make-case.ts';
import { randomCase } from '../random-case.ts';

/** The processor is measured slice by slice; A, which takes 1, is there in slices 0 to 2, then B, which takes nothing. */
const FOLLOWS: Written = {
  execution_spec: { name: '', children: [{ name: 'A' }, { name: 'B', after: ['A'] }] },
  resource_spec: { name: '', metrics: [{ name: 'cpu', class: 'consumable' }] },
  rules: [exact('/A', '/cpu', 1)],
  slices: { '/': [0, 8], '/A': [0, 3], '/B': [3, 8] },
  metrics: [perSlice('/cpu', [1, 1, 1, 0, 0, 0, 0, 0])],
};

function perSlice(path: string, rates: readonly number[], capacity = 4) {
  return consumable(path, { capacity, bounds: [0, ...rates.map((_, at) => at + 1)], rates });
}

function modelOf(written: Written): Model {
  return createModel(readCase(makeCase(written)));
}

/** Errors by method, in the order of `every`. */
function errors(found: readonly SamplingError[], metricType = '/cpu'): Record<string, (number | null)[]> {
  const of = (sampler: SamplingError['sampler']) =>
    found
      .filter((one) => one.sampler === sampler && one.metricType === metricType)
      .map(({ errorPercent }) => (errorPercent === null ? null : Number(errorPercent.toFixed(9))));
  return { constant: of('constant'), 'phase-aware': of('phase-aware') };
}

describe('a job whose greedy phases use exactly what they are expected to', () => {
  test('is restored by phase-aware sampling without error, where even sampling smears it', () => {
    expect(errors(computeSamplingAccuracy(modelOf(FOLLOWS), [1, 2, 4, 8]))).toEqual({
      constant: [
        0,
        // Slices 2 and 3 become 0.5 each: 1 wrong of 3 in all. Then 0.75 four times, then 3/8 eight times.
        Number((100 / 3).toFixed(9)),
        Number(((100 * (3 * 0.25 + 0.75)) / 3).toFixed(9)),
        Number(((100 * (3 * (5 / 8) + 5 * (3 / 8))) / 3).toFixed(9)),
      ],
      'phase-aware': [0, 0, 0, 0],
    });
  });

  test('has a smaller error by phases than evenly, wherever the phases change within a measurement', () => {
    const job = fc.record({ from: fc.integer({ min: 0, max: 18 }), length: fc.integer({ min: 1, max: 19 }) });
    fc.assert(
      fc.property(job, fc.integer({ min: 2, max: 20 }), ({ from, length }, k) => {
        const end = Math.min(20, from + length);
        const rates = Array.from({ length: 20 }, (_, slice) => (slice >= from && slice < end ? 1 : 0));
        const model = modelOf({
          ...FOLLOWS,
          slices: { '/': [0, 20], '/A': [from, end], '/B': [end, 20] },
          metrics: [perSlice('/cpu', rates)],
        });
        const { constant, 'phase-aware': aware } = errors(computeSamplingAccuracy(model, [k]));
        expect(aware).toEqual([0]);
        // A measurement boundary at each change, or the end of the job, leaves nothing to smear.
        const cut = [from, end].some((slice) => slice % k !== 0 && slice !== 20);
        if (cut) expect(constant?.[0]).toBeGreaterThan(0);
        else expect(constant?.[0]).toBe(0);
      }),
    );
  });
});

describe('a job whose phases say nothing about its use', () => {
  const EVEN: Written = {
    ...FOLLOWS,
    execution_spec: { name: '', children: [{ name: 'A' }] },
    rules: [variable('/A', '/cpu')],
    slices: { '/': [0, 8], '/A': [0, 8] },
  };

  test('is restored equally well by both', () => {
    const found = errors(
      computeSamplingAccuracy(modelOf({ ...EVEN, metrics: [perSlice('/cpu', [3, 1, 0, 2, 4, 4, 1, 1])] })),
    );
    expect(found['phase-aware']).toEqual(found.constant);
    // Pairs 3 1, 0 2, 4 4, 1 1: 4 of 16 are moved.
    expect(found.constant?.slice(0, 2)).toEqual([0, 25]);
  });

  test('loses nothing when two equal measurements are averaged', () => {
    const twice = computeSamplingAccuracy(
      modelOf({ ...EVEN, metrics: [perSlice('/cpu', [3, 3, 0, 0, 4, 4, 1, 1])] }),
      [2],
    );
    expect(errors(twice)).toEqual({ constant: [0], 'phase-aware': [0] });
  });

  test('measured over unequal periods is averaged by time', () => {
    const rates = consumable('/cpu', { capacity: 4, bounds: [0, 2, 8], rates: [4, 0] });
    // 8 in 8 slices is 1 each: 2 * 3 + 6 * 1 wrong of 8.
    expect(errors(computeSamplingAccuracy(modelOf({ ...EVEN, metrics: [rates] }), [2])).constant).toEqual([150]);
  });
});

test('a metric that was never used has no error, and does not spoil that of others', () => {
  const two: Written = {
    ...FOLLOWS,
    resource_spec: {
      name: '',
      metrics: [
        { name: 'cpu', class: 'consumable' },
        { name: 'link', class: 'consumable' },
        { name: 'lock', class: 'blocking' },
      ],
    },
    metrics: [
      perSlice('/link', Array<number>(8).fill(0)),
      ...(FOLLOWS.metrics ?? []),
      { class: 'blocking', path: '/lock', blocked_ns: [] },
    ],
  };
  const found = computeSamplingAccuracy(modelOf(two), [1, 2]);
  expect(errors(found, '/link')).toEqual({ constant: [null, null], 'phase-aware': [null, null] });
  expect(errors(found).constant).toEqual([0, Number((100 / 3).toFixed(9))]);
  expect(new Set(found.map(({ metricType }) => metricType))).toEqual(new Set(['/cpu', '/link']));
});

test('metrics of one type count together, each against its own measurements', () => {
  const hosts: Written = {
    ...FOLLOWS,
    resource_spec: {
      name: '',
      children: [{ name: 'host', repeat: 'many', key: 'id', metrics: [{ name: 'cpu', class: 'consumable' }] }],
    },
    rules: [],
    metrics: [
      perSlice('/host[id=0]/cpu', [2, 0, 2, 0, 0, 0, 0, 0]),
      perSlice('/host[id=1]/cpu', [0, 0, 0, 0, 3, 3, 3, 3]),
    ],
  };
  // 4 moved on one host and none on the other, of 16.
  expect(errors(computeSamplingAccuracy(modelOf(hosts), [2]), '/host/cpu').constant).toEqual([25]);
});

test('the interval is the mean length of a measurement, also where the last one is shorter', () => {
  const found = computeSamplingAccuracy(modelOf(FOLLOWS), [1, 2, 3, 100]);
  const intervals = found.filter(({ sampler }) => sampler === 'constant').map(({ intervalSeconds }) => intervalSeconds);
  const slices = [1, 2, 8 / 3, 8];
  expect(intervals).toEqual(slices.map((count) => expect.closeTo(count * SLICE * 1e-9, 15)));
});

test('intervals double from 1 to 64 unless others are asked for', () => {
  const found = computeSamplingAccuracy(modelOf(FOLLOWS));
  expect([...new Set(found.map(({ every }) => every))]).toEqual([1, 2, 4, 8, 16, 32, 64]);
});

describe('of random jobs', () => {
  const seed = fc.integer({ min: 0, max: 2 ** 31 });
  const ofRandom = (check: (found: readonly SamplingError[]) => void): void =>
    fc.assert(
      fc.property(seed, (value) => {
        const found = computeSamplingAccuracy(createModel(readCase(randomCase(value))));
        expect(found).not.toEqual([]);
        check(found);
      }),
      { numRuns: 60 },
    );

  test('even sampling of single measurements has no error', () => {
    ofRandom((found) => {
      for (const { sampler, every, errorPercent } of found) {
        if (sampler === 'constant' && every === 1 && errorPercent !== null) expect(errorPercent).toBeLessThan(1e-9);
      }
    });
  });

  test('an error is never below 0, and unknown either for both methods at every interval or for none', () => {
    ofRandom((found) => {
      for (const type of new Set(found.map(({ metricType }) => metricType))) {
        const own = found.filter(({ metricType }) => metricType === type);
        const unknown = own.filter(({ errorPercent }) => errorPercent === null).length;
        expect([0, own.length]).toContain(unknown);
        for (const { errorPercent } of own) expect(errorPercent ?? 0).toBeGreaterThanOrEqual(0);
      }
    });
  });
});

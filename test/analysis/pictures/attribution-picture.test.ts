import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Analysis, analyse } from '../../../analysis/grade10/analyse-phases.ts';
import { type AttributionPicture, createAttributionPictures } from '../../../analysis/pictures/bottleneck-report.ts';
import type { Case } from '../../cases/grade10/case-records.ts';
import { times } from '../../times.ts';
import { outputOf } from '../case-output.ts';
import { analysed } from '../export/analysed.ts';
import { consumable, exact, makeCase, SLICE, variable, type Written } from '../make-case.ts';
import { randomCase } from '../random-case.ts';

/** Each case's rows are the model's. */
function rowOf(input: Case, path: string): number {
  return input.phases.findIndex((phase) => phase.path === path);
}

function pictureOf(pictures: readonly AttributionPicture[], sampler: AttributionPicture['sampler']) {
  const found = pictures.find((one) => one.sampler === sampler);
  if (found === undefined) throw new Error(`no ${sampler} picture`);
  return found;
}

describe('a job made by hand', () => {
  /** A takes 2 in slices 2 to 5, B what is left from 4 on; 8 were used in 4 slices, then 12 in 6. */
  const WRITTEN: Written = {
    execution_spec: { name: '', children: [{ name: 'Job', children: [{ name: 'A' }, { name: 'B' }] }] },
    resource_spec: {
      name: '',
      metrics: [
        { name: 'cpu', class: 'consumable' },
        { name: 'wait', class: 'blocking' },
      ],
    },
    rules: [exact('/Job/A', '/cpu', 2), variable('/Job/B', '/cpu')],
    slices: { '/': [0, 10], '/Job': [2, 8], '/Job/A': [2, 6], '/Job/B': [4, 8] },
    metrics: [
      consumable('/cpu', { capacity: 4, bounds: [0, 4, 10], rates: [1, 2] }),
      { class: 'blocking', path: '/wait', blocked_ns: [] },
    ],
  };
  const input = makeCase(WRITTEN);
  const analysis = analysed(input);
  const pictures = createAttributionPictures(analysis, { row: rowOf(input, '/Job'), metric: 0 });
  const arrays = ({ used }: AttributionPicture) =>
    used.map(({ type, usage, capacity }) => ({ type, usage: [...usage], capacity: [...capacity] }));

  test('is pictured by both methods, with what was measured while the phase lasted', () => {
    expect(pictures.map(({ sampler }) => sampler)).toEqual(['constant', 'phase-aware']);
    const at = (slice: number): number => slice * SLICE * 1e-9;
    for (const { metric, capacity, sliceSeconds, measured } of pictures) {
      expect({ metric, capacity, sliceSeconds }).toEqual({ metric: '/cpu', capacity: 4, sliceSeconds: at(1) });
      expect(measured).toEqual([
        { from: 0, to: expect.closeTo(at(2), 15), rate: 1 },
        { from: expect.closeTo(at(2), 15), to: expect.closeTo(at(6), 15), rate: 2 },
      ]);
    }
  });

  test('sampled evenly gives A the measured rate and B the rest', () => {
    const constant = pictureOf(pictures, 'constant');
    expect([...constant.sampled]).toEqual([1, 1, 2, 2, 2, 2]);
    expect(arrays(constant)).toEqual([
      { type: '/Job/A', usage: [1, 1, 2, 2, 0, 0], capacity: [2, 2, 2, 2, 0, 0] },
      { type: '/Job/B', usage: [0, 0, 0, 0, 2, 2], capacity: [0, 0, 2, 2, 4, 4] },
    ]);
  });

  test('sampled by phases gives A its 2 wherever it was, and B what is left of the period', () => {
    const aware = pictureOf(pictures, 'phase-aware');
    // Of the first 4 A takes all in slices 2 and 3; of the 12 that follow A takes 4, B 2 in each of its four slices.
    expect([...aware.sampled]).toEqual([2, 2, 4, 4, 2, 2].map((value) => expect.closeTo(value, 9)));
    expect(arrays(aware).map(({ type, usage }) => ({ type, usage }))).toEqual([
      { type: '/Job/A', usage: [2, 2, 2, 2, 0, 0] },
      { type: '/Job/B', usage: [0, 0, 2, 2, 2, 2].map((value) => expect.closeTo(value, 9)) },
    ]);
  });

  test('has no picture of a metric that blocks; one that does not exist is a fault', () => {
    expect(createAttributionPictures(analysis, { row: 0, metric: 1 })).toEqual([]);
    expect(() => createAttributionPictures(analysis, { row: 0, metric: 2 })).toThrow('no element 2 among 2');
  });
});

describe('of random jobs', () => {
  const seed = fc.integer({ min: 0, max: 2 ** 31 });

  interface Place {
    readonly input: Case;
    readonly analysis: Analysis;
    readonly row: number;
    readonly metric: number;
  }

  /** All pictures of one phase of each job. */
  function forEachPicture(check: (picture: AttributionPicture, place: Place) => void): void {
    let checked = 0;
    fc.assert(
      fc.property(seed, fc.nat(), (value, any) => {
        const input = randomCase(value);
        const analysis = analysed(input);
        const row = any % input.phases.length;
        for (const metric of input.metrics.keys()) {
          const pictures = createAttributionPictures(analysis, { row, metric });
          expect(pictures).toHaveLength(input.metrics[metric]?.class === 'blocking' ? 0 : 2);
          for (const picture of pictures) check(picture, { input, analysis, row, metric });
          checked += pictures.length;
        }
      }),
      { numRuns: times(20) },
    );
    expect(checked).toBeGreaterThan(0);
  }

  test('what each type of leaves used adds up to what was attributed to the leaves, and so does their capacity', () => {
    forEachPicture(({ sampler, metric, used }, { input, analysis: { model }, row }) => {
      const { attribution } = outputOf(input, analyse(model, { sampler, thresholds: input.thresholds, issues: [] }));
      const [first, length] = [model.phases.first[row] ?? 0, model.phases.length[row] ?? 0];
      const wanted = new Map<string, { usage: Float64Array; capacity: Float64Array }>();
      for (const [path, metrics] of Object.entries(attribution)) {
        const own = metrics[metric];
        if (own === undefined || !isWithin(path, input.phases[row]?.path ?? '')) continue;
        const type = path.replace(/\[[^\]]*\]/g, '');
        const sums = wanted.get(type) ?? { usage: new Float64Array(length), capacity: new Float64Array(length) };
        wanted.set(type, sums);
        const offset = (model.phases.first[rowOf(input, path)] ?? 0) - first;
        for (const kind of ['usage', 'capacity'] as const) {
          for (const [slice, value] of own[kind].entries()) {
            sums[kind][offset + slice] = (sums[kind][offset + slice] ?? 0) + value;
          }
        }
      }
      expect(used.map(({ type }) => type).sort()).toEqual([...wanted.keys()].sort());
      for (const { type, usage, capacity } of used) {
        expectClose(usage, wanted.get(type)?.usage ?? new Float64Array(0));
        expectClose(capacity, wanted.get(type)?.capacity ?? new Float64Array(0));
      }
    });
  });

  test('no more is attributed in a slice than was sampled, and no more sampled than there is', () => {
    forEachPicture(({ used, sampled, capacity }) => {
      for (const [slice, value] of sampled.entries()) {
        const sum = used.reduce((total, { usage }) => total + (usage[slice] ?? 0), 0);
        expect(sum).toBeLessThanOrEqual(value + 1e-9 * Math.max(1, capacity));
        expect(value).toBeLessThanOrEqual(capacity * (1 + 1e-9));
      }
    });
  });

  test('both methods keep what was measured in each period that lies within the job', () => {
    fc.assert(
      fc.property(seed, (value) => {
        const { analysis, pictures } = ofWholeJob(randomCase(value));
        expect(pictures).not.toEqual([]);
        for (const { metric: path, sampled } of pictures) {
          const metric = analysis.model.metrics.find((one) => one.path === path);
          if (metric?.class !== 'consumable') throw new Error(path);
          for (const [period, rate] of metric.rates.entries()) {
            const [first = 0, end = 0] = [metric.first[period], metric.end[period]];
            if (end - first !== metric.slices[period]) continue;
            // Rates of random jobs are never above the capacity, so that there is room for all of it.
            const sum = sampled.slice(first, end).reduce((total, one) => total + one, 0);
            expect(Math.abs(sum - rate * (end - first))).toBeLessThanOrEqual(1e-9 * Math.max(1, sum));
          }
        }
      }),
      { numRuns: times(20) },
    );
  });

  test('measurements tile the phase', () => {
    forEachPicture(({ measured, sliceSeconds }, { analysis: { model }, row }) => {
      const length = model.phases.length[row] ?? 0;
      let reached = 0;
      for (const { from, to } of measured) {
        expect(from).toBe(reached);
        expect(to).toBeGreaterThan(from);
        reached = to;
      }
      expect(reached).toBe(length * sliceSeconds);
    });
  });
});

function ofWholeJob(input: Case): { readonly analysis: Analysis; readonly pictures: readonly AttributionPicture[] } {
  const analysis = analysed(input);
  const row = analysis.model.phases.root;
  return {
    analysis,
    pictures: input.metrics.flatMap((_, metric) => createAttributionPictures(analysis, { row, metric })),
  };
}

function isWithin(path: string, above: string): boolean {
  return path === above || path.startsWith(above.replace(/\/?$/, '/'));
}

function expectClose(found: Float64Array, wanted: Float64Array): void {
  expect(found).toHaveLength(wanted.length);
  for (const [index, value] of wanted.entries()) {
    const difference = Math.abs((found[index] ?? Number.NaN) - value);
    expect(difference).toBeLessThanOrEqual(1e-9 * Math.max(1, value));
  }
}

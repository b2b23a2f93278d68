import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Analysis,
  type AttributionPicture,
  analyse,
  attributionPictures,
  type Case,
  createModel,
  readCase,
  writeCase,
} from '../../../analysis/index.ts';
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
    execution_spec: { name: '', children: [{ name: 'Job', children: [{ name: 'B' }, { name: 'A' }] }] },
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
  const pictures = attributionPictures(analysis, { row: rowOf(input, '/Job'), metric: 0 });
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

  test('has no picture of a metric that blocks, nor of one that does not exist', () => {
    expect(attributionPictures(analysis, { row: 0, metric: 1 })).toEqual([]);
    expect(attributionPictures(analysis, { row: 0, metric: 2 })).toEqual([]);
  });
});

describe('of random jobs', () => {
  const seed = fc.integer({ min: 0, max: 2 ** 31 });

  function forEachPicture(
    check: (
      picture: AttributionPicture,
      at: { readonly input: Case; readonly analysis: Analysis; readonly row: number; readonly metric: number },
    ) => void,
  ): void {
    fc.assert(
      fc.property(seed, (value) => {
        const input = randomCase(value);
        const analysis = analysed(input);
        for (let row = 0; row < input.phases.length; row += 1) {
          for (let metric = 0; metric < input.metrics.length; metric += 1) {
            const pictures = attributionPictures(analysis, { row, metric });
            for (const picture of pictures) check(picture, { input, analysis, row, metric });
          }
        }
      }),
      { numRuns: 40 },
    );
  }

  test('what each type of leaves used adds up to what was attributed to the leaves, and so does their capacity', () => {
    let job: Case | null = null;
    const outputs = new Map<string, ReturnType<typeof writeCase>>();
    forEachPicture(({ sampler, metric, used }, { input, analysis, row }) => {
      if (job !== input) outputs.clear();
      job = input;
      const known = outputs.get(sampler);
      const model = createModel(readCase(input));
      const output = known ?? writeCase(input, analyse(model, { sampler, thresholds: input.thresholds, issues: [] }));
      outputs.set(sampler, output);
      const own = input.phases[row]?.path ?? '';
      const { first, length } = analysis.model.phases;
      for (const { type, usage, capacity } of used) {
        const wanted = { usage: new Float64Array(length[row] ?? 0), capacity: new Float64Array(length[row] ?? 0) };
        for (const [path, metrics] of Object.entries(output.attribution)) {
          if (path.replace(/\[[^\]]*\]/g, '') !== type || !(path === own || path.startsWith(own.replace(/\/?$/, '/')))) {
            continue;
          }
          const offset = (first[rowOf(input, path)] ?? 0) - (first[row] ?? 0);
          for (const kind of ['usage', 'capacity'] as const) {
            for (const [slice, value] of (metrics[metric]?.[kind] ?? []).entries()) {
              wanted[kind][offset + slice] = (wanted[kind][offset + slice] ?? 0) + value;
            }
          }
        }
        expectClose(usage, wanted.usage);
        expectClose(capacity, wanted.capacity);
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
    forEachPicture(({ sampled }, { analysis: { model }, row, metric: index }) => {
      const metric = model.metrics[index];
      if (row !== model.phases.root || metric?.class !== 'consumable') return;
      for (const [period, rate] of metric.rates.entries()) {
        const [first = 0, end = 0] = [metric.first[period], metric.end[period]];
        if (end - first !== metric.slices[period]) continue;
        // Rates of random jobs are never above the capacity, so that there is room for all of it.
        const sum = sampled.slice(first, end).reduce((total, value) => total + value, 0);
        expect(Math.abs(sum - rate * (end - first))).toBeLessThanOrEqual(1e-9 * Math.max(1, sum));
      }
    });
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

function expectClose(found: Float64Array, wanted: Float64Array): void {
  expect(found).toHaveLength(wanted.length);
  for (const [index, value] of wanted.entries()) {
    const difference = Math.abs((found[index] ?? Number.NaN) - value);
    expect(difference).toBeLessThanOrEqual(1e-9 * Math.max(1, value));
  }
}

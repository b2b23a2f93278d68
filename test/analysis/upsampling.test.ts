import fc from 'fast-check';
import { expect, test } from 'vitest';
import { analyse } from '../../analysis/grade10/analyse-phases.ts';
import type { Sampler } from '../../analysis/grade10/attribution/upsample.ts';
import { createModel } from '../../analysis/grade10/model/create-model.ts';
import { readCase } from '../cases/grade10/read-case.ts';
import { times } from '../times.ts';
import { blocking, consumable, exact, full, makeCase, ONE_RESOURCE, run, variable } from './make-case.ts';

const GREEDY_AND_SINK = {
  execution_spec: { name: '', children: [{ name: 'G' }, { name: 'S' }] },
  resource_spec: ONE_RESOURCE,
  rules: [exact('/G', '/R', 4), variable('/S', '/R')],
};

test('usage goes to greedy phases first, then to sinks, then evenly to all slices', () => {
  const { sampled } = run({
    ...GREEDY_AND_SINK,
    slices: { '/': [0, 4], '/G': [0, 1], '/S': [0, 2] },
    metrics: [consumable('/R', { capacity: 10, bounds: [0, 4], rates: [6] })],
  });
  // 24 in all: 4 to G; 20 - 16 for the sink in slices 0 (room 6) and 1 (room 10); the last 4 to slices 2 and 3 (0 has no room).
  expect(sampled['/R']).toEqual([10, 10, 2, 2]);
});

test('greedy phases get no more than the capacity of the resource', () => {
  const { sampled } = run({
    ...GREEDY_AND_SINK,
    rules: [exact('/G', '/R', 40), variable('/S', '/R')],
    slices: { '/': [0, 2], '/G': [0, 1], '/S': [1, 2] },
    metrics: [consumable('/R', { capacity: 10, bounds: [0, 2], rates: [8] })],
  });
  expect(sampled['/R']).toEqual([10, 6]);
});

test('sinks share by weight', () => {
  const { sampled } = run({
    execution_spec: { name: '', children: [{ name: 'S' }, { name: 'T' }] },
    resource_spec: ONE_RESOURCE,
    rules: [variable('/S', '/R', 1), variable('/T', '/R', 3)],
    slices: { '/': [0, 2], '/S': [0, 1], '/T': [1, 2] },
    metrics: [consumable('/R', { capacity: 100, bounds: [0, 2], rates: [4] })],
  });
  expect(sampled['/R']).toEqual([2, 6]);
});

test('what a full slice cannot take goes to the others', () => {
  const { sampled } = run({
    execution_spec: { name: '', children: [{ name: 'S' }, { name: 'T' }] },
    resource_spec: ONE_RESOURCE,
    rules: [variable('/S', '/R', 1), variable('/T', '/R', 9)],
    slices: { '/': [0, 2], '/S': [0, 1], '/T': [1, 2] },
    metrics: [consumable('/R', { capacity: 6, bounds: [0, 2], rates: [5] })],
  });
  expect(sampled['/R']).toEqual([4, 6]);
});

test('waiting phases draw no usage', () => {
  const { sampled } = run({
    ...GREEDY_AND_SINK,
    rules: [variable('/S', '/R'), full('/S', '/B')],
    slices: { '/': [0, 4], '/S': [0, 4] },
    metrics: [consumable('/R', { capacity: 10, bounds: [0, 4], rates: [3] }), blocking('/B', [1, 3], [2, 3])],
  });
  expect(sampled['/R']).toEqual([6, 0, 0, 6]);
});

test('a period that overhangs the job is spread over all its slices before it is cropped', () => {
  const { sampled } = run({
    ...GREEDY_AND_SINK,
    slices: { '/': [2, 4] },
    metrics: [consumable('/R', { capacity: 10, bounds: [0, 3, 8], rates: [3, 2] })],
  });
  expect(sampled['/R']).toEqual([3, 2]);
});

test('usage of an overhanging period goes to the phases inside the job first', () => {
  const { sampled } = run({
    ...GREEDY_AND_SINK,
    slices: { '/': [2, 4], '/G': [2, 4] },
    metrics: [consumable('/R', { capacity: 10, bounds: [0, 3, 4], rates: [2, 1] })],
  });
  // Period 0: 6 in all, 4 of it greedy in slice 2, the other 2 spread over slices 0 to 2.
  expect(sampled['/R']?.[0]).toBeCloseTo(4 + 2 / 3, 12);
  expect(sampled['/R']?.[1]).toBe(1);
});

test('a measurement shorter than a slice vanishes or fills it', () => {
  const { sampled } = run({
    ...GREEDY_AND_SINK,
    slices: { '/': [0, 2] },
    metrics: [
      {
        class: 'consumable',
        path: '/R',
        capacity: 10,
        observation_times_ns: [0, 4, 6, 11, 20],
        observation_values: [1, 2, 3, 4],
      },
    ],
  });
  expect(sampled['/R']).toEqual([2, 4]);
});

test('constant sampling repeats the measured rate, also above the capacity', () => {
  const { sampled } = run({
    ...GREEDY_AND_SINK,
    sampler: 'constant',
    slices: { '/': [0, 4], '/G': [0, 1] },
    metrics: [consumable('/R', { capacity: 10, bounds: [0, 2, 4], rates: [12, 3] })],
  });
  expect(sampled['/R']).toEqual([12, 12, 3, 3]);
});

test('a sampler of your own sees periods and workloads', () => {
  const model = createModel(
    readCase(
      makeCase({
        ...GREEDY_AND_SINK,
        slices: { '/': [0, 4], '/G': [0, 2] },
        metrics: [consumable('/R', { capacity: 10, bounds: [0, 4], rates: [5] })],
      }),
    ),
  );
  const sampler: Sampler = ({ first, end, capacity }, { greedy }, samples) => {
    for (let slice = first; slice < end; slice += 1) samples[slice] = Math.min(greedy[slice] ?? 0, capacity);
  };
  const { attribution } = analyse(model, { sampler: () => sampler });
  expect([...(attribution.samples[0] ?? [])]).toEqual([4, 4, 0, 0]);
});

test('the total of each measurement is kept and no sample exceeds the capacity', () => {
  const slice = fc.integer({ min: 0, max: 20 });
  const life = fc.tuple(slice, slice).map(([a, b]): [number, number] => [Math.min(a, b), Math.max(a, b)]);
  const rate = fc.double({ min: 0, max: 10, noNaN: true });
  const job = fc.record({
    greedy: life,
    sink: life,
    waits: fc.array(life, { maxLength: 3 }),
    cap: fc.double({ min: 0, max: 20, noNaN: true }),
    weight: fc.double({ min: 0, max: 5, noNaN: true }),
    bounds: fc.uniqueArray(fc.integer({ min: 1, max: 19 }), { maxLength: 5 }),
    rates: fc.array(rate, { minLength: 6, maxLength: 6 }),
  });
  fc.assert(
    fc.property(job, ({ greedy, sink, waits, cap, weight, bounds, rates }) => {
      const edges = [0, ...bounds.sort((a, b) => a - b), 20];
      const { sampled } = run({
        ...GREEDY_AND_SINK,
        rules: [exact('/G', '/R', cap), variable('/S', '/R', weight), full('/S', '/B')],
        slices: { '/': [0, 20], '/G': greedy, '/S': sink },
        metrics: [
          consumable('/R', { capacity: 10, bounds: edges, rates: rates.slice(0, edges.length - 1) }),
          blocking('/B', ...waits),
        ],
      });
      const samples = sampled['/R'] ?? [];
      expect(samples).toHaveLength(20);
      for (const [index, from] of edges.slice(0, -1).entries()) {
        const part = samples.slice(from, edges[index + 1]);
        const wanted = (rates[index] ?? 0) * part.length;
        const sum = part.reduce((a, b) => a + b, 0);
        expect(Math.abs(sum - wanted)).toBeLessThanOrEqual(1e-9 * Math.max(1, wanted));
      }
      for (const sample of samples) expect(sample).toBeLessThanOrEqual(10 * (1 + 1e-12));
      for (const sample of samples) expect(sample).toBeGreaterThanOrEqual(0);
    }),
    { numRuns: times(60) },
  );
});

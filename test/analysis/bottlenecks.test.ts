import { expect, test } from 'vitest';
import { analyse } from '../../analysis/grade10/analyse-phases.ts';
import { type BottleneckPredicate, predicates } from '../../analysis/grade10/bottlenecks/composites.ts';
import { createModel } from '../../analysis/grade10/model/create-model.ts';
import { readCase } from '../cases/grade10/read-case.ts';
import { blocking, consumable, exact, full, makeCase, ONE_RESOURCE, run, variable } from './make-case.ts';

const PAIR = {
  execution_spec: { name: '', children: [{ name: 'G' }, { name: 'S' }] },
  resource_spec: ONE_RESOURCE,
};

test('a phase at its cap is a local bottleneck, a resource at its capacity a global one for all who use it', () => {
  const output = run({
    ...PAIR,
    rules: [exact('/G', '/R', 2), variable('/S', '/R')],
    slices: { '/': [0, 3], '/G': [0, 3], '/S': [0, 3] },
    metrics: [consumable('/R', { capacity: 10, bounds: [0, 1, 2, 3], rates: [1, 5, 9.6] })],
  });
  expect(output.leaf_bottlenecks).toEqual({ '/G': { '/R': '1N1L1G' }, '/S': { '/R': '2N1G' } });
});

test('exactly delta counts, anything below does not', () => {
  const output = run({
    ...PAIR,
    thresholds: { global: 0.5, local: 0.5 },
    rules: [exact('/G', '/R', 2)],
    slices: { '/': [0, 4], '/G': [0, 4] },
    metrics: [consumable('/R', { capacity: 8, bounds: [0, 1, 2, 3, 4], rates: [0.99, 1, 3.99, 4] })],
  });
  expect(output.leaf_bottlenecks['/G']?.['/R']).toBe('1N2L1G');
});

test('a starved phase, with nothing used and nothing available, is not bottlenecked', () => {
  const output = run({
    ...PAIR,
    rules: [exact('/G', '/R', 10), variable('/S', '/R')],
    slices: { '/': [0, 1], '/G': [0, 1], '/S': [0, 1] },
    metrics: [consumable('/R', { capacity: 10, bounds: [0, 1], rates: [9] })],
  });
  expect(output.attribution['/S']?.['/R']).toEqual({ usage: [0], capacity: [0] });
  expect(output.leaf_bottlenecks['/S']?.['/R']).toBe('1N');
});

test('rounding does not make a starved phase a bottleneck', () => {
  const parts = Array.from({ length: 7 }, (_, i) => `/G[i=${i}]`);
  const output = run({
    execution_spec: { name: '', children: [{ name: 'G', repeat: 'concurrent', key: 'i' }, { name: 'S' }] },
    resource_spec: ONE_RESOURCE,
    rules: [exact('/G', '/R', 0.7), variable('/S', '/R')],
    slices: Object.fromEntries(['/', ...parts, '/S'].map((path): [string, [number, number]] => [path, [0, 1]])),
    metrics: [consumable('/R', { capacity: 3.3, bounds: [0, 1], rates: [2.9] })],
  });
  expect(output.leaf_bottlenecks['/S']?.['/R']).toBe('1N');
});

test('a waiting phase is bottlenecked on what it waits for and on nothing else', () => {
  const output = run({
    ...PAIR,
    rules: [variable('/S', '/R'), full('/S', '/B'), variable('/G', '/R')],
    slices: { '/': [0, 4], '/G': [0, 4], '/S': [0, 4] },
    metrics: [consumable('/R', { capacity: 10, bounds: [0, 4], rates: [10] }), blocking('/B', [1, 3])],
  });
  expect(output.leaf_bottlenecks).toEqual({ '/G': { '/R': '4G' }, '/S': { '/B': '1N2G1N', '/R': '1G2N1G' } });
});

test.each(['phase-aware', 'constant'] as const)('an unused metric of capacity 0 is no bottleneck (%s)', (sampler) => {
  const output = run({
    ...PAIR,
    sampler,
    rules: [variable('/S', '/R')],
    slices: { '/': [0, 2], '/S': [0, 2] },
    metrics: [consumable('/R', { capacity: 0, bounds: [0, 1, 2], rates: [0, 0] })],
  });
  expect(output.leaf_bottlenecks['/S']?.['/R']).toBe('2N');
});

test('a metric of capacity 0 is a bottleneck where it was used', () => {
  const input = makeCase({
    ...PAIR,
    sampler: 'constant',
    rules: [variable('/S', '/R')],
    slices: { '/': [0, 2], '/S': [0, 2] },
    metrics: [consumable('/R', { capacity: 0, bounds: [0, 1, 2], rates: [0, 1] })],
  });
  const model = createModel(readCase(input));
  expect([...analyse(model, { sampler: 'constant' }).leaves.typeStates.slice(-2)]).toEqual([0, 2]);
  expect(model.notices).toEqual(['/R has capacity 0: it counts as a bottleneck only where usage was measured.']);
});

const HOSTS = {
  execution_spec: { name: '', children: [{ name: 'S' }] },
  resource_spec: {
    name: '',
    children: [
      { name: 'host', repeat: 'many' as const, key: 'id', metrics: [{ name: 'cpu', class: 'consumable' as const }] },
    ],
  },
  slices: { '/': [0, 3], '/S': [0, 3] } as const,
  metrics: [
    consumable('/host[id=0]/cpu', { capacity: 10, bounds: [0, 1, 2, 3], rates: [10, 1, 1] }),
    consumable('/host[id=1]/cpu', { capacity: 10, bounds: [0, 1, 2, 3], rates: [1, 4, 1] }),
  ],
};

test('a phase is bottlenecked on a type whenever it is on any metric of it, the global state before the local', () => {
  const output = run({ ...HOSTS, rules: [exact('/S', '/host/cpu', 4)] });
  expect(output.leaf_metric_bottlenecks['/S']).toEqual({ '/host[id=0]/cpu': '1G2N', '/host[id=1]/cpu': '1N1L1N' });
  expect(output.leaf_bottlenecks['/S']).toEqual({ '/host/cpu': '1G1L1N' });
});

test('thresholds can differ per metric and per phase', () => {
  const model = createModel(readCase(makeCase({ ...HOSTS, rules: [exact('/S', '/host/cpu', 4)] })));
  const { leaves } = analyse(model, {
    thresholds: {
      global: (metric) => (metric === 0 ? 1 : 0.1),
      local: (phase, metric) => (phase + metric > 0 ? 1 : 1),
    },
  });
  expect([...leaves.metricStates]).toEqual([2, 0, 0, 2, 2, 2]);
});

/** Three workers of one type and one reader, with waits so that each slice shows another combination. */
const FOUR = {
  execution_spec: { name: '', children: [{ name: 'W', repeat: 'concurrent' as const, key: 'i' }, { name: 'Read' }] },
  resource_spec: {
    name: '',
    children: [
      { name: 'lock', repeat: 'many' as const, key: 'of', metrics: [{ name: 'wait', class: 'blocking' as const }] },
    ],
  },
  rules: [full('/W', '/lock/wait'), full('/Read', '/lock/wait')],
  slices: { '/': [0, 8], '/W[i=0]': [0, 6], '/W[i=1]': [0, 6], '/W[i=2]': [0, 7], '/Read': [0, 6] } as const,
  metrics: [
    blocking('/lock[of=0]/wait', [1, 5]),
    blocking('/lock[of=1]/wait', [2, 5]),
    blocking('/lock[of=2]/wait', [3, 5], [6, 7]),
    blocking('/lock[of=r]/wait', [4, 6]),
  ],
  mapping: [
    ...[0, 1, 2].map((i) => ({ phase: `/W[i=${i}]`, resources: [`/lock[of=${i}]`] })),
    { phase: '/Read', resources: ['/lock[of=r]'] },
  ],
};

test.each([
  // Waiting: none, W0, W0-1, W0-2, all, Read alone, W2 alone alive, none alive.
  ['any', '1N6B1N'],
  ['all', '4N1B1N1B1N'],
  ['majority', '2N3B1N1B1N'],
  ['majority+any', '2N5B1N'],
])('%s of a phase is bottlenecked', (predicate, runs) => {
  expect(run(FOUR).composite_bottlenecks[predicate]?.['/']?.['/lock/wait']).toBe(runs);
});

test('a predicate of your own sees the subphases alive and may know their types', () => {
  const model = createModel(readCase(makeCase(FOUR)));
  const read = model.phaseTypes.indexOf.get('/Read');
  const asked: number[] = [];
  const reader: BottleneckPredicate = {
    kind: 'subphases',
    name: 'reader',
    holds: (subphases, { slice }) => {
      asked.push(slice, subphases.length);
      return subphases.some(({ type, bottlenecked }) => type === read && bottlenecked);
    },
  };
  const [found] = analyse(model, { predicates: [reader] }).bottlenecks;
  const start = analyse(model).leaves.typeStart[0] ?? 0;
  expect([...(found?.states.slice(start, start + 8) ?? [])]).toEqual([0, 0, 0, 0, 1, 1, 0, 0]);
  expect(asked.slice(-4)).toEqual([5, 4, 6, 1]);
});

test('counting and asking for each subphase come to the same', () => {
  const model = createModel(readCase(makeCase(FOUR)));
  const half: BottleneckPredicate = {
    kind: 'subphases',
    name: 'half',
    holds: (subphases) => 2 * subphases.filter(({ bottlenecked }) => bottlenecked).length >= subphases.length,
  };
  const [counted, asked] = analyse(model, { predicates: [predicates.majority, half] }).bottlenecks;
  expect(asked?.states).toEqual(counted?.states);
  expect(asked?.slices).toEqual(counted?.slices);
});

test('a type that no leaf below can use is undefined, one that some can is false while none is alive', () => {
  const output = run({
    execution_spec: {
      name: '',
      children: [
        { name: 'A', children: [{ name: 'B' }] },
        { name: 'C', children: [{ name: 'D' }] },
      ],
    },
    resource_spec: ONE_RESOURCE,
    rules: [full('/A/B', '/B')],
    slices: { '/': [0, 4], '/A': [0, 2], '/A/B': [1, 2], '/C': [2, 4], '/C/D': [2, 4] },
    metrics: [blocking('/B', [0, 4])],
  });
  expect(output.composite_bottlenecks.all).toEqual({ '/': { '/B': '1N1B2N' }, '/A': { '/B': '1N1B' }, '/C': {} });
});

test.each([
  [{ global: 0 }, 'The global threshold is 0: give a share of the capacity above 0 and at most 1.'],
  [{ local: 1.5 }, 'The local threshold is 1.5: give a share of the capacity above 0 and at most 1.'],
])('a threshold that is no share is refused', (thresholds, message) => {
  const model = createModel(readCase(makeCase()));
  expect(() => analyse(model, { thresholds })).toThrow(message);
});

test('two predicates of one name are refused', () => {
  const model = createModel(readCase(makeCase()));
  expect(() => analyse(model, { predicates: [predicates.any, predicates.any] })).toThrow(
    "Two predicates are named 'any': give each its own name.",
  );
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { times } from '../times.ts';
import { blocking, consumable, exact, full, ONE_RESOURCE, run, variable } from './make-case.ts';

const TYPES = ['G', 'H', 'S', 'T'];
const MODEL = {
  execution_spec: { name: '', children: TYPES.map((name) => ({ name })) },
  resource_spec: ONE_RESOURCE,
};
const ALL = { '/': [0, 1], '/G': [0, 1], '/H': [0, 1], '/S': [0, 1], '/T': [0, 1] } as const;

function attributed(
  rules: Parameters<typeof run>[0]['rules'],
  { rate, capacity = 10 }: { rate: number; capacity?: number },
): Record<string, [number, number]> {
  const { attribution } = run({
    ...MODEL,
    rules: rules ?? [],
    slices: ALL,
    metrics: [consumable('/R', { capacity, bounds: [0, 1], rates: [rate] })],
  });
  const first = (values: number[] | undefined): number => values?.[0] ?? Number.NaN;
  return Object.fromEntries(
    Object.entries(attribution).map(([leaf, metrics]) => [
      leaf,
      [first(metrics['/R']?.usage), first(metrics['/R']?.capacity)],
    ]),
  );
}

test('greedy phases get their cap, sinks share the rest by weight', () => {
  const rules = [exact('/G', '/R', 2), exact('/H', '/R', 3), variable('/S', '/R', 1), variable('/T', '/R', 3)];
  expect(attributed(rules, { rate: 9 })).toEqual({
    '/G': [2, 2],
    '/H': [3, 3],
    '/S': [1, 1.25],
    '/T': [3, 3.75],
  });
});

test('too little usage for the caps is shared in proportion to them, and sinks get none', () => {
  const rules = [exact('/G', '/R', 2), exact('/H', '/R', 6), variable('/S', '/R')];
  expect(attributed(rules, { rate: 4 })).toEqual({ '/G': [1, 2], '/H': [3, 6], '/S': [0, 2] });
});

test('caps above the capacity limit what is available to each', () => {
  const rules = [exact('/G', '/R', 10), exact('/H', '/R', 30), variable('/S', '/R')];
  expect(attributed(rules, { rate: 8 })).toEqual({ '/G': [2, 2.5], '/H': [6, 7.5], '/S': [0, 0] });
});

test('a cap or a weight of 0 uses nothing', () => {
  const rules = [exact('/G', '/R', 0), variable('/S', '/R', 0)];
  expect(attributed(rules, { rate: 8 })).toEqual({ '/G': [0, 0], '/S': [0, 0] });
});

test('a phase without a rule, or that cannot reach the metric, has no attribution', () => {
  const { attribution } = run({
    execution_spec: { name: '', children: [{ name: 'A', repeat: 'concurrent', key: 'i' }, { name: 'Other' }] },
    resource_spec: {
      name: '',
      children: [{ name: 'host', repeat: 'many', key: 'id', metrics: [{ name: 'cpu', class: 'consumable' }] }],
    },
    rules: [variable('/A', '/host/cpu')],
    slices: { '/': [0, 2], '/A[i=0]': [0, 2], '/A[i=1]': [0, 2], '/Other': [0, 2] },
    metrics: [0, 1].map((id) => consumable(`/host[id=${id}]/cpu`, { capacity: 4, bounds: [0, 2], rates: [2 + id] })),
    mapping: [
      { phase: '/A[i=0]', resources: ['/host[id=0]'] },
      { phase: '/A[i=1]', resources: ['/host[id=1]'] },
    ],
  });
  expect(attribution).toEqual({
    '/A[i=0]': { '/host[id=0]/cpu': { usage: [2, 2], capacity: [4, 4] } },
    '/A[i=1]': { '/host[id=1]/cpu': { usage: [3, 3], capacity: [4, 4] } },
  });
});

test('a phase inherits its nearest listed ancestor, and its own entry replaces it', () => {
  const { attribution } = run({
    execution_spec: { name: '', children: [{ name: 'A', children: [{ name: 'B' }, { name: 'C' }] }] },
    resource_spec: {
      name: '',
      children: [{ name: 'host', repeat: 'many', key: 'id', metrics: [{ name: 'cpu', class: 'consumable' }] }],
    },
    rules: [variable('/A/B', '/host/cpu'), variable('/A/C', '/host/cpu')],
    slices: { '/': [0, 1], '/A': [0, 1], '/A/B': [0, 1], '/A/C': [0, 1] },
    metrics: [0, 1].map((id) => consumable(`/host[id=${id}]/cpu`, { capacity: 4, bounds: [0, 1], rates: [1] })),
    mapping: [
      { phase: '/A/C', resources: ['/host[id=1]'] },
      { phase: '/A', resources: ['/host[id=0]'] },
    ],
  });
  expect(Object.keys(attribution['/A/B'] ?? {})).toEqual(['/host[id=0]/cpu']);
  expect(Object.keys(attribution['/A/C'] ?? {})).toEqual(['/host[id=1]/cpu']);
});

test('the parts of active phases sum to the sample and none exceeds what was available', () => {
  const number = fc.double({ min: 0, max: 20, noNaN: true });
  const amounts = fc.tuple(number, number, number, number);
  fc.assert(
    fc.property(amounts, fc.double({ min: 0, max: 10, noNaN: true }), fc.boolean(), ([g, h, s, t], rate, waits) => {
      const output = run({
        ...MODEL,
        rules: [
          exact('/G', '/R', g),
          exact('/H', '/R', h),
          variable('/S', '/R', s + 0.1),
          variable('/T', '/R', t),
          full('/H', '/B'),
          full('/T', '/B'),
        ],
        slices: ALL,
        metrics: [
          consumable('/R', { capacity: 10, bounds: [0, 1], rates: [rate] }),
          blocking('/B', [0, waits ? 1 : 0]),
        ],
      });
      const found = Object.values(output.attribution).map((metrics) => metrics['/R']);
      const sum = (of: 'usage' | 'capacity'): number => found.reduce((total, one) => total + (one?.[of][0] ?? 0), 0);
      // A sink is always active, so nothing stays unattributed.
      expect(Math.abs(sum('usage') - rate)).toBeLessThanOrEqual(1e-9 * Math.max(1, rate));
      expect(Math.abs(sum('capacity') - 10)).toBeLessThanOrEqual(1e-8);
      expect(found).not.toEqual([]);
      for (const one of found) {
        expect(one?.usage[0]).toBeGreaterThanOrEqual(0);
        expect(one?.usage[0] ?? 0).toBeLessThanOrEqual((one?.capacity[0] ?? 0) + 1e-9);
      }
      if (waits) expect(output.attribution['/H']?.['/R']).toEqual({ usage: [0], capacity: [0] });
    }),
    { numRuns: times(100) },
  );
});

import { expect, test } from 'vitest';
import { createModel } from '../../analysis/grade10/model/create-model.ts';
import { createResourceTypes } from '../../analysis/grade10/model/metrics.ts';
import { createPhaseTypes } from '../../analysis/grade10/model/phase-types.ts';
import { PredictError } from '../../base/errors.ts';
import { parseCase } from '../cases/grade10/parse-case.ts';
import { runCase } from './case-output.ts';
import { blocking, consumable, exact, full, makeCase, ONE_RESOURCE, variable, type Written } from './make-case.ts';

const HOSTS: Written['resource_spec'] = {
  name: '',
  children: [{ name: 'host', repeat: 'many', key: 'id', metrics: [{ name: 'cpu', class: 'consumable' }] }],
};
const WORKERS: Written['execution_spec'] = {
  name: '',
  children: [{ name: 'W', repeat: 'concurrent', key: 'i', children: [{ name: 'C' }] }, { name: 'Load' }],
};
const CPU = consumable('/host[id=0]/cpu', { capacity: 4, bounds: [0, 10], rates: [1] });
const R = { capacity: 4, bounds: [0, 10], rates: [1] };

const table: readonly (readonly [string, Written, string])[] = [
  [
    'a phase that ends before it starts',
    { execution_spec: WORKERS, slices: { '/': [0, 10], '/Load': [5, 3] } },
    '/Load ends at 30 ns, before it starts at 50 ns: correct its log or clock.',
  ],
  [
    'a child that starts before its parent',
    { execution_spec: WORKERS, slices: { '/': [1, 10], '/Load': [0, 3] } },
    '/Load (0-30 ns) extends beyond / (10-100 ns): correct the clocks or clip it.',
  ],
  [
    'a child that ends after its parent',
    { execution_spec: WORKERS, slices: { '/': [0, 10], '/W[i=0]': [0, 4], '/W[i=0]/C': [0, 5] } },
    '/W[i=0]/C (0-50 ns) extends beyond /W[i=0] (0-40 ns): correct the clocks or clip it.',
  ],
  [
    'a phase of no known type',
    { execution_spec: WORKERS, slices: { '/': [0, 10], '/W[i=0]': [0, 5], '/W[i=0]/Sort': [0, 5] } },
    'The phase /W[i=0]/Sort has no type in the execution model: add /W/Sort or correct the path.',
  ],
  [
    'a phase path without a slash',
    { execution_spec: WORKERS, slices: { '/': [0, 10], Load: [0, 5] } },
    'The phase Load has no type in the execution model: add Load or correct the path.',
  ],
  [
    'a phase without a parent',
    { execution_spec: WORKERS, slices: { '/': [0, 10], '/W[i=0]/C': [0, 5] } },
    'The phase /W[i=0]/C has no parent: list /W[i=0] with its start and end.',
  ],
  [
    'no root',
    { execution_spec: WORKERS, slices: { '/Load': [0, 5] } },
    'The phase /Load has no parent: list / with its start and end.',
  ],
  ['no phases', { phases: [] }, 'The phases have no root: log the whole job as the phase /.'],
  [
    'a phase listed twice',
    { phases: ['/', '/'].map((path) => ({ path, start_ns: 0, end_ns: 100 })) },
    'The phase / is listed twice: remove one or give them different ids.',
  ],
  [
    'a repeated phase without a key',
    { execution_spec: WORKERS, slices: { '/': [0, 10], '/W': [0, 5] } },
    "The path of the phase /W is wrong: 'W' repeats, so it needs [i=...].",
  ],
  [
    'a key on a phase that occurs once',
    { execution_spec: WORKERS, slices: { '/': [0, 10], '/Load[i=0]': [0, 5] } },
    "The path of the phase /Load[i=0] is wrong: 'Load' occurs once, so it takes no [i=...].",
  ],
  [
    'another key than the type has',
    { execution_spec: WORKERS, slices: { '/': [0, 10], '/W[worker=0]': [0, 5] } },
    "The path of the phase /W[worker=0] is wrong: the key of 'W' is 'i', not 'worker'.",
  ],
  [
    'a phase type listed twice',
    { execution_spec: { name: '', children: [{ name: 'A' }, { name: 'A' }] } },
    'The phase type /A is listed twice: keep one of the two.',
  ],
  [
    'a phase type with a slash',
    { execution_spec: { name: '', children: [{ name: 'A/B' }] } },
    "A phase type under / is named 'A/B': use a name without / [ ] =.",
  ],
  [
    'a named root',
    { execution_spec: { name: 'Job' } },
    "The root of the execution model is named 'Job': leave its name empty, its path is /.",
  ],
  [
    'an unknown predecessor',
    { execution_spec: { name: '', children: [{ name: 'A', after: ['Z'] }, { name: 'B' }] } },
    "/A comes after 'Z', which is not one of its siblings: A, B.",
  ],
  [
    'a circle of predecessors',
    {
      execution_spec: { name: '', children: [{ name: 'A', after: ['B'] }, { name: 'B', after: ['A'] }, { name: 'C' }] },
    },
    "Under / A, B wait for each other: remove one 'after' from the circle.",
  ],
  [
    'a resource type listed twice',
    { resource_spec: { name: '', children: [{ name: 'disk' }, { name: 'disk' }] } },
    'The resource type /disk is listed twice: keep one of the two.',
  ],
  [
    'a metric of no known type',
    { resource_spec: HOSTS, metrics: [consumable('/host[id=0]/gpu', R)] },
    '/host[id=0]/gpu has no metric type in the resource model: known ones are /host/cpu.',
  ],
  [
    'a metric on a resource without its key',
    { resource_spec: HOSTS, metrics: [consumable('/host/cpu', R)] },
    "/host/cpu names the resource /host: 'host' repeats, so it needs [id=...].",
  ],
  [
    'a metric of another class than its type',
    { resource_spec: HOSTS, metrics: [blocking('/host[id=0]/cpu', [0, 1])] },
    '/host[id=0]/cpu is given as blocking, the resource model says consumable: make the two agree.',
  ],
  [
    'a metric given twice',
    { resource_spec: HOSTS, metrics: [CPU, CPU] },
    'The metric /host[id=0]/cpu is given twice: merge its periods into one.',
  ],
  [
    'a capacity below 0',
    { resource_spec: HOSTS, metrics: [consumable('/host[id=0]/cpu', { ...R, capacity: -1 })] },
    '/host[id=0]/cpu has the capacity -1: give the highest rate it can reach, in the unit of its values.',
  ],
  [
    'a rate below 0',
    { resource_spec: HOSTS, metrics: [consumable('/host[id=0]/cpu', { ...R, rates: [-2] })] },
    '/host[id=0]/cpu measured -2 in period 0: give rates of 0 or more, or leave the metric out.',
  ],
  [
    'samples that end before the job starts',
    {
      resource_spec: HOSTS,
      slices: { '/': [5, 10] },
      metrics: [consumable('/host[id=0]/cpu', { ...R, bounds: [0, 5] })],
    },
    '/host[id=0]/cpu has no measurement in the job (one from 0 to 50 ns): correct its clock, or leave the metric out.',
  ],
  [
    'no samples',
    { resource_spec: HOSTS, metrics: [consumable('/host[id=0]/cpu', { ...R, bounds: [0], rates: [] })] },
    '/host[id=0]/cpu has no measurement in the job (none at all): correct its clock, or leave the metric out.',
  ],
  [
    'periods that run backwards',
    {
      resource_spec: HOSTS,
      metrics: [consumable('/host[id=0]/cpu', { ...R, bounds: [0, 8, 6, 10], rates: [1, 1, 1] })],
    },
    '/host[id=0]/cpu has a period from 80 to 60 ns: it ends before it starts, so correct its log or clock.',
  ],
  [
    'as many times as values',
    { resource_spec: HOSTS, metrics: [consumable('/host[id=0]/cpu', { ...R, rates: [1, 2] })] },
    '/host[id=0]/cpu has 2 values and 2 times: give the start of the first period and the end of each.',
  ],
  [
    'a wait that ends before it starts',
    { resource_spec: ONE_RESOURCE, metrics: [blocking('/B', [3, 2])] },
    '/B has a period from 30 to 20 ns: it ends before it starts, so correct its log or clock.',
  ],
  [
    'a rule for an unknown phase type',
    { resource_spec: ONE_RESOURCE, rules: [variable('/X', '/R')] },
    'The rule for /X and /R names a phase type that the execution model lacks: /X.',
  ],
  [
    'a rule for an unknown metric type',
    { resource_spec: ONE_RESOURCE, rules: [variable('/', '/X')] },
    'The rule for / and /X names a metric type that the resource model lacks: /X.',
  ],
  [
    'a rule given twice',
    { resource_spec: ONE_RESOURCE, rules: [variable('/', '/R'), exact('/', '/R', 1)] },
    'The rule for / and /R is given twice: keep one of the two.',
  ],
  [
    'a cap on a blocking metric',
    { resource_spec: ONE_RESOURCE, rules: [exact('/', '/B', 1)] },
    'The rule for / and /B has a cap, but the metric is blocking: use full.',
  ],
  [
    'full on a consumable metric',
    { resource_spec: ONE_RESOURCE, rules: [full('/', '/R')] },
    'The rule for / and /R is full, but the metric is consumable: give a cap or a weight.',
  ],
  [
    'a weight below 0',
    { resource_spec: ONE_RESOURCE, rules: [variable('/', '/R', -1)] },
    'The rule for / and /R has the weight -1: give a number of 0 or more.',
  ],
  [
    'a mapping of an unknown phase',
    { mapping: [{ phase: '/X', resources: ['/'] }] },
    'The mapping names the phase /X, which is not listed: add it or correct the path.',
  ],
  [
    'a mapping to an unknown resource',
    { resource_spec: HOSTS, metrics: [CPU], mapping: [{ phase: '/', resources: ['/disk'] }] },
    'The mapping of / names the resource /disk, which has no type in the resource model: add it or correct the path.',
  ],
  [
    'a mapping to an empty list',
    { resource_spec: HOSTS, metrics: [CPU], mapping: [{ phase: '/', resources: [] }] },
    '/ maps to nothing that was measured (an empty list): name resources with metrics, or remove the entry.',
  ],
  [
    'a mapping to a resource that was not measured, though its like were',
    { resource_spec: HOSTS, metrics: [CPU], mapping: [{ phase: '/', resources: ['/host[id=1]'] }] },
    '/ maps to nothing that was measured (/host[id=1]): name resources with metrics, or remove the entry.',
  ],
  [
    'a phase mapped twice',
    { resource_spec: HOSTS, metrics: [CPU], mapping: Array(2).fill({ phase: '/', resources: ['/host[id=0]'] }) },
    '/ is mapped twice: keep one entry with all its resources.',
  ],
  [
    'a time slice of nothing',
    { timeslice_ns: 0 },
    'The time slice is 0 ns: give a whole number above 0, 10000000 is 10 ms.',
  ],
  [
    'a threshold above 1',
    { thresholds: { global: 95, local: 0.95 } },
    'The global threshold is 95: give a share of the capacity above 0 and at most 1.',
  ],
];

test.each(table)('%s is refused in one sentence', (_, written, message) => {
  expect(messageOf(() => runCase(makeCase(written)))).toBe(message);
});

test.each([
  ['nothing', undefined, 'The case has nothing at the top level: Invalid input: expected object, received undefined.'],
  ['a list', [], 'The case has [] at the top level: Invalid input: expected object, received array.'],
  [
    'a rate that is no number',
    { ...makeCase(), metrics: [{ ...CPU, observation_values: [null] }] },
    'The case has null at metrics[0].observation_values[0]: Invalid input: expected number, received null.',
  ],
  [
    'a time that is not exact',
    { ...makeCase(), phases: [{ path: '/', start_ns: 2 ** 60, end_ns: 2 ** 60 }] },
    /^The case has 1152921504606847000 at phases\[0\]\.start_ns: /,
  ],
  ['a missing list', { ...makeCase(), rules: undefined }, /^The case has nothing at rules: /],
])('a case that is %s is refused with its place', (_, data, message) => {
  if (message instanceof RegExp) expect(messageOf(() => parseCase(data))).toMatch(message);
  else expect(messageOf(() => parseCase(data))).toBe(message);
});

test('rates above the capacity and a capacity of 0 are told, not refused', () => {
  const model = (metric: { capacity: number; rate: number }) =>
    createModel({
      phaseTypes: createPhaseTypes({ name: '' }),
      resourceTypes: createResourceTypes({ name: '', metrics: [{ name: 'R', class: 'consumable' }] }),
      phases: {
        type: Uint32Array.of(0),
        parent: Int32Array.of(-1),
        id: [''],
        startNs: Float64Array.of(0),
        endNs: Float64Array.of(100),
      },
      metrics: [
        {
          class: 'consumable',
          path: '/R',
          capacity: metric.capacity,
          startNs: Float64Array.of(0),
          endNs: Float64Array.of(100),
          rates: Float64Array.of(metric.rate),
        },
      ],
      timesliceNs: 10,
    });
  expect(model({ capacity: 4, rate: 4 }).notices).toEqual([]);
  expect(model({ capacity: 4, rate: 5 }).notices).toEqual([
    '/R measured more than its capacity 4 in 1 of 1 periods (largest 5): phase-aware sampling drops the excess.',
  ]);
  expect(model({ capacity: 0, rate: 0 }).notices).toEqual([
    '/R has capacity 0: it counts as a bottleneck only where usage was measured.',
  ]);
  expect(() => model({ capacity: Number.POSITIVE_INFINITY, rate: 1 })).toThrow('/R has the capacity Infinity');
  expect(() => model({ capacity: 4, rate: Number.NaN })).toThrow('/R measured NaN in period 0');
});

function messageOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    expect(error).toBeInstanceOf(PredictError);
    if (error instanceof PredictError) {
      expect(error.kind).toBe('badInput');
      return error.message;
    }
  }
  return 'nothing was thrown';
}

test('more slices than memory holds are refused before any of them is made', () => {
  const before = process.cpuUsage();
  const second = { start_ns: 0, end_ns: 1.3e9 };
  const many = (written: Written) => () => runCase(makeCase({ timeslice_ns: 1, ...written }));
  expect(many({ phases: [{ path: '/', ...second }] })).toThrow(
    'The job would take 1300000000 slices of 1 ns, more than 100,000,000: give a longer time slice.',
  );
  expect(many({ phases: [{ path: '/', start_ns: 0, end_ns: 2 ** 53 - 2 }] })).toThrow('give a longer time slice');
  const hosts = Array.from({ length: 200 }, (_, id) =>
    consumable(`/host[id=${id}]/cpu`, { capacity: 4, bounds: [0, 1e5], rates: [1] }),
  );
  const slow = { path: '/', start_ns: 0, end_ns: 1e6 };
  expect(many({ phases: [slow], resource_spec: HOSTS, metrics: hosts })).toThrow(
    'The job and its 200 metrics would take 200000000 slices of 1 ns',
  );
  const workers = Array.from({ length: 200 }, (_, i) => ({ ...slow, path: `/W[i=${i}]` }));
  expect(many({ phases: [slow, ...workers], execution_spec: WORKERS })).toThrow(
    'The phases and what they use would take 201000000 slices of 1 ns',
  );
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(1000);
});

import { expect, test } from 'vitest';
import { analyse } from '../../analysis/grade10/analyse-phases.ts';
import { createModel, type ModelInput } from '../../analysis/grade10/model/create-model.ts';
import { createResourceTypes } from '../../analysis/grade10/model/metrics.ts';
import { createPhaseTypes } from '../../analysis/grade10/model/phase-types.ts';
import { type PhaseColumns, phasePath } from '../../analysis/grade10/model/phases.ts';
import { consumable, ONE_RESOURCE, run, variable } from './make-case.ts';

const phaseTypes = createPhaseTypes({
  name: '',
  children: [{ name: 'Step', repeat: 'sequential', key: 's', children: [{ name: 'Work' }] }],
});
const resourceTypes = createResourceTypes({
  name: '',
  metrics: [
    { name: 'R', class: 'consumable' },
    { name: 'B', class: 'blocking' },
  ],
});

/** Children before their parents, and ids as they come. */
const COLUMNS: PhaseColumns = {
  type: Uint32Array.of(2, 1, 0, 1, 2),
  parent: Int32Array.of(1, 2, -1, 2, 3),
  id: ['', 'b', '', 'a', ''],
  startNs: Float64Array.of(50, 50, 0, 0, 0),
  endNs: Float64Array.of(100, 100, 100, 50, 40),
};

function input(change: Partial<ModelInput> = {}): ModelInput {
  return {
    phaseTypes,
    resourceTypes,
    phases: COLUMNS,
    metrics: [
      {
        class: 'consumable',
        path: '/R',
        capacity: 10,
        startNs: Float64Array.of(0, 50),
        endNs: Float64Array.of(50, 100),
        rates: Float64Array.of(4, 10),
      },
    ],
    rules: [{ phaseType: '/Step/Work', metricType: '/R', rule: { kind: 'sink', weight: 1 } }],
    timesliceNs: 10,
    ...change,
  };
}

test('a model from typed columns comes to the same as a case', () => {
  const model = createModel(input());
  const { leaves, attribution, bottlenecks } = analyse(model);
  const output = run({
    execution_spec: {
      name: '',
      children: [{ name: 'Step', repeat: 'sequential', key: 's', children: [{ name: 'Work' }] }],
    },
    resource_spec: ONE_RESOURCE,
    rules: [variable('/Step/Work', '/R')],
    slices: {
      '/': [0, 10],
      '/Step[s=a]': [0, 5],
      '/Step[s=b]': [5, 10],
      '/Step[s=a]/Work': [0, 4],
      '/Step[s=b]/Work': [5, 10],
    },
    metrics: [consumable('/R', { capacity: 10, bounds: [0, 5, 10], rates: [4, 10] })],
  });
  expect([...(attribution.samples[0] ?? [])]).toEqual(output.sampled['/R']);
  expect(phasePath(model.phases, phaseTypes, 4)).toBe('/Step[s=a]/Work');
  expect([...attribution.usage.subarray(attribution.start[4], attribution.start[5])]).toEqual(
    output.attribution['/Step[s=a]/Work']?.['/R']?.usage,
  );
  expect([...leaves.typeStates.subarray(leaves.typeStart[0], leaves.typeStart[1])]).toEqual([2, 2, 2, 2, 2]);
  expect(output.leaf_bottlenecks['/Step[s=b]/Work']?.['/R']).toBe('5G');
  expect(bottlenecks.map(({ predicate, slices }) => [predicate, slices[2]])).toEqual([
    ['any', 5],
    ['all', 5],
    ['majority', 5],
    ['majority+any', 5],
  ]);
});

test('without rules phases are sinks and wait for what is blocked; without a mapping they reach everything', () => {
  const { rules: _, ...bare } = input();
  const model = createModel({
    ...bare,
    metrics: [
      ...bare.metrics,
      { class: 'blocking', path: '/B', startNs: Float64Array.of(70), endNs: Float64Array.of(90) },
    ],
  });
  const { leaves, attribution } = analyse(model);
  expect([...(attribution.samples[0] ?? [])].slice(5)).toEqual([10, 10, 10, 10, 10]);
  // Row 0 lives in slices 5 to 9: on R everywhere but where it waits for B.
  expect([...leaves.typeStates.subarray(leaves.typeStart[0], leaves.typeStart[1])]).toEqual([
    2, 2, 0, 0, 2, 0, 0, 2, 2, 0,
  ]);
});

test('the time slice is 10 ms when none is given', () => {
  const { timesliceNs: _, ...bare } = input();
  expect(createModel(bare).timesliceNs).toBe(10_000_000);
});

test('a resource that was not measured beside one that was is told', () => {
  const types = createResourceTypes({
    name: '',
    children: [{ name: 'host', repeat: 'many', key: 'id', metrics: [{ name: 'cpu', class: 'blocking' }] }],
  });
  const model = createModel({
    ...input(),
    resourceTypes: types,
    metrics: [{ class: 'blocking', path: '/host[id=0]/cpu', startNs: Float64Array.of(), endNs: Float64Array.of() }],
    rules: [],
    mapping: [{ phase: 1, resources: ['/host[id=0]', '/host[id=7]'] }],
  });
  expect(model.notices).toEqual(['/host[id=7] is mapped to but has no metrics: its use stays unknown.']);
});

test.each<[string, Partial<PhaseColumns>, string]>([
  [
    'columns of unequal length',
    { id: [''] },
    'The columns of phases have 5, 5, 1, 5, 5 rows: give type, parent, id, start and end for each.',
  ],
  [
    'a type that does not exist',
    { type: Uint32Array.of(9, 1, 0, 1, 2) },
    'Row 0 of the phases has type 9: the execution model has types 0 to 2.',
  ],
  [
    'two roots',
    { parent: Int32Array.of(1, -1, -1, 2, 3) },
    'Rows 1 and 2 of the phases have no parent: only the phase / may have none.',
  ],
  [
    'a parent of the wrong type',
    { parent: Int32Array.of(2, 2, -1, 2, 3) },
    'Row 0 of the phases, a /Step/Work, lies under row 2 of type /: give it a parent of type /Step.',
  ],
  [
    'a parent that does not exist',
    { parent: Int32Array.of(8, 2, -1, 2, 3) },
    'Row 0 of the phases, a /Step/Work, lies under row 8, which does not exist: give it a parent of type /Step.',
  ],
  [
    'two siblings of the same id',
    { id: ['', 'a', '', 'a', ''] },
    'The phase /Step[s=a] is listed twice: remove one or give them different ids.',
  ],
  [
    'two phases of a type that occurs once',
    {
      parent: Int32Array.of(3, 2, -1, 2, 3),
      startNs: Float64Array.of(0, 50, 0, 0, 0),
      endNs: Float64Array.of(50, 100, 100, 50, 40),
    },
    'The phase /Step[s=a]/Work is listed twice: remove one or give them different ids.',
  ],
  [
    'times beyond 2^53',
    { endNs: Float64Array.of(100, 100, 2 ** 60, 50, 40) },
    '/ has the times 0 and 1152921504606847000: give whole nanoseconds below 2^53 since a common origin.',
  ],
])('%s are refused', (_, change, message) => {
  expect(() => createModel(input({ phases: { ...COLUMNS, ...change } }))).toThrow(message);
});

test.each([
  [[0, 60], [50, 100], 'has no measurement from 50 ns to 60 ns: leave no gaps, or leave the metric out.'],
  [[0, 40], [50, 100], 'has a period from 40 ns, before the one before it ends (50 ns): sort them, without overlap.'],
])('periods from %j to %j are refused', (starts, ends, message) => {
  const metrics: ModelInput['metrics'] = [
    {
      class: 'consumable',
      path: '/R',
      capacity: 10,
      startNs: Float64Array.from(starts),
      endNs: Float64Array.from(ends),
      rates: Float64Array.of(1, 1),
    },
  ];
  expect(() => createModel(input({ metrics }))).toThrow(`/R ${message}`);
});

test('a row of the mapping outside the phases is refused', () => {
  expect(() => createModel(input({ mapping: [{ phase: 5, resources: ['/'] }] }))).toThrow(
    'The mapping names row 5 of the phases: there are 5.',
  );
});

test('a repeated type without a key of its own takes any key, and paths come back as given', () => {
  const output = run({
    execution_spec: { name: '', children: [{ name: 'Step', repeat: 'sequential' }] },
    slices: { '/': [0, 4], '/Step[n=0]': [0, 2], '/Step[n=a/b]': [2, 4] },
  });
  expect(output.phases.map(([path]) => path)).toEqual(['/', '/Step[n=0]', '/Step[n=a/b]']);
});

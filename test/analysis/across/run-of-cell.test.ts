import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareRuns, componentNames, runOf, secondsOf } from '../../../analysis/across/run-of-cell.ts';
import type { Cost, Summary } from '../../../analysis/sources/runs/summarise.ts';
import { makeRun } from './make-runs.ts';

const cost = (kind: Cost['kind'], seconds: number): Cost => ({
  kind,
  rule: null,
  phases: '/S',
  resource: null,
  seconds,
  percent: 1,
});

const summary: Summary = {
  focus: '/S',
  count: 4,
  seconds: 8,
  sliceSeconds: 0.001,
  components: [
    { name: 'cpu', seconds: 6 },
    { name: 'unexplained', seconds: 2 },
  ],
  phases: [],
  costs: [cost('bottleneck', 5), cost('imbalance', 2), cost('imbalance', 1)],
};
const cell = { nodes: 9, scale: 21, bw: 10, rep: 3 };

describe('a run of a sweep', () => {
  test('is its setting, and seconds per phase in focus; imbalance is that of the most uneven type', () => {
    expect(runOf(cell, summary)).toEqual({
      ...cell,
      seconds: 2,
      components: { cpu: 1.5, unexplained: 0.5 },
      imbalance: 0.5,
    });
  });

  test('that was even everywhere lost nothing to imbalance', () => {
    expect(runOf(cell, { ...summary, costs: [cost('critical-path', 5)] }).imbalance).toBe(0);
  });

  test('without a phase in focus took no time', () => {
    const empty = { ...summary, count: 0, seconds: 0, components: [{ name: 'unexplained', seconds: 0 }], costs: [] };
    expect(runOf(cell, empty)).toEqual({ ...cell, seconds: 0, components: { unexplained: 0 }, imbalance: 0 });
  });

  test('has nothing of components that it does not list', () => {
    expect(secondsOf(runOf(cell, summary), 'cpu')).toBe(1.5);
    expect(secondsOf(runOf(cell, summary), 'network')).toBe(0);
  });
});

test('components are named once, the largest over all runs first', () => {
  const runs = [makeRun({ components: { a: 1, b: 2 } }), makeRun({ components: { c: 2.5, a: 2 } })];
  expect(componentNames(runs)).toEqual(['a', 'c', 'b']);
  expect(componentNames([])).toEqual([]);
});

const before: Summary = {
  focus: '/Search',
  count: 2,
  seconds: 8,
  sliceSeconds: 0.001,
  components: [
    { name: 'cpu', seconds: 6 },
    { name: 'network', seconds: 2 },
  ],
  phases: [
    { name: '/Search/Fold', seconds: 5 },
    { name: '/Search/Expand', seconds: 3 },
  ],
  costs: [
    { kind: 'imbalance', rule: null, phases: '/Search/Fold', resource: null, seconds: 1, percent: 12.5 },
    { kind: 'bottleneck', rule: null, phases: '/Search/Fold', resource: '/host/cpu', seconds: 4, percent: 50 },
    { kind: 'critical-path', rule: null, phases: null, resource: '/host/cpu', seconds: 4, percent: 50 },
    { kind: 'custom', rule: 'skew', phases: '/Search/Fold', resource: '/host/net', seconds: 1, percent: 12.5 },
  ],
};
/** Half as many searches of twice the time, all of it for the network. */
const after: Summary = {
  ...before,
  count: 1,
  components: [
    { name: 'network', seconds: 5 },
    { name: 'cpu', seconds: 3 },
  ],
  phases: [
    { name: '/Search/Fold', seconds: 6.5 },
    { name: '/Search/Expand', seconds: 1.5 },
  ],
  costs: [
    { kind: 'critical-path', rule: null, phases: null, resource: '/host/net', seconds: 5, percent: 62.5 },
    { kind: 'critical-path', rule: null, phases: null, resource: '/host/cpu', seconds: 3, percent: 37.5 },
    { kind: 'imbalance', rule: null, phases: '/Search/Fold', resource: null, seconds: 0.5, percent: 6.25 },
    { kind: 'custom', rule: 'stalls', phases: null, resource: null, seconds: 2, percent: 25 },
  ],
};

describe('two runs of one model', () => {
  test('are compared per phase in focus: the total, then each kind with the largest change first', () => {
    expect(compareRuns(before, after)).toEqual([
      { kind: 'total', name: '/Search', before: 4, after: 8, change: 4 },
      { kind: 'component', name: 'network', before: 1, after: 5, change: 4 },
      { kind: 'component', name: 'cpu', before: 3, after: 3, change: 0 },
      { kind: 'phases', name: '/Search/Fold', before: 2.5, after: 6.5, change: 4 },
      { kind: 'phases', name: '/Search/Expand', before: 1.5, after: 1.5, change: 0 },
      { kind: 'imbalance', name: '/Search/Fold', before: 0.5, after: 0.5, change: 0 },
      { kind: 'bottleneck', name: '/Search/Fold on /host/cpu', before: 2, after: 0, change: -2 },
      { kind: 'critical-path', name: '/host/net', before: 0, after: 5, change: 5 },
      { kind: 'critical-path', name: '/host/cpu', before: 2, after: 3, change: 1 },
      { kind: 'custom', name: 'stalls', before: 0, after: 2, change: 2 },
      { kind: 'custom', name: 'skew on /Search/Fold on /host/net', before: 0.5, after: 0, change: -0.5 },
    ]);
  });

  test('that are the same differ in nothing', () => {
    expect(compareRuns(before, before).map(({ change }) => change)).toEqual(Array(9).fill(0));
  });

  test('the other way round have the opposite changes in the same order', () => {
    const names = (one: Summary, other: Summary) => compareRuns(one, other).map(({ kind, name }) => `${kind} ${name}`);
    expect(names(after, before)).toEqual(names(before, after));
    const changes = new Map(compareRuns(before, after).map(({ kind, name, change }) => [`${kind} ${name}`, change]));
    for (const { kind, name, change } of compareRuns(after, before)) {
      expect(change).toBe(0 - (changes.get(`${kind} ${name}`) ?? Number.NaN));
    }
  });

  test("have changes of components and of phases that add up to the total's", () => {
    const parts = (names: readonly string[]) =>
      fc.tuple(...names.map(() => fc.double({ min: 0, max: 100, noNaN: true }))).map((seconds) => ({
        list: seconds.map((value, at) => ({ name: names[at] ?? '', seconds: value })),
        sum: seconds.reduce((total, value) => total + value, 0),
      }));
    const run = fc.record({
      components: parts(['cpu', 'network', 'unexplained']),
      leaf: fc.constantFrom('/Search/Fold', '/Search/Expand'),
      count: fc.integer({ min: 1, max: 9 }),
    });
    const summaryOf = ({ components, leaf, count }: typeof run extends fc.Arbitrary<infer T> ? T : never): Summary => ({
      focus: '/Search',
      count,
      seconds: components.sum,
      sliceSeconds: 0.001,
      components: components.list,
      phases: [{ name: leaf, seconds: components.sum }],
      costs: [],
    });
    fc.assert(
      fc.property(run, run, (one, other) => {
        const lines = compareRuns(summaryOf(one), summaryOf(other));
        const change = (kind: string): number =>
          lines.filter((line) => line.kind === kind).reduce((sum, line) => sum + line.change, 0);
        expect(change('component')).toBeCloseTo(change('total'), 9);
        expect(change('phases')).toBeCloseTo(change('total'), 9);
      }),
    );
  });
});

test('runs of different models are refused with what each is about', () => {
  expect(() => compareRuns(before, { ...after, focus: '/' })).toThrow(
    'One run measures /Search, the other /: compare two runs of the same model.',
  );
});

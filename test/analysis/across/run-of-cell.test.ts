import { describe, expect, test } from 'vitest';
import { componentNames, runOf, secondsOf } from '../../../analysis/across/run-of-cell.ts';
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

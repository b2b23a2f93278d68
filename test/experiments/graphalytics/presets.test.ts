import { expect, test } from 'vitest';
import { findPreset } from '../../../experiments/presets.ts';
import { parseSweep } from '../../../experiments/sweep.ts';

const graph = (name: string, family: string, scale: number) => ({ name, family, scale });
const GRAPHS = [
  graph('graph500-9', 'graph500', 9.1),
  graph('roads', 'roads', 12),
  graph('graph500-11', 'graph500', 11.1),
  graph('graph500-10', 'graph500', 10.1),
];
const sweepOf = (name: string, hosts = 9) =>
  parseSweep({ bw: '100', roots: '1', ...findPreset(name).texts({ graphs: GRAPHS, hosts }) });

// Table 5.3 of the thesis.
test.each([
  ['graphalytics-selftest', undefined, { nodes: [1, 2, 4, 8, 9], reps: 1 }],
  ['graphalytics-variety', ['bfs', 'pr'], { nodes: [1], reps: 3 }],
  ['graphalytics-algorithms', undefined, { nodes: [1], reps: 3 }],
  [
    'graphalytics-vertical',
    ['bfs', 'pr'],
    { nodes: [1], ranksPerNode: [1, 2, 4, 8], params: { threads: ['1', '2', '4'] } },
  ],
  ['graphalytics-strong', ['bfs', 'pr'], { nodes: [1, 2, 4, 8, 9] }],
  ['graphalytics-stress', ['bfs'], { nodes: [1], reps: 1 }],
  ['graphalytics-renew', ['bfs'], { nodes: [1], reps: 1 }],
  ['graphalytics-variability', ['bfs'], { nodes: [1, 9], reps: 10 }],
])('%s measures what the benchmark does', (name, algorithms, sweep) => {
  expect(findPreset(name).algorithms).toEqual(algorithms);
  expect(sweepOf(name)).toMatchObject({ ...sweep, roots: 1, bw: [100] });
});

test('weak scaling takes the next graph of a family on twice the nodes, as far as hosts go', () => {
  const cells = (hosts: number) =>
    sweepOf('graphalytics-weak', hosts)
      .cells?.filter(({ rep }) => rep === 1)
      .map(({ nodes, scale }) => [nodes, scale]);
  expect(cells(9)).toEqual([
    [1, 9.1],
    [2, 10.1],
    [4, 11.1],
  ]);
  expect(cells(3)).toEqual([
    [1, 9.1],
    [2, 10.1],
  ]);
  expect(() => cells(1)).toThrow('two graphs of one family');
});

test('an unknown preset lists those that there are', () => {
  expect(() => findPreset('graphalytics-x')).toThrow(
    /is not one of graphalytics-selftest, .* and graphalytics-variability/,
  );
  expect(() => findPreset('constructor')).toThrow('is not one of');
});

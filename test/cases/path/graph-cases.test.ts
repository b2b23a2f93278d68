import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { graphCaseResult } from './graph-case-result.ts';
import { readGraphCase } from './read-graph-case.ts';

const FOLDER = new URL('../../fixtures/critical-path/graphs/', import.meta.url);
const read = (name: string): unknown => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8'));

test.each(['balanced', 'broken', 'fig31', 'three'])(
  'the graph %s has the paths, counts and violations that are known',
  (name) => {
    const graphCase = readGraphCase(read(`${name}.json`));
    if (graphCase === null) throw new Error('not read');
    expect(graphCaseResult(graphCase)).toEqual(read(`${name}.expected.json`));
  },
);

test('of a slice, 3.9 is about its own vertices: the smallest is the beginning, and what begins at its end is outside', () => {
  // Worker 0 ends at 10; worker 1, which never runs, sends from 20 to 30 and from 40 to 50.
  const graphCase = readGraphCase({
    workers: [
      { id: 0, activities: [{ start: 0, end: 10, type: 'op' }] },
      { id: 1, activities: [] },
    ],
    comm: [
      { src: 1, dst: 0, start: 20, end: 30, type: 'comm' },
      { src: 1, dst: 0, start: 40, end: 50, type: 'comm' },
    ],
    slices: [
      [0, 50],
      [15, 50],
      [0, 20],
    ],
  });
  if (graphCase === null) throw new Error('not read');
  const found = graphCaseResult(graphCase).slices.map(({ properties }) => properties['3.9'].at);
  expect(found).toEqual([
    [
      [1, 20],
      [1, 40],
    ],
    [[1, 40]],
    [],
  ]);
});

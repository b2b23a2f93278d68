import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { referenceName } from '../../../experiments/graphs/benchmark-terms.ts';
import { checkDataset } from '../../../experiments/graphs/check/check-dataset.ts';
import { writeReferences } from '../../../experiments/graphs/reference/write-references.ts';
import { isLong } from '../../times.ts';
import { asEdgeList, type DebianGraph, debianGraph } from './debian-graph.ts';
import { converted } from './make.ts';

/** Components of the ends of edges, by union and find. */
function countComponents({ names, edges }: DebianGraph): number {
  const above = names.map((_, index) => index);
  const top = (start: number): number => {
    let at = start;
    while (above[at] !== at) {
      above[at] = above[above[at] ?? 0] ?? 0;
      at = above[at] ?? 0;
    }
    return at;
  };
  const ends = new Set(edges.flat());
  let count = ends.size;
  for (const [a, b] of edges) {
    const [x, y] = [top(a - 1), top(b - 1)];
    if (x === y) continue;
    above[x] = y;
    count -= 1;
  }
  return count;
}

/** Whose packages, with those of all lists, directed. */
const GRAPHS: readonly (readonly [string, boolean, boolean])[] = [
  ['installed packages', false, true],
  ['installed packages', false, false],
  ...(isLong ? ([['all packages', true, true]] as const) : []),
];

test.each(GRAPHS)(
  'the outputs for Debian’s %s hold plain facts (lists: %s, directed: %s)',
  async (_which, lists, directed) => {
    const graph = await debianGraph({ lists });
    const { dataset } = await converted(asEdgeList(graph), { directed });
    const { ok, vertices, edges } = await checkDataset(dataset.folder);
    const loops = graph.edges.filter(([a, b]) => a === b).length;
    const different = new Set(
      graph.edges.filter(([a, b]) => a !== b).map(([a, b]) => (directed || a < b ? `${a} ${b}` : `${b} ${a}`)),
    );
    expect([ok, vertices, edges]).toEqual([true, new Set(graph.edges.flat()).size, different.size]);
    expect(edges + loops).toBeGreaterThan(100);
    await writeReferences(dataset);
    const column = (algorithm: 'bfs' | 'pr' | 'wcc' | 'cdlp' | 'lcc'): string[] =>
      readFileSync(`${dataset.folder}/${referenceName(dataset.name, algorithm)}`, 'utf8')
        .trim()
        .split('\n')
        .map((row) => row.split(' ')[1] ?? '');
    const ranks = column('pr').map(Number);
    expect(ranks.reduce((sum, rank) => sum + rank, 0)).toBeCloseTo(1, 9);
    const components = column('wcc');
    expect(new Set(components).size).toBe(countComponents(graph));
    const communities = column('cdlp');
    expect(new Set(communities).size).toBeGreaterThanOrEqual(new Set(components).size);
    // A label never leaves its component.
    const home = new Map(communities.map((label, vertex) => [label, components[vertex]]));
    expect(communities.every((label, vertex) => home.get(label) === components[vertex])).toBe(true);
    expect(
      column('lcc')
        .map(Number)
        .every((value) => value >= 0 && value <= 1),
    ).toBe(true);
    const hops = column('bfs');
    expect(hops.filter((depth) => depth === '0')).toHaveLength(1);
    // The source has most edges: its component is the largest.
    if (!directed) {
      const sizes = new Map<string, number>();
      for (const label of components) sizes.set(label, (sizes.get(label) ?? 0) + 1);
      const largest = Math.max(...sizes.values());
      expect(hops.filter((depth) => depth !== '9223372036854775807')).toHaveLength(largest);
    }
  },
);

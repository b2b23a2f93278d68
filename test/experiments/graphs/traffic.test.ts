import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { projectRoot } from '../../../base/paths.ts';
import { ALGORITHMS } from '../../../experiments/graphs/benchmark-terms.ts';
import type { Dataset } from '../../../experiments/graphs/dataset.ts';
import { loadGraph } from '../../../experiments/graphs/load-graph.ts';
import { coverCut } from '../../../experiments/graphs/traffic/cover-cut.ts';
import { expectedValues } from '../../../experiments/graphs/traffic/expected-values.ts';
import { hashGraph, hashOf, ownerOf, partition } from '../../../experiments/graphs/traffic/partition.ts';
import { predictTraffic } from '../../../experiments/graphs/traffic/predict-traffic.ts';
import { toldVolumes } from '../../../experiments/graphs/traffic/told-volumes.ts';
import { tempFolder } from '../make.ts';
import { converted, idOf, textFile } from './make.ts';
import { runKernel } from './run-kernel.ts';

/** A ring whose every third vertex is joined to one of three hubs; ids far apart, weights of several sizes. */
async function ringWithHubs(directed: boolean): Promise<Dataset> {
  const size = 300;
  const id = (vertex: number): number => vertex * 7919;
  const edges = Array.from({ length: size }, (_, vertex) => [
    `${id(vertex)} ${id((vertex + 1) % size)} ${1 + (vertex % 4)}`,
    ...(vertex % 3 === 0 ? [`${id(size + (vertex % 2))} ${id(vertex)} ${0.25 + (vertex % 5)}`] : []),
    ...(vertex % 6 === 0 ? [`${id(vertex)} ${id(size + 2)} 2`, `${id(size + 2)} ${id((vertex + 9) % size)} 3`] : []),
  ]);
  return (await converted(edges.flat().join('\n'), { directed })).dataset;
}

describe.skipIf(!existsSync('/usr/bin/mpirun'))('beside the programs (need mpirun)', () => {
  test('vertices have the owners that the programs give them', async () => {
    const ids = [...Array.from({ length: 12 }, (_, vertex) => idOf(vertex)), 2n ** 32n, 2n ** 62n - 1n];
    const ranks = [1, 2, 7, 400];
    const source = `#include <stdio.h>\n#include "graph.h"\nint main(void) { unsigned long long id; int ranks;
      while (scanf("%llu %d", &id, &ranks) == 2) printf("%d\\n", owner_of(id_hash(id), ranks)); }`;
    const agents = join(projectRoot(), 'agents');
    const program = join(tempFolder(), 'owners');
    const folders = [`-I${join(agents, 'graphalytics')}`, `-I${join(agents, 'mpi')}`];
    await execa('mpicc', [...folders, textFile(source, 'owners.c'), '-o', program]);
    const asked = ids.flatMap((id) => ranks.map((count) => ({ id, count })));
    const input = asked.map(({ id, count }) => `${id} ${count}`).join('\n');
    const owners = (await execa(program, { input })).stdout.split('\n').map(Number);
    const half = 2n ** 32n;
    expect(asked.map(({ id, count }) => ownerOf(hashOf(Number(id / half), Number(id % half)), count))).toEqual(owners);
  });

  test.each([
    { directed: false, ranks: 2, algorithms: ['bfs', 'pr', 'lcc', 'sssp'] as const },
    { directed: true, ranks: 4, algorithms: ['bfs', 'wcc', 'cdlp'] as const },
  ])('bytes, messages and supersteps are what the kernels count, $ranks ranks, directed: $directed', async (one) => {
    const { algorithms } = one;
    const dataset = await ringWithHubs(one.directed);
    const { parameters } = dataset;
    const { kernels } = predictTraffic(await loadGraph(dataset), { parameters, algorithms, ranks: [one.ranks] });
    expect(kernels.map(({ algorithm }) => algorithm)).toEqual(algorithms);
    for (const { algorithm, isExact, at } of kernels) {
      const counted = await runKernel(dataset, algorithm, one.ranks, join(tempFolder(), 'messages.csv'));
      const [law] = at;
      const said = law && { bytes: law.bytes, supersteps: law.supersteps, messages: law.messages };
      if (isExact) expect({ algorithm, ...said }).toEqual({ algorithm, ...counted });
      else expect(Math.abs((said?.bytes ?? 0) / counted.bytes - 1)).toBeLessThan(0.02);
    }
  });
});

test('the values by degrees alone are the mean over all ways to give vertices to ranks', () => {
  const edge = fc.tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 4 }));
  fc.assert(
    fc.property(fc.uniqueArray(edge, { minLength: 1, selector: String }), fc.constantFrom(2, 3), (edges, ranks) => {
      const neighbours = Array.from({ length: 5 }, () => new Set<number>());
      for (const [a, b] of edges) if (a !== b) neighbours[a]?.add(b) && neighbours[b]?.add(a);
      const histogram = new Map<number, number>();
      for (const { size } of neighbours) histogram.set(size, (histogram.get(size) ?? 0) + 1);
      let copies = 0;
      for (let way = 0; way < ranks ** 5; way += 1) {
        const owner = (vertex: number): number => Math.floor(way / ranks ** vertex) % ranks;
        neighbours.forEach((own, vertex) => {
          copies += new Set([...own].map(owner).filter((peer) => peer !== owner(vertex))).size;
        });
      }
      expect(expectedValues(histogram, ranks)).toBeCloseTo(copies / ranks ** 5 / ranks, 9);
    }),
    { numRuns: 20 },
  );
});

describe('the cut that is covered', () => {
  const inParts = async (lines: readonly string[], ranks: number) => {
    const { dataset } = await converted(lines.join('\n'), { directed: false });
    const parts = partition(hashGraph(await loadGraph(dataset)), ranks);
    return { parts, ...coverCut(parts) };
  };

  test('the hub of a star is copied to every other rank with a leaf, and no leaf is', async () => {
    const lines = Array.from({ length: 200 }, (_, leaf) => `7 ${100 + leaf}`);
    const { parts, counts, ends } = await inParts(lines, 5);
    const hub = parts.owners[parts.order[0] ?? 0] ?? 0;
    const expected = Array.from({ length: 25 }, (_, pair) =>
      Math.floor(pair / 5) === hub && pair % 5 !== hub ? 1 : 0,
    );
    expect([...counts]).toEqual(expected);
    // Both ends of an edge are worked on where its leaf is.
    const leaves = [...parts.vertices].map((vertices, rank) => 2 * (vertices - (rank === hub ? 1 : 0)));
    expect([...ends]).toEqual(leaves);
  });

  test('a cover is no smaller than a matching, and no larger than the side of the rank that comes first', async () => {
    const edge = fc.tuple(fc.integer({ min: 0, max: 15 }), fc.integer({ min: 16, max: 40 }));
    const graphs = fc.uniqueArray(edge, { minLength: 1, maxLength: 50, selector: String });
    const check = async (edges: readonly (readonly [number, number])[]): Promise<void> => {
      const { parts, counts } = await inParts(
        edges.map((ends) => ends.join(' ')),
        2,
      );
      const ids = [...new Set(edges.flat())].sort((a, b) => a - b);
      const cut = edges
        .map((ends) =>
          ends.map((id) => ids.indexOf(id)).sort((a, b) => (parts.owners[a] ?? 0) - (parts.owners[b] ?? 0)),
        )
        .filter(([a = 0, b = 0]) => parts.owners[a] !== parts.owners[b]);
      const copies = counts.reduce((sum, one) => sum + one, 0);
      expect(copies).toBeGreaterThanOrEqual(largestMatching(cut));
      // Of ranks 0 and 1, the sum of which is odd, the higher one comes first.
      expect(copies).toBeLessThanOrEqual(new Set(cut.map(([, first]) => first)).size);
    };
    await fc.assert(fc.asyncProperty(graphs, check), { numRuns: 25 });
  });
});

/** By augmenting paths: edges lead from one side to the other. */
function largestMatching(edges: readonly (readonly number[])[]): number {
  const partner = new Map<number, number>();
  const seen = new Set<number>();
  const augments = (from: number): boolean =>
    edges.some(([a, b = 0]) => {
      if (a !== from || seen.has(b)) return false;
      seen.add(b);
      const taken = partner.get(b);
      if (taken !== undefined && !augments(taken)) return false;
      partner.set(b, from);
      return true;
    });
  return [...new Set(edges.map(([a = 0]) => a))].filter((from) => {
    seen.clear();
    return augments(from);
  }).length;
}

test('a rank sends less than one of two from the count that is named on', async () => {
  const dataset = await ringWithHubs(false);
  const graph = await loadGraph(dataset);
  const of = (ranks: readonly number[]) =>
    predictTraffic(graph, { parameters: dataset.parameters, algorithms: ['pr'], ranks }).kernels[0];
  const from = of([2, 4, 16])?.fallsBelowTwo ?? Number.NaN;
  const [two = NaN, before = NaN, after = NaN] =
    of([2, from - 1, from])?.at.map(({ bytesPerRank }) => bytesPerRank) ?? [];
  expect([from > 3, before >= two, after < two]).toEqual([true, true, true]);
  expect(of([2])?.fallsBelowTwo).toBeNull();
});

test('one rank sends nothing', async () => {
  const dataset = await ringWithHubs(true);
  const { kernels } = predictTraffic(await loadGraph(dataset), { parameters: dataset.parameters, ranks: [1] });
  expect(kernels.map(({ at }) => [at[0]?.bytes, at[0]?.messages, at[0]?.sendImbalance])).toEqual(
    ALGORITHMS.map(() => [0, 0, 1]),
  );
});

describe('what kernels print of the degrees of their graph', () => {
  const at = ({ nodes, volumes }: NonNullable<ReturnType<typeof toldVolumes>>, n: number): number =>
    volumes[nodes.indexOf(n)] ?? Number.NaN;

  test('tells what a host sends on any number of nodes', () => {
    // Leaves have a copy on one rank, which is another one with 1 - 1/p; with two neighbours 1 - (1 - 1/p)^2 of the others.
    const told = toldVolumes('1:100 2:10 x:7', { algorithm: 'cdlp', ranksPerNode: 1 });
    expect(told && at(told, 2)).toBeCloseTo((100 / 2 + (10 * 3) / 4) / 2, 9);
    expect(told && at(told, 4)).toBeCloseTo(((100 / 4 + (10 * 7) / 16) * 3) / 4, 9);
    // Of two ranks per node: on two nodes two of the three others are on the other one.
    const two = toldVolumes('1:100 2:10', { algorithm: 'cdlp', ranksPerNode: 2 });
    expect(two && at(two, 2)).toBeCloseTo((((100 / 4 + (10 * 7) / 16) * 3) / 4) * (2 / 3), 9);
  });

  test.each([
    ['nothing printed', undefined, 'pr'],
    ['a number', 7, 'pr'],
    ['other words', 'many of them', 'pr'],
    ['a kernel that sends little', '1:100', 'bfs'],
  ])('is not told by %s', (_, degrees, algorithm) => {
    expect(toldVolumes(degrees, { algorithm, ranksPerNode: 1 })).toBeUndefined();
  });
});

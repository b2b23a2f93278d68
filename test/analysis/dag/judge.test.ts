import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DagJudge, DEFAULT_THRESHOLDS, type PeriodShares } from '../../../analysis/dag/judge/judge.ts';
import { summaryOfHistory } from '../../../analysis/dag/judge/summarise-job.ts';
import { times } from '../../times.ts';

/** A random DAG: edges go from smaller to larger numbers, parallel ones among them, ids in another order. */
const graphs = fc
  .integer({ min: 1, max: 9 })
  .chain((count) =>
    fc.record({
      count: fc.constant(count),
      pairs: fc.array(fc.tuple(fc.nat(count - 1), fc.nat(count - 1)), { maxLength: 20 }),
      order: fc.shuffledSubarray(
        Array.from({ length: count }, (_, index) => index),
        { minLength: count },
      ),
    }),
  )
  .map(({ count, pairs, order }) => ({
    count,
    order,
    edges: pairs.flatMap(([a, b]) => (a === b ? [] : [[Math.min(a, b), Math.max(a, b)] as const])),
  }));

const fraction = fc.option(fc.constantFrom(0, 0.3, 0.9, 0.91, 0.95, 1), { nil: null });
const fractions = fc.array(fraction, { maxLength: 4 });

/** Reachability by repeated multiplication of the adjacency matrix (Warshall, 1962): shares nothing with the judge. */
function closure(count: number, edges: readonly (readonly [number, number])[]): boolean[][] {
  const reach = Array.from({ length: count }, () => Array.from({ length: count }, () => false));
  for (const [from, to] of edges) (reach[from] as boolean[])[to] = true;
  for (let middle = 0; middle < count; middle += 1) {
    for (let from = 0; from < count; from += 1) {
      for (let to = 0; to < count; to += 1) {
        if (reach[from]?.[middle] && reach[middle]?.[to]) (reach[from] as boolean[])[to] = true;
      }
    }
  }
  return reach;
}

function mean(values: readonly (number | null)[]): number {
  const living = values.filter((value) => value !== null);
  return living.reduce((sum, value) => sum + value, 0) / living.length;
}

describe('algorithms 1 to 3', () => {
  it('agree with the definitions on a closed matrix, whatever the order of tasks and edges', () => {
    fc.assert(
      fc.property(
        graphs,
        fc.array(fractions, { minLength: 9, maxLength: 9 }),
        fc.array(fractions, { minLength: 20, maxLength: 20 }),
        ({ count, edges, order }, busy, full) => {
          const shape = {
            vertices: order.map((number) => ({ id: `v${number}` })),
            edges: edges.map(([from, to], index) => ({ id: `e${index}`, from: `v${from}`, to: `v${to}` })),
          };
          const judge = new DagJudge(shape, DEFAULT_THRESHOLDS);
          const found = judge.add({
            ...{ startNs: 0, endNs: 1 },
            processing: Object.fromEntries(order.map((number) => [`v${number}`, busy[number] ?? []])),
            saturated: Object.fromEntries(edges.map((_, index) => [`e${index}`, full[index] ?? []])),
          });
          const reach = closure(count, edges);
          const above = (values: readonly (number | null)[] = []): boolean => mean(values) > 0.9 + 1e-12;
          // The last busy ones of every way: no busy task that is one itself can be reached.
          const cpu = new Set<number>();
          for (let vertex = count - 1; vertex >= 0; vertex -= 1) {
            if (above(busy[vertex]) && ![...cpu].some((other) => reach[vertex]?.[other])) cpu.add(vertex);
          }
          const io = new Set<number>();
          const byReader = edges.map((_, index) => index).sort((a, b) => (edges[b]?.[0] ?? 0) - (edges[a]?.[0] ?? 0));
          for (const edge of cpu.size > 0 ? [] : byReader) {
            const [, reader] = edges[edge] as readonly [number, number];
            const behind = [...io].some(
              (other) => edges[other]?.[0] === reader || reach[reader]?.[edges[other]?.[0] ?? -1],
            );
            if (above(full[edge]) && !behind) io.add(edge);
          }
          expect([...found.cpu].map((place) => order[place]).sort()).toEqual([...cpu].sort());
          expect(found.ioChecked).toBe(cpu.size === 0);
          expect([...found.io].sort((a, b) => a - b)).toEqual([...io].sort((a, b) => a - b));
        },
      ),
      { numRuns: times(60) },
    );
  });

  const chain = { vertices: [{ id: 'a' }, { id: 'b' }], edges: [{ id: 'ab', from: 'a', to: 'b' }] };
  const period = (a: readonly (number | null)[], at = 0): PeriodShares => ({
    ...{ startNs: at, endNs: at + 1 },
    processing: { a, b: [0.1] },
    saturated: { ab: [0] },
  });

  it('a mean that equals its threshold but for the last digit of a sum is no bottleneck', () => {
    const judge = new DagJudge(chain, DEFAULT_THRESHOLDS);
    const sevenths = Array.from({ length: 7 }, () => 0.9);
    expect(sevenths.reduce((sum, one) => sum + one, 0) / 7).toBeGreaterThan(0.9);
    expect(judge.add(period(sevenths)).cpu).toEqual([]);
  });

  it('periods do not touch across a gap', () => {
    const judge = new DagJudge(chain, DEFAULT_THRESHOLDS);
    for (const at of [0, 1, 5]) judge.add(period([1], at));
    expect(summaryOfHistory(judge).timeline.map(({ startNs, endNs }) => [startNs, endNs])).toEqual([
      [0, 2],
      [5, 6],
    ]);
  });

  it('who joins later changes nothing of the periods before', () => {
    const judge = new DagJudge(chain, DEFAULT_THRESHOLDS);
    judge.add(period([1]));
    judge.grow({
      vertices: [...chain.vertices, { id: 'c' }],
      edges: [...chain.edges, { id: 'bc', from: 'b', to: 'c' }],
    });
    const next = judge.add({ ...period([1], 1), processing: { a: [1], b: [0.1], c: [1] } });
    expect(next.cpu.map((place) => judge.graph.vertexIds[place])).toEqual(['c']);
    expect(summaryOfHistory(judge).shares).toEqual([
      { kind: 'cpu', id: 'a', share: 0.5 },
      { kind: 'cpu', id: 'c', share: 0.5 },
    ]);
  });

  it.each([
    [['a', 'a'], [], /Two vertices have the id 'a'/],
    [
      ['a', 'b'],
      [
        ['a', 'b', 'x'],
        ['a', 'b', 'x'],
      ],
      /Two edges have the id 'x'/,
    ],
    [['a'], [['a', 'a', 'x']], /cycle, 'a' -> 'a'/],
    [
      ['a', 'b', 'c', 'd'],
      [
        ['a', 'b', '1'],
        ['b', 'c', '2'],
        ['c', 'd', '3'],
        ['d', 'b', '4'],
      ],
      /cycle, 'b' -> 'c' -> 'd' -> 'b'/,
    ],
  ] as const)('a graph of %j and %j is refused', (ids, pairs, message) => {
    const edges = pairs.map(([from, to, id]) => ({ id, from, to }));
    expect(() => new DagJudge({ vertices: ids.map((id) => ({ id })), edges }, DEFAULT_THRESHOLDS)).toThrow(message);
  });
});

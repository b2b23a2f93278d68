import { describe, expect, test } from 'vitest';
import { type CellPaths, dividedBy, standingOut } from '../../../../analysis/path/phases/index.ts';

type Row = readonly [rank: number, ns: number, key?: string, from?: number];

/** One search of these steps; `from` is the rank that a message came from. Phase n of the trace is of rank n. */
function paths(nodes: number, rows: readonly Row[]): Parameters<typeof standingOut>[0] {
  let time = 0;
  const path = rows.map(([rank, ns, key = 'compute', hop = -1]) => {
    time += ns;
    return { rank, startNs: time - ns, endNs: time, key, phase: -1, hop };
  });
  const made = {
    cell: { nodes, scale: 20, bw: 100 },
    hostOf: (rank: number) => `node${rank}`,
    phases: { rank: Int32Array.from({ length: nodes }, (_, rank) => rank) },
    searches: [{ path }],
    meanNs: { length: time },
  };
  return made as unknown as CellPaths;
}

const EVEN: readonly Row[] = [0, 1, 2, 3, 4, 5, 6, 7].map((rank) => [rank, 10]);

describe('a host of a cluster', () => {
  test('stands out where most of the path lies on it, with its share', () => {
    const [found, ...more] = standingOut(paths(8, [...EVEN, [3, 90]]), 'search');
    expect(more).toEqual([]);
    expect(found).toMatchObject({ kind: 'path/host', seconds: 100e-9 });
    expect(found?.percent).toBeCloseTo((100 / 170) * 100);
    expect(found?.sentence).toMatch(/^node3 stands out .* 59 % .* 13 % would be its even share/);
  });

  test('does not where the path is spread, or where two hosts are all there are', () => {
    expect(standingOut(paths(8, [...EVEN, [3, 10]]), 'search')).toEqual([]);
    expect(standingOut(paths(2, [[0, 10], [1, 90]]), 'search')).toEqual([]); // biome-ignore format: a row
    expect(standingOut(paths(3, []), 'search')).toEqual([]);
  });

  test('has a slow link where the transfers from and to it are most of the path', () => {
    const slow: readonly Row[] = [
      [2, 30, 'fold transfer', 3],
      [3, 25, 'fold transfer', 5],
      [6, 5, 'fold transfer', 7],
    ];
    const found = standingOut(paths(8, [...EVEN, ...slow]), 'search');
    expect(found.map(({ kind }) => kind)).toEqual(['path/link']);
    expect(found[0]?.sentence).toMatch(/^The link of node3 .* 92 % of the transfers .* 25 % would be its even share/);
  });

  test('whose transfers are little of the path is not named', () => {
    expect(standingOut(paths(8, [...EVEN, [2, 5, 'fold transfer', 3]]), 'search')).toEqual([]);
  });
});

test('links and what is no link add up to the path', () => {
  const one = paths(4, [[0, 10], [1, 20, 'fold transfer', 0], [1, 5, 'fold work'], [2, 7, 'fold transfer']]); // biome-ignore format: rows
  expect(dividedBy(one, 'link')).toEqual([
    ['no link', 22],
    ['node0 -> node1', 20],
  ]);
});

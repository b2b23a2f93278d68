import { describe, expect, test } from 'vitest';
import { isBeyondChance } from '../../../../analysis/path/phases/beyond-chance.ts';
import { standingOut } from '../../../../analysis/path/phases/stands-out.ts';
import { dividedBy, type RunPaths } from '../../../../analysis/path/run-paths.ts';
import { at, mulberry32 } from '../../../../base/lists.ts';

type Row = readonly [rank: number, ns: number, key?: string, from?: number];

/** Searches of these steps; `from` is the rank that a message came from. */
function paths(nodes: number, searches: readonly (readonly Row[])[]): Parameters<typeof standingOut>[0] {
  let all = 0;
  const made = searches.map((rows) => {
    let time = 0;
    const path = rows.map(([rank, ns, key = 'compute', from = -1]) => {
      time += ns;
      return { rank, startNs: time - ns, endNs: time, key, from, arrival: null };
    });
    all += time;
    return { path };
  });
  const whole = {
    cell: { nodes, ranks: nodes, scale: 20, bw: 100 },
    hostOf: (rank: number) => `node${rank}`,
    searches: made,
    meanNs: { length: all / searches.length },
  };
  return whole as unknown as RunPaths;
}

const EVEN: readonly Row[] = [0, 1, 2, 3, 4, 5, 6, 7].map((rank) => [rank, 10]);
const among = { noun: 'search', runs: 1 };
/** So many searches, each with one step more. */
const searches = (count: number, more: (search: number) => readonly Row[]): readonly (readonly Row[])[] =>
  Array.from({ length: count }, (_, search) => [...EVEN, ...more(search)]);

describe('a host of a cluster', () => {
  test('stands out where most of the path of most searches lies on it, with its share', () => {
    const [found, ...more] = standingOut(
      paths(
        8,
        searches(6, (search) => [[search === 2 ? 5 : 3, 90]]),
      ),
      among,
    );
    expect(more).toEqual([]);
    // 10 of 170 in one search, 100 of 170 in five.
    expect(found).toMatchObject({ kind: 'path/host', seconds: expect.closeTo(85e-9, 15) });
    expect(found?.percent).toBeCloseTo((510 / 1020) * 100);
    expect(found?.sentence).toMatch(/^node3 stands out .* 50 % .*\(even share: 13 %\)/);
  });

  test('does not where each search has its own, though it has more than others', () => {
    const [most] = dividedBy(
      paths(
        8,
        searches(6, (search) => [[at([3, 3, 3, 1, 5, 6], search), 90]]),
      ),
      'host',
    );
    expect(most?.[0]).toBe('node3');
    expect(most?.[1]).toBeCloseTo(55);
    expect(
      standingOut(
        paths(
          8,
          searches(6, (search) => [[at([3, 3, 3, 1, 5, 6], search), 90]]),
        ),
        among,
      ),
    ).toEqual([]);
  });

  test('does not after one search, where the path is spread, or where two hosts are all there are', () => {
    expect(
      standingOut(
        paths(
          8,
          searches(1, () => [[3, 900]]),
        ),
        among,
      ),
    ).toEqual([]);
    expect(
      standingOut(
        paths(
          8,
          searches(8, () => [[3, 5]]),
        ),
        among,
      ),
    ).toEqual([]);
    expect(standingOut(paths(2, Array(8).fill([[0, 10], [1, 90]])), among)).toEqual([]); // biome-ignore format: a row
    expect(standingOut(paths(3, [[], []]), among)).toEqual([]);
  });

  test('needs more searches among many runs: one of them has such a host by chance', () => {
    const found = (count: number, runs: number) =>
      standingOut(
        paths(
          8,
          searches(count, () => [[3, 90]]),
        ),
        { noun: 'search', runs },
      ).length;
    // In three searches of eight hosts it is always the same one in 1 of 64 cases, in six in 1 of 32768.
    expect([found(3, 1), found(6, 1), found(6, 10), found(9, 10)]).toEqual([0, 1, 1, 1]);
    expect([found(4, 1), found(4, 10)]).toEqual([1, 0]);
  });

  test('has a slow link where the transfers from and to it are most of the path', () => {
    const slow: readonly Row[] = [
      [1, 15, 'fold transfer', 3],
      [2, 15, 'fold transfer', 3],
      [3, 20, 'fold transfer', 5],
      [6, 5, 'fold transfer', 7],
    ];
    const found = standingOut(
      paths(
        8,
        searches(8, () => slow),
      ),
      among,
    );
    expect(found.map(({ kind }) => kind)).toEqual(['path/link']);
    expect(found[0]?.sentence).toMatch(/^The link of node3 .* 91 % of transfers .*\(even share: 25 %\)/);
  });

  test('whose transfers are little of the path is not named', () => {
    expect(
      standingOut(
        paths(
          8,
          searches(8, () => [[2, 5, 'fold transfer', 3]]),
        ),
        among,
      ),
    ).toEqual([]);
  });
});

test('tables of chance are beyond chance as often as the level says, and those with a fault always', () => {
  const random = mulberry32(5);
  const table = (extra: number) =>
    Array.from({ length: 8 }, () =>
      Float64Array.from({ length: 9 }, (_, column) => random() ** 3 + (column === 4 ? extra : 0)),
    );
  const named = (extra: number) =>
    Array.from({ length: 400 }, () => isBeyondChance(table(extra), 0.1)).filter(Boolean).length;
  // 400 times 0.1, and three standard deviations of sqrt(400 * 0.1 * 0.9).
  expect(Math.abs(named(0) - 40)).toBeLessThan(18);
  expect(named(1)).toBe(400);
});

test('links and what is no link add up to the path', () => {
  const one = paths(4, [[[0, 10], [1, 20, 'fold transfer', 0], [1, 5, 'fold work'], [2, 7, 'fold transfer']]]); // biome-ignore format: rows
  expect(dividedBy(one, 'link')).toEqual([
    ['no link', 22],
    ['node0 -> node1', 20],
  ]);
});

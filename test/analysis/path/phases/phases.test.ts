import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { linkQueues } from '../../../../analysis/path/link-queues.ts';
import { causalityOf } from '../../../../analysis/path/phases/causality.ts';
import { pathModelOf } from '../../../../analysis/path/phases/from-cell.ts';
import { meaningOf } from '../../../../analysis/path/phases/phase-meaning.ts';
import type { RankPhases } from '../../../../analysis/path/phases/rank-phases.ts';
import { searchGraphs, searchPaths } from '../../../../analysis/path/phases/search-graphs.ts';
import { meanProfile, pathSums, searchSummary } from '../../../../analysis/path/run-paths.ts';
import { type Change, whatIf } from '../../../../analysis/path/what-if.ts';
import { loadPlatform } from '../../../../analysis/platform/load-platform.ts';
import { readPhaseCase } from '../../../cases/path/read-phase-case.ts';
import { times } from '../../../times.ts';
import { simulate } from './simulate.ts';

const folder = fileURLToPath(new URL('../../../fixtures/critical-path/mpi/', import.meta.url));
const platform = await loadPlatform('graph500');
const kinds = pathModelOf(platform)?.kinds ?? new Map();
const json = (name: string, file: string) => JSON.parse(readFileSync(`${folder}${name}/${file}.json`, 'utf8'));
const byHand = () => json('by-hand', 'input');

describe('rules M1 to M7', () => {
  test.each(readdirSync(folder))('%s has the paths, profiles and means of the reference', (name) => {
    const { problems, ...phases } = readPhaseCase(json(name, 'input'), kinds);
    const searches = searchPaths({ ...phases, problems }).map((search) => ({ ...search, ...searchSummary(search) }));
    const { searches: wanted, meanNs } = json(name, 'expected');
    expect(problems).toEqual([]);
    expect(meanProfile(searches)).toEqual(meanNs);
    expect(
      searches.map(({ path, ...rest }) => ({
        ...rest,
        path: path.map(({ rank, startNs, endNs, key }) => ({ rank, startNs, endNs, key })),
      })),
    ).toEqual(wanted);
  });

  const costs = fc.array(fc.nat(50), { minLength: 200, maxLength: 200 });

  test('the steps follow each other without a gap from the start to the end, and parts add up', () => {
    fc.assert(
      fc.property(costs, fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 5 }), (numbers, side, levels) => {
        const pick = (offset: number) => (rank: number, level: number) =>
          numbers[(offset + rank * 7 + level * 13) % 200] ?? 0;
        const { phases, lengthNs } = simulate(
          { compute: pick(0), transfer: pick(61), work: pick(127) },
          { side, levels },
        );
        const [search] = searchPaths(phases);
        if (search === undefined) throw new Error('no search');
        const { path, startNs, endNs } = search;
        expect(endNs - startNs).toBe(lengthNs);
        expect(path.map((step) => step.startNs)).toEqual(
          lengthNs === 0 ? [] : [startNs, ...path.slice(0, -1).map((step) => step.endNs)],
        );
        expect(path.at(-1)?.endNs ?? endNs).toBe(endNs);
        const { profileNs, ranksNs } = searchSummary(search);
        for (const parts of [profileNs, ranksNs]) {
          expect(Object.values(parts).reduce((sum, ns) => sum + ns, 0)).toBe(lengthNs);
        }
      }),
      { numRuns: times(30) },
    );
  });

  test('a straggler has the computing of the path, and the others wait for it', () => {
    const { phases } = simulate(
      { compute: (rank) => (rank === 5 ? 200 : 100), transfer: () => 3, work: () => 2 },
      { side: 3, levels: 4 },
    );
    const [search] = searchPaths(phases);
    const computing = search?.path.filter(({ key }) => key === 'compute') ?? [];
    expect(computing.map(({ rank, startNs, endNs }) => [rank, endNs - startNs])).toEqual(Array(4).fill([5, 200]));
  });
});

describe('what a case has wrong', () => {
  const broken = (change: (input: ReturnType<typeof byHand>) => void): unknown => {
    const input = byHand();
    change(input);
    return input;
  };
  test.each([
    [
      'a side that is too small',
      broken((input) => void Object.assign(input, { side: 1 })),
      /Phase 5 of the case has 1 as rank: a grid of side 1 has the ranks 0 to 0/,
    ],
    [
      'a side that is too large',
      broken((input) => void Object.assign(input, { side: 3 })),
      /phases of 4 ranks, but a grid of side 3 has 9\. .*the first is 4/,
    ],
    ['a side of no grid on earth', broken((input) => void Object.assign(input, { side: 1e9 })), /phases of 4 ranks/],
    [
      'a missing column',
      broken(({ phases }) => void phases.columns.splice(5, 1, 'end')),
      /no column endNs .*rank, root, level, phase, startNs, end, asleepNs/,
    ],
    [
      'an unknown phase',
      broken(({ phases }) => void phases.rows[2].splice(3, 1, 'sing')),
      /Phase 3 of the case has "sing" as phase: give one of expand, compute, fold and synchronise/,
    ],
    [
      'a row that is cut off',
      broken(({ phases }) => void phases.rows[15].splice(5)),
      /Phase 16 of the case has nothing as endNs/,
    ],
    ['no phases', broken(({ phases }) => void phases.rows.splice(0)), /phases\.rows: give at least one phase/],
    ['a list', [], /invalid at the top level/],
  ])('%s is named', (_, input, message) => expect(() => readPhaseCase(input, kinds)).toThrow(message));

  test('a worker whose time runs backwards, an overlap and a missing partner are counted with their entries', () => {
    const input = broken(({ phases: { rows } }) => {
      [rows[1][4], rows[1][5]] = [10, 2];
      rows[6][4] = 25;
      rows.splice(10, 1);
    });
    expect(readPhaseCase(input, kinds).problems).toEqual([
      { kind: 'phase that ends before it starts', count: 1, lines: [2] },
      { kind: 'phase that begins before the previous one ends', count: 1, lines: [7] },
      { kind: 'communication phase without all its ranks', count: 1, lines: [14] },
    ]);
  });

  test('what is no activity of the path is left out', () => {
    const input = broken(({ phases: { rows } }) => void rows.push([0, 0, 0, 'bfs', 0, 50, 0]));
    expect(readPhaseCase(input, new Map([...kinds, ['bfs', null]])).rank).toHaveLength(16);
  });
});

describe('what if', () => {
  const side = 3;
  const levels = 4;
  const compute = (rank: number, level: number) => 100 + ((rank * 37 + level * 11) % 60);
  const transfer = (rank: number, level: number) => 20 + ((rank * 5 + level * 3) % 17);
  const work = (rank: number) => 10 + (rank % 4);
  const { phases, lengthNs } = simulate({ compute, transfer, work }, { side, levels });
  const lengths = (of: RankPhases, changes: readonly Change[]) =>
    whatIf(searchGraphs(of, { messages: null, links: null, isReplay: true }), {
      ...{ changes, hostOf: (rank: number) => `node${rank}` },
      linkOf: (slower) => ({ nsPerByte: slower, burstNs: 0 }),
    });
  const ask = (key: string, factor: number) => lengths(phases, [{ key, factor }]);

  test('nothing changed is the measured time', () => {
    expect(lengths(phases, [])).toEqual([lengthNs]);
  });

  test.each([
    ['compute', 0.5, { compute: (rank: number, level: number) => compute(rank, level) * 0.5, transfer, work }],
    ['compute', 3, { compute: (rank: number, level: number) => compute(rank, level) * 3, transfer, work }],
    ['transfer', 0, { compute, transfer: () => 0, work }],
    ['work', 2, { compute, transfer, work: (rank: number) => work(rank) * 2 }],
  ] as const)('%s lasts %d times as long: the simulation of that', (key, factor, changed) => {
    expect(ask(key, factor)[0]).toBeCloseTo(simulate(changed, { side, levels }).lengthNs, 6);
  });

  test('measured runs come out as they were, and less of anything never takes longer', () => {
    for (const name of ['mpi-4-10', 'mpi-9-10', 'by-hand', 'no-sleep-times']) {
      const own = readPhaseCase(json(name, 'input'), kinds);
      const measured = searchPaths(own).map(({ startNs, endNs }) => endNs - startNs);
      expect(lengths(own, [])).toEqual(measured);
      for (const key of ['compute', 'fold', 'transfer', 'work', 'synchronise']) {
        const shorter = lengths(own, [{ key, factor: 0.5 }]);
        for (const [search, length] of shorter.entries()) expect(length).toBeLessThanOrEqual(measured[search] ?? 0);
      }
    }
  });

  test('a key that the run has not is named with those that it has', () => {
    expect(() => ask('expand', 2)).toThrow(
      /the run has no 'expand': name one of compute, fold, fold work, fold transfer/,
    );
  });
});

describe('nothing arrives before it was sent', () => {
  const costs = { compute: (rank: number) => 100 + rank, transfer: () => 5, work: () => 2 };
  const causality = (shift: (rank: number) => number) =>
    causalityOf(simulate(costs, { side: 2, levels: 3, shift }).phases, { hostOf: (rank) => rank, hosts: 4 });

  test('clocks that agree are left alone, and can be apart by the shortest time of a message at most', () => {
    const { shiftNs, slackNs, isPossible } = causality(() => 0);
    expect([...shiftNs]).toEqual([0, 0, 0, 0]);
    expect(isPossible).toBe(true);
    expect(Math.max(...slackNs)).toBeLessThanOrEqual(2 * (5 + 2) + 3);
  });

  test('a clock far ahead is moved back until every message takes its way', () => {
    const { shiftNs, isPossible } = causality((rank) => (rank === 2 ? 1000 : 0));
    expect(isPossible).toBe(true);
    expect(shiftNs[2]).toBeLessThan(-980);
    expect(shiftNs[2]).toBeGreaterThanOrEqual(-1000);
    expect([0, 1, 3].map((host) => shiftNs[host])).toEqual([0, 0, 0]);
  });

  test('a clock that jumps in the run is no matter of one shift', () => {
    const { phases } = simulate(costs, { side: 2, levels: 3 });
    const half = phases.startNs.length / 2;
    const startNs = phases.startNs.map((ns, place) => (phases.rank[place] === 1 && ns > 150 ? ns + 5000 : ns));
    const endNs = phases.endNs.map((ns, place) =>
      phases.rank[place] === 1 && (phases.startNs[place] ?? 0) > 150 ? ns + 5000 : ns,
    );
    expect(half).toBeGreaterThan(0);
    expect(causalityOf({ ...phases, startNs, endNs }, { hostOf: (rank) => rank, hosts: 4 }).isPossible).toBe(false);
  });
});

test('a transfer is the time of its bytes on the link, and delay', () => {
  const { phases } = simulate({ compute: () => 100, transfer: () => 5000, work: () => 2 }, { side: 2, levels: 1 });
  // Everybody sends 250 bytes in fold, to one partner; at 1 Gbit/s they take 2000 ns.
  const own = { ...phases, bytes: phases.bytes.map(() => 250) };
  const parts = (of: RankPhases, nsPerByte: number, hostOf = (rank: number): number => rank) => {
    const queues = () => linkQueues(4, { nsPerByte, burstNs: 0 });
    const links = { hostOf, queues, needNs: (bytes: number) => bytes * nsPerByte, apartNs: () => 0 };
    return pathSums(searchPaths(of, { messages: null, links }), () => 0).transfersNs['fold transfer'];
  };
  expect(parts(own, 8)).toEqual({ onLinkNs: 2000, delayNs: 3000 });
  expect(parts(own, 80)).toEqual({ onLinkNs: 5000, delayNs: 0 });
  expect(parts(phases, 8)).toBeUndefined();
});

test('keys mean what Grade10 calls network, processors, other ranks, or nothing', () => {
  expect(
    ['fold transfer', 'fold work', 'compute', 'synchronise transfer', 'fold', 'begin'].map((key) =>
      meaningOf(key, platform),
    ),
  ).toEqual(['network', 'cpu', 'cpu', 'waiting', 'network', 'unexplained']);
});

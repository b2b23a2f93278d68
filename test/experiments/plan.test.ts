import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { plan, visitAgain } from '../../experiments/plan.ts';
import { type Cell, cellSchema } from '../../experiments/records.ts';
import { canonicalJson } from '../../experiments/store/digest.ts';
import { parseSweep } from '../../experiments/sweep.ts';
import { workloadOf } from '../../experiments/workloads/adapters.ts';
import type { RankRule } from '../../experiments/workloads/rank-rule.ts';
import type { Workload } from '../../experiments/workloads/workload.ts';
import { cellWith } from './make.ts';

const graph500 = workloadOf({ kind: 'graph500', name: 'graph500' });

const external = (ranks: RankRule, args = ['{scale}']): Workload =>
  workloadOf({ kind: 'graph500-external', name: 'reference', binary: '/opt/bfs', args, ranks });

const short = (cell: Cell): string => `${cell.nodes}n s${cell.scale} ${cell.bw}% #${cell.rep} ${cell.role}`;

describe('plan', () => {
  const inBlocks = { nodes: '4,1', scales: '21,20', bw: '20,50', reps: '2', roots: '8' };
  const planned = (flags: object = {}): Cell[] =>
    plan(parseSweep({ ...inBlocks, ...flags }), { workload: graph500, ranksPerNode: 1, hosts: 9 });

  test('each scale is a row of blocks, each with everything once, and the drift cells last', () => {
    const cells = planned();
    const block = (scale: number, rep: number): Set<string> =>
      new Set([1, 4].flatMap((nodes) => [100, 50, 20].map((bw) => `${nodes}n s${scale} ${bw}% #${rep} measure`)));
    const drift = (scale: number): Set<string> => new Set([1, 4].map((nodes) => `${nodes}n s${scale} 100% #3 drift`));
    const [sizes, expected] = [
      [6, 6, 2, 6, 6, 2],
      [block(20, 1), block(20, 2), drift(20), block(21, 1), block(21, 2), drift(21)],
    ];
    let start = 0;
    for (const [index, size] of sizes.entries()) {
      expect(new Set(cells.slice(start, start + size).map(short))).toEqual(expected[index]);
      start += size;
    }
    expect(start).toBe(cells.length);
  });

  test('the order within blocks is drawn: another one in each, by the seed', () => {
    const setting = ({ nodes, bw }: Cell): string => `${nodes} ${bw}`;
    const orders = [1, 2, 3].flatMap((seed) => {
      const cells = planned({ seed: String(seed), scales: '20', reps: '4', bw: '10..90/10' });
      return [0, 20, 40, 60].map((start) =>
        cells
          .slice(start, start + 20)
          .map(setting)
          .join(),
      );
    });
    // A block has 2 orders of its sizes, and 10! of the levels of each; seeds that follow each other may share one.
    expect(new Set(orders.slice(0, 4)).size).toBe(4);
    expect(new Set(orders).size).toBeGreaterThan(5);
    expect(planned({ seed: '2' }).map(setting)).not.toEqual(planned({ seed: '1' }).map(setting));
    expect(planned({ seed: '2' }).map(setting)).toEqual(planned({ seed: '2' }).map(setting));
  });

  test('levels that one start serves follow each other, in an order drawn for each size and block', () => {
    const cells = planned({ scales: '20', reps: '3', bw: '10..90/10' });
    const starts = Array.from({ length: 6 }, (_, index) => cells.slice(10 * index, 10 * index + 10));
    for (const start of starts) {
      expect(new Set(start.map(({ nodes, rep }) => `${nodes} ${rep}`)).size).toBe(1);
      expect(new Set(start.map(({ bw }) => bw)).size).toBe(10);
    }
    expect(new Set(starts.map((start) => start.map(({ bw }) => bw).join())).size).toBe(6);
    // Any other program starts anew for each cell, so that sizes take turns.
    const others = plan(parseSweep({ ...inBlocks, scales: '20', bw: '10..90/10' }), {
      ...{ workload: external('any'), ranksPerNode: 1, hosts: 9 },
    });
    const turns = others.slice(1, 20).filter(({ nodes }, index) => nodes !== others[index]?.nodes);
    expect(turns.length).toBeGreaterThan(3);
  });

  test('no place of a block belongs to a setting: over many seeds each is first about equally often', () => {
    const counts = new Map<string, number>();
    for (let seed = 1; seed <= 600; seed += 1) {
      const first = short(planned({ seed: String(seed), scales: '20' })[0] as Cell);
      counts.set(first, (counts.get(first) ?? 0) + 1);
    }
    expect(counts.size).toBe(6);
    // 100 each: 6 standard deviations of a binomial count are 55.
    for (const count of counts.values()) expect(Math.abs(count - 100)).toBeLessThan(55);
  });

  test('anchors are visited once in each block, at 100 %, and are no cell of a sweep that measured them', () => {
    const sweep = parseSweep({ nodes: '9', scales: '20', bw: '50', reps: '3', roots: '8' });
    const options = { workload: graph500, ranksPerNode: 1, hosts: 9 };
    const cells = plan({ ...sweep, anchors: [4, 1] }, options);
    const anchors = cells.filter(({ nodes }) => nodes < 9);
    expect(anchors.every(({ role, bw }) => role === 'drift' && bw === 100)).toBe(true);
    for (const block of [0, 1, 2]) {
      expect(new Set(cells.slice(4 * block, 4 * block + 4).map(({ nodes, bw }) => `${nodes} ${bw}`))).toEqual(
        new Set(['9 100', '9 50', '4 100', '1 100']),
      );
    }
    expect(cells.slice(12).map(short)).toEqual(['9n s20 100% #4 drift']);
    const earlier = new Set(plan({ ...sweep, nodes: [1, 4] }, options).map(({ id }) => id));
    expect(anchors.filter(({ id }) => earlier.has(id))).toEqual([]);
    expect(plan({ ...sweep, anchors: [1, 4] }, options)).toEqual(cells);
    // Its own cells are the same ones with and without anchors.
    const alone = new Set(plan(sweep, options).map(({ id }) => id));
    expect(cells.filter(({ id }) => alone.has(id))).toHaveLength(alone.size);
  });

  test('a cell visited again is the same but for its repetition, and a measured one', () => {
    const sweep = parseSweep(inBlocks);
    const cells = planned();
    const drift = cells.find(({ role }) => role === 'drift') as Cell;
    const again = visitAgain(drift, 4, { sweep, workload: graph500 });
    expect(again).toEqual({ ...drift, rep: 4, role: 'measure', id: expect.stringMatching(/^[0-9a-f]{16}$/) });
    expect(cells.map(({ id }) => id)).not.toContain(again.id);
    expect(cellSchema.parse(again)).toEqual(again);
    // A repetition that is planned has the id of the planned one.
    const first = cells.find(({ rep, role }) => rep === 1 && role === 'measure') as Cell;
    const second = visitAgain(first, 2, { sweep, workload: graph500 });
    expect(cells).toContainEqual(second);
  });

  test('ids are the same in every process and version', () => {
    const cells = plan(parseSweep({ nodes: '4', scales: '20' }), { workload: graph500, ranksPerNode: 1, hosts: 4 });
    expect(cellWith(cells, { bw: 100, role: 'measure' })).toEqual({
      id: '0649ffb67741ed6c',
      workload: 'graph500',
      nodes: 4,
      ranks: 4,
      scale: 20,
      bw: 100,
      rep: 1,
      role: 'measure',
      roots: 64,
    });
  });

  test('the id depends on the definition, the seed, the roots and the ranks, not on the number of hosts', () => {
    const options = { workload: external('any'), ranksPerNode: 1, hosts: 4 };
    const firstId = (flags: object, changed: object = {}): string => {
      const cells = plan(parseSweep({ nodes: '4', scales: '20', ...flags }), { ...options, ...changed });
      return cellWith(cells, { bw: 100, role: 'measure' }).id;
    };
    const ids = [
      firstId({}),
      firstId({}, { workload: external('any', ['{scale}', '8']) }),
      firstId({ seed: '2' }),
      firstId({ roots: '8' }),
      firstId({}, { ranksPerNode: 2 }),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    expect(firstId({}, { hosts: 99 })).toBe(ids[0]);
  });

  test('every cell of the product is there once, with an id of its own that is stable', () => {
    const numbers = (max: number) => fc.uniqueArray(fc.integer({ min: 1, max }), { minLength: 1, maxLength: 4 });
    const arbitrary = fc.record({
      nodes: numbers(30),
      scales: numbers(40),
      bw: numbers(100),
      reps: fc.integer({ min: 1, max: 3 }),
      roots: fc.integer({ min: 1, max: 64 }),
      ranksPerNode: fc.integer({ min: 1, max: 4 }),
    });
    fc.assert(
      fc.property(arbitrary, ({ nodes, scales, bw, reps, roots, ranksPerNode }) => {
        const sweep = { workload: 'x', nodes, scales, bw, reps, roots, seed: 1 };
        const options = { workload: external('any'), ranksPerNode, hosts: 30 };
        const cells = plan(sweep, options);
        const bandwidths = new Set([...bw, 100]);
        expect(cells).toHaveLength(nodes.length * scales.length * (bandwidths.size * reps + 1));
        expect(new Set(cells.map((cell) => cell.id)).size).toBe(cells.length);
        expect(new Set(cells.map(short)).size).toBe(cells.length);
        for (const cell of cells) expect(cellSchema.parse(cell)).toEqual(cell);
        const again = plan(
          { ...sweep, nodes: [...nodes].reverse(), scales: [...scales].reverse(), bw: [...bw].reverse() },
          options,
        );
        expect(again).toEqual(cells);
      }),
      { numRuns: 40 },
    );
  });
});

describe('node counts that cannot run', () => {
  test('all of them are named at once with their nearest neighbours', () => {
    const sweep = parseSweep({ nodes: '4,5,12,20', scales: '20' });
    expect(() => plan(sweep, { workload: graph500, ranksPerNode: 1, hosts: 16 })).toThrow(
      'nodes: graph500 needs a square number of ranks (1, 4, 9, 16, ...), with 1 per node; ' +
        '5 nodes cannot run (nearest: 4 or 9); 12 nodes cannot run (nearest: 9 or 16); 20 nodes cannot run (nearest: 16); ' +
        'the inventory has 16 hosts, too few for 20 nodes; possible node counts: 1,4,9,16.',
    );
  });

  test('neighbours are node counts, not rank counts', () => {
    const sweep = parseSweep({ nodes: '4', scales: '20' });
    expect(() => plan(sweep, { workload: graph500, ranksPerNode: 2, hosts: 9 })).toThrow(
      '4 nodes cannot run (nearest: 2 or 8)',
    );
  });

  test('a number of ranks per node that never fits says what to change', () => {
    const sweep = parseSweep({ nodes: '2', scales: '20' });
    expect(() => plan(sweep, { workload: graph500, ranksPerNode: 3, hosts: 2 })).toThrow(
      'no node count up to 2 satisfies that: change ranksPerNode',
    );
  });

  test.each<[RankRule, number[]]>([
    ['any', [1, 2, 3, 4, 5, 6, 7, 8]],
    ['power-of-two', [1, 2, 4, 8]],
    ['square', [1, 4]],
    ['two-squares', [2, 8]],
    [{ multipleOf: 3 }, [3, 6]],
  ])('the rule %j admits the right counts', (rule, expected) => {
    const workload = external(rule);
    expect([1, 2, 3, 4, 5, 6, 7, 8].filter((ranks) => workload.admissible(ranks))).toEqual(expected);
    expect(workload.admissible(0)).toBe(false);
  });
});

describe('canonicalJson', () => {
  test('key order and undefined members do not count, array order does', () => {
    expect(canonicalJson({ b: [2, 1], a: undefined, c: { y: null, x: 'é' } })).toBe(
      '{"b":[2,1],"c":{"x":"é","y":null}}',
    );
    expect(canonicalJson({ a: 1, b: 2 })).toBe(canonicalJson({ b: 2, a: 1 }));
  });

  test('it is JSON of the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

describe('a sweep that profiles', () => {
  const flags = { nodes: '1,4', scales: '10', bw: '50', reps: '2', roots: '2' };
  const options = { workload: graph500, ranksPerNode: 1, hosts: 9 };
  const ids = (more: object = {}): Map<string, Cell> =>
    new Map(plan(parseSweep({ ...flags, ...more }), options).map((cell) => [cell.id, cell]));

  test('plans each measurement as it is without, and once more in the same block as a cell of its own', () => {
    const [plain, wall] = [ids(), ids({ profile: 'wall' })];
    const added = [...wall.values()].filter(({ id }) => !plain.has(id));
    expect([...plain.keys()].every((id) => wall.has(id))).toBe(true);
    expect(added.map(short).sort()).toEqual(
      [...plain.values()]
        .filter(({ role }) => role === 'measure')
        .map((cell) => short({ ...cell, role: 'profile' }))
        .sort(),
    );
    expect(new Set(added.map(({ profile }) => JSON.stringify(profile)))).toEqual(new Set(['{"kind":"wall","hz":99}']));
    const block = [...wall.values()].slice(0, 8);
    expect(block.map(({ rep, role }) => `${rep} ${role}`).sort()).toEqual([
      ...Array.from({ length: 4 }, () => '1 measure'),
      ...Array.from({ length: 4 }, () => '1 profile'),
    ]);
  });

  test('another kind or rate is another cell', () => {
    const all = [{ profile: 'wall' }, { profile: 'cpu' }, { profile: 'cpu', profileHz: '50' }].flatMap((more) =>
      [...ids(more).values()].filter(({ role }) => role === 'profile').map(({ id }) => id),
    );
    expect(new Set(all).size).toBe(3 * 8);
  });

  test.each([
    [{ profile: 'off' }, /--profile: 'off' is neither: write cpu .* or wall/],
    [{ profileHz: '50' }, /--profile-hz .* add --profile/],
    [{ profile: 'cpu', profileHz: '0' }, /--profile-hz/],
  ])('%o is refused', (more, message) => {
    expect(() => parseSweep({ ...flags, ...more })).toThrow(message);
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Cell,
  canonicalJson,
  cellSchema,
  parseSweep,
  plan,
  type RankRule,
  type Workload,
  workloadOf,
} from '../../experiments/index.ts';

const graph500 = workloadOf({ kind: 'graph500', name: 'graph500' });

const external = (ranks: RankRule, args = ['{scale}']): Workload =>
  workloadOf({ kind: 'graph500-external', name: 'reference', binary: '/opt/bfs', args, ranks });

const short = (cell: Cell): string => `${cell.nodes}n s${cell.scale} ${cell.bw}% #${cell.rep} ${cell.role}`;

describe('plan', () => {
  test('each group begins with the baseline and ends with the drift cell', () => {
    const sweep = parseSweep({ nodes: '4,1', scales: '21,20', bw: '20,50', reps: '2', roots: '8' });
    const cells = plan(sweep, { workload: graph500, ranksPerNode: 1, hosts: 4 });
    expect(cells.slice(0, 7).map(short)).toEqual([
      '1n s20 100% #1 measure',
      '1n s20 100% #2 measure',
      '1n s20 50% #1 measure',
      '1n s20 50% #2 measure',
      '1n s20 20% #1 measure',
      '1n s20 20% #2 measure',
      '1n s20 100% #3 drift',
    ]);
    expect(cells.filter((cell) => cell.role === 'drift').map(short)).toEqual([
      '1n s20 100% #3 drift',
      '1n s21 100% #3 drift',
      '4n s20 100% #3 drift',
      '4n s21 100% #3 drift',
    ]);
  });

  test('ids are the same in every process and version', () => {
    const [first] = plan(parseSweep({ nodes: '4', scales: '20' }), { workload: graph500, ranksPerNode: 1, hosts: 4 });
    expect(first).toEqual({
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
    const firstId = (flags: object, changed: object = {}): string | undefined =>
      plan(parseSweep({ nodes: '4', scales: '20', ...flags }), { ...options, ...changed })[0]?.id;
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
        const again = plan({ ...sweep, nodes: [...nodes].reverse(), bw: [...bw].reverse() }, options);
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
        '5 cannot run: nearest 4 or 9; 12 cannot run: nearest 9 or 16; 20 cannot run: nearest 16; ' +
        'the inventory has 16 hosts, too few for 20 nodes; node counts that can run: 1,4,9,16.',
    );
  });

  test('neighbours are node counts, not rank counts', () => {
    const sweep = parseSweep({ nodes: '4', scales: '20' });
    expect(() => plan(sweep, { workload: graph500, ranksPerNode: 2, hosts: 9 })).toThrow(
      '4 cannot run: nearest 2 or 8',
    );
  });

  test('a number of ranks per node that never fits says what to change', () => {
    const sweep = parseSweep({ nodes: '2', scales: '20' });
    expect(() => plan(sweep, { workload: graph500, ranksPerNode: 3, hosts: 2 })).toThrow(
      'no node count up to 2 gives that: change ranksPerNode',
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

import { describe, expect, test } from 'vitest';
import type { Cell, CellRecord } from '../../experiments/records.ts';
import type { Campaign } from '../../experiments/store/campaign.ts';
import { parseSweep } from '../../experiments/sweep.ts';
import { createRandom } from '../../modeling/judge/distributions.ts';
import { computeUnsureness } from '../../modeling/judge/ratio.ts';
import { compareCampaigns } from '../../modeling/questions/compare-campaigns.ts';
import { failedRecord } from '../experiments/make.ts';
import { cellsOf, visitsTo, workload } from './made-visits.ts';

const SWEEP = parseSweep({ nodes: '2,4', scales: '12', bw: '20,50', reps: '2', roots: '3' });
const CELLS = cellsOf(SWEEP);
const INVENTORY = {
  ...{ cluster: 'made', hosts: [], lineRateBps: 1e9, ranksPerNode: 1 },
  launcher: { kind: 'openmpi' },
} as unknown as Campaign['inventory'];
const ASKED = { level: 0.9 };
const calm = { drift: () => 0, scatter: 0.03 };

function told(dir: string, records: readonly CellRecord[], changes: Partial<Campaign> = {}) {
  const campaign: Campaign = {
    ...{ schema: 2, name: dir, createdAt: '2024-05-01T00:00:00.000Z', sweep: SWEEP, addedSweeps: [] },
    ...{ workload: workload.definition, inventory: INVENTORY, cells: CELLS, ...changes },
  };
  return { dir, campaign, records };
}

/** The same visits of a program that takes so many times as long in some cells. */
function slower(records: readonly CellRecord[], factor: (cell: Cell) => number): CellRecord[] {
  return records.map((record) => ({
    ...record,
    runs: record.runs.map((run) => ({ ...run, ct: run.ct * factor(record.cell) })),
  }));
}

describe('the ratio of the times of two campaigns', () => {
  const truth = ({ bw }: Pick<Cell, 'bw'>): number => (bw === 20 ? 1.25 : 1);
  const all = Array.from({ length: 60 }, (_, index) => {
    const [before, after] = [2 * index + 1, 2 * index + 2].map((seed) => visitsTo(CELLS, { ...calm, seed }));
    return compareCampaigns(told('after', slower(after ?? [], truth)), told('before', before ?? []), ASKED);
  });

  test('lies in its interval about nine times of ten, and that of the mean does', () => {
    const holds = ({ low, high }: { low: number | null; high: number | null }, value: number): boolean =>
      low !== null && high !== null && low <= value && value <= high;
    const share = (hits: readonly boolean[]): number => hits.filter((hit) => hit).length / hits.length;
    const cells = share(all.flatMap(({ cells: each }) => each.map((cell) => holds(cell.ratio, truth(cell)))));
    expect(cells).toBeGreaterThan(0.85);
    expect(cells).toBeLessThan(0.95);
    const means = share(all.map(({ mean }) => holds(mean, 1.25 ** (1 / 3))));
    expect(means).toBeGreaterThan(0.8);
  });

  test('is beyond scatter where it is, and hardly ever elsewhere', () => {
    const found = all.flatMap(({ cells }) => cells);
    const planted = found.filter(({ bw }) => bw === 20);
    expect(planted.filter(({ differs }) => differs === 'slower').length / planted.length).toBeGreaterThan(0.95);
    const others = all.filter(({ cells }) => cells.some(({ bw, differs }) => bw !== 20 && differs !== null));
    expect(others.length / all.length).toBeLessThan(0.15);
  });

  test('takes the drift of either out', () => {
    const drifting = { ...calm, drift: (seconds: number) => 0.001 * (seconds - 100), seed: 5 };
    const { cells, warnings } = compareCampaigns(
      told('after', visitsTo([...CELLS].reverse(), drifting)),
      told('before', visitsTo(CELLS, { ...calm, seed: 6 })),
      ASKED,
    );
    for (const { ratio } of cells) expect(Math.abs(Math.log(ratio.value))).toBeLessThan(0.1);
    expect(warnings.join()).toContain('after: Machine speed drifted');
  });
});

describe('what is said of two campaigns', () => {
  const before = visitsTo(CELLS, { ...calm, seed: 1 });
  const after = visitsTo(CELLS, { ...calm, seed: 2 });

  test('cells are those of both; those of one alone are counted, and those that failed are named', () => {
    const isLost = ({ nodes, bw }: Cell): boolean => nodes === 4 && bw === 50;
    const records = after.map((record) => (isLost(record.cell) ? failedRecord(record.cell) : record));
    const known = before.filter(({ cell }) => cell.bw !== 100);
    const { cells, onlyHere, onlyAgainst, failed } = compareCampaigns(told('a', records), told('b', known), ASKED);
    expect(cells.map(({ nodes, bw }) => [nodes, bw])).toEqual([
      ...[
        [2, 20],
        [2, 50],
      ],
      [4, 20],
    ]);
    expect({ onlyHere, onlyAgainst }).toEqual({ onlyHere: 2, onlyAgainst: 1 });
    expect(failed).toEqual([{ program: '', nodes: 4, scale: 12, bw: 50 }]);
  });

  test('what was measured otherwise', () => {
    const inventory = { ...INVENTORY, lineRateBps: 2e9, ranksPerNode: 1 };
    const { warnings } = compareCampaigns(told('a', after, { inventory }), told('b', before), ASKED);
    expect(warnings).toContain('a and b were measured differently: line rate 2 Gbit/s, not 1 Gbit/s.');
  });

  test('single visits know their timed runs alone, and say so; without those there is no interval', () => {
    const once = (records: readonly CellRecord[]): CellRecord[] =>
      records.filter(({ cell }) => cell.rep === 1 && cell.role === 'measure');
    const found = compareCampaigns(told('a', once(after)), told('b', once(before)), ASKED);
    expect(found.warnings.join()).toContain('Too few cells were repeated');
    expect(found.cells.every(({ ratio }) => ratio.low !== null)).toBe(true);
    const short = (records: readonly CellRecord[]): CellRecord[] =>
      once(records).map((record) => ({ ...record, runs: record.runs.slice(0, 1) }));
    const single = compareCampaigns(told('a', short(after)), told('b', short(before)), ASKED);
    for (const { ratio, differs } of single.cells)
      expect({ ...ratio, differs }).toMatchObject({ low: null, differs: null });
    expect(single.mean.low).toBeNull();
  });

  test('without a cell in common there is nothing to say', () => {
    const only = (bw: number) => (records: readonly CellRecord[]) => records.filter(({ cell }) => cell.bw === bw);
    expect(() => compareCampaigns(told('a', only(20)(after)), told('b', only(50)(before)), ASKED)).toThrow(
      'a and b have no measured cell in common',
    );
  });
});

test('searches from the same roots are held against each other', () => {
  const random = createRandom(7);
  const roots = Array.from({ length: 16 }, () => random.normal());
  const side = (own: readonly number[]) => ({
    log: 0,
    visits: 1,
    visitScatter: null,
    dayScatter: null,
    timedRuns: own,
  });
  const noisy = roots.map((root) => root + 0.01 * random.normal());
  const paired = computeUnsureness(side(roots), side(noisy));
  const apart = computeUnsureness(side(roots), side([...noisy, 0]));
  expect(Math.sqrt(paired?.variance ?? 1)).toBeLessThan(0.01);
  expect(Math.sqrt(apart?.variance ?? 0)).toBeGreaterThan(0.2);
});

import { describe, expect, test } from 'vitest';
import { visitAgain } from '../../experiments/plan.ts';
import type { CellRecord } from '../../experiments/records.ts';
import type { Campaign } from '../../experiments/store/campaign.ts';
import { parseSweep } from '../../experiments/sweep.ts';
import { settingOf, steadyRecords } from '../../modeling/questions/steady.ts';
import { failedRecord } from '../experiments/make.ts';
import { cellsOf, disturbed, secondsOf, visitsTo, workload } from './made-visits.ts';

const SMALL = parseSweep({ nodes: '2,4', scales: '12', bw: '20,50', reps: '3', roots: '3' });
const LARGE = parseSweep({ nodes: '8,16', scales: '12', bw: '20,50', reps: '3', roots: '3' });
const calm = { drift: () => 0, scatter: 0.01, seed: 3 };

const campaignOf = (...sweeps: readonly (typeof SMALL)[]): Pick<Campaign, 'sweep' | 'cells'> => ({
  sweep: sweeps[0] ?? SMALL,
  cells: sweeps.flatMap(cellsOf),
});
/** ln of how much slower a visit was than its cell is. */
const slowness = ({ cell, runs }: CellRecord): number => Math.log((runs[1]?.ct ?? Number.NaN) / secondsOf(cell));
const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const rms = (values: readonly number[]): number => Math.sqrt(meanOf(values.map((value) => value ** 2)));

describe('disturbed visits', () => {
  test('are left out where their cell has quiet ones, and kept where it has none', () => {
    const quiet = visitsTo(cellsOf(SMALL), calm);
    const once = settingOf(cellsOf(SMALL)[0] as CellRecord['cell']);
    const never = settingOf(quiet.find(({ cell }) => settingOf(cell) !== once)?.cell as CellRecord['cell']);
    const isHit = ({ cell }: CellRecord): boolean =>
      settingOf(cell) === never || (settingOf(cell) === once && cell.rep === 1);
    const records = quiet.map((record) => (isHit(record) ? disturbed(record) : record));
    const steady = steadyRecords(campaignOf(SMALL), records);
    expect(steady.leftOut).toBe(1);
    const left = new Set(steady.records.map(({ cell }) => cell.id));
    expect(records.filter(({ cell }) => !left.has(cell.id)).map(({ cell }) => [settingOf(cell), cell.rep])).toEqual([
      [once, 1],
    ]);
    expect(steady.warnings).toContain('1 disturbed repetition is left out, because their cells have undisturbed ones.');
  });

  test('are kept where the only quiet visit to their cell is a baseline of what the machines do', () => {
    const cells = cellsOf(SMALL);
    const drift = cells.find(({ role }) => role === 'drift') as CellRecord['cell'];
    const own = settingOf(drift);
    const isHit = ({ cell }: CellRecord): boolean => settingOf(cell) === own && cell.role === 'measure';
    const records = visitsTo(cells, calm).map((record) => (isHit(record) ? disturbed(record) : record));
    const hit = records.filter(isHit).map(({ cell }) => cell.id);
    expect(hit.length).toBeGreaterThan(0);
    const steady = steadyRecords(campaignOf(SMALL), records);
    const left = new Set(steady.records.map(({ cell }) => cell.id));
    expect(hit.filter((id) => !left.has(id))).toEqual([]);
    expect(steady.leftOut).toBe(0);
  });

  test('change nothing of what the others say', () => {
    const records = visitsTo(cellsOf(SMALL), calm);
    const hit = records.find(({ cell }) => cell.rep === 2) as CellRecord;
    const without = records.filter((record) => record !== hit);
    const slow = disturbed({ ...hit, runs: hit.runs.map((run) => ({ ...run, ct: 9 * run.ct })) });
    const marked = records.map((record) => (record === hit ? slow : record));
    const times = (some: readonly CellRecord[]): unknown[] =>
      steadyRecords(campaignOf(SMALL), some)
        .records.map(({ cell, runs }) => [cell.id, runs])
        .sort();
    expect(times(marked)).toEqual(times(without));
  });

  test('do not count beside failed ones: those say nothing', () => {
    const records = visitsTo(cellsOf(SMALL), calm);
    const [first] = records;
    const own = first ? settingOf(first.cell) : '';
    const some = records.map((record) => (settingOf(record.cell) === own ? failedRecord(record.cell) : record));
    const again = visitAgain((first as CellRecord).cell, 9, { sweep: SMALL, workload });
    const slow = visitsTo([again], { ...calm, startS: 500 }).map(disturbed);
    const steady = steadyRecords(campaignOf(SMALL), [...some, ...slow]);
    expect(steady.records.filter(({ cell }) => settingOf(cell) === own)).toHaveLength(1);
    expect(steady.leftOut).toBe(0);
  });
});

describe('the speed of the machines', () => {
  const rising = { ...calm, drift: (seconds: number) => 0.001 * seconds };

  test('is taken out of times and rates alike, and said', () => {
    const records = visitsTo(cellsOf(SMALL), rising);
    const { records: steady, warnings, drift } = steadyRecords(campaignOf(SMALL), records);
    const centred = (some: readonly CellRecord[]): number[] => {
      const all = some.map(slowness);
      return all.map((value) => value - meanOf(all));
    };
    expect(rms(centred(steady))).toBeLessThan(0.35 * rms(centred(records)));
    expect(drift?.effects).toHaveLength(records.length);
    expect(warnings).toEqual([expect.stringMatching(/^Machine speed drifted by \d+\.\d % .* corrected for it/)]);
    for (const { runs } of steady) for (const { ct, teps } of runs) expect((teps ?? 0) * ct).toBeCloseTo(1000, 6);
  });

  test('is not touched, and nothing said, where it did not change or cells were visited once', () => {
    const once = parseSweep({ nodes: '2,4', scales: '12', bw: '20,50', roots: '3' });
    const records = visitsTo(cellsOf(once), rising);
    // Two baselines were visited twice: two visits that are free are too few.
    const steady = steadyRecords(campaignOf(once), records);
    expect(steady.drift).toBeNull();
    expect(new Set(steady.records)).toEqual(new Set(records));
    expect(steady.warnings).toEqual([]);
    expect(steadyRecords(campaignOf(SMALL), visitsTo(cellsOf(SMALL), calm)).warnings).toEqual([]);
    expect(steadyRecords(campaignOf(SMALL), [])).toMatchObject({ records: [], drift: null, leftOut: 0, warnings: [] });
  });

  test('does not depend on the order in which records are read', () => {
    const records = visitsTo(cellsOf(SMALL), rising);
    const times = (some: readonly CellRecord[]): [string, number][] =>
      steadyRecords(campaignOf(SMALL), some)
        .records.map(({ cell, runs }): [string, number] => [cell.id, runs[0]?.ct ?? 0])
        .sort();
    const [one, other] = [times(records), times([...records].reverse())];
    expect(other.map(([id]) => id)).toEqual(one.map(([id]) => id));
    for (const [index, [, ct]] of one.entries()) expect(other[index]?.[1]).toBeCloseTo(ct, 9);
  });
});

describe('node counts that a later sweep added', () => {
  const small = visitsTo(cellsOf(SMALL), { ...calm, drift: (seconds) => 0.0005 * seconds });
  const ofSmall = new Set(small.map(({ cell }) => cell.id));
  const step = 0.2;
  const later = (sweep: typeof LARGE): CellRecord[] =>
    visitsTo(cellsOf(sweep), { ...calm, startS: 3600, drift: () => step, seed: 11 });

  test('change nothing of what was known before them, however the machines went on', () => {
    const before = steadyRecords(campaignOf(SMALL), small).records;
    for (const sweep of [LARGE, { ...LARGE, anchors: [2] }]) {
      const after = steadyRecords(campaignOf(SMALL, sweep), [...small, ...later(sweep)]).records;
      const kept = after.filter(({ cell }) => ofSmall.has(cell.id));
      const sorted = (some: readonly CellRecord[]): CellRecord[] =>
        [...some].sort((a, b) => (a.cell.id < b.cell.id ? -1 : 1));
      expect(sorted(kept)).toEqual(sorted(before));
    }
  });

  test('leave a cell its disturbed visits, though the quiet ones came with them', () => {
    const anchored = { ...LARGE, anchors: [2] };
    const noisy = small.map((record) =>
      record.cell.nodes === 2 && record.cell.bw === 100 ? disturbed(record) : record,
    );
    const kept = steadyRecords(campaignOf(SMALL, anchored), [...noisy, ...later(anchored)]);
    const isEarly = ({ cell }: CellRecord): boolean => ofSmall.has(cell.id);
    expect(kept.records.filter(isEarly)).toHaveLength(small.length);
    expect(kept.leftOut).toBe(0);
  });

  test('are brought to the speed of before by anchors: a step between both sweeps is taken out', () => {
    const anchored = { ...LARGE, anchors: [2, 4] };
    const shiftOf = (sweep: typeof LARGE): number => {
      const { records } = steadyRecords(campaignOf(SMALL, sweep), [...small, ...later(sweep)]);
      const meanSlowness = (nodes: readonly number[]): number =>
        meanOf(records.filter(({ cell }) => nodes.includes(cell.nodes) && cell.role !== 'drift').map(slowness));
      return meanSlowness(LARGE.nodes) - meanSlowness(SMALL.nodes);
    };
    // What is left of the step; without anchors nothing tells it from what node counts do.
    expect(Math.abs(shiftOf(anchored))).toBeLessThan(0.3 * step);
    expect(Math.abs(shiftOf(LARGE))).toBeGreaterThan(0.7 * step);
  });
});

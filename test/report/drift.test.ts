import { describe, expect, it } from 'vitest';
import type { CellRecord } from '../../experiments/records.ts';
import { buildReport } from '../../report/content/build-report.ts';
import { computeDrift } from '../../report/content/statistics.ts';
import { findWarnings } from '../../report/content/warnings.ts';
import { campaignOf } from './campaign.ts';
import { all, pageFrom, warned } from './page.ts';

const FOUR = { nodes: [4, 9], scales: [18, 19], bw: [50, 100], reps: 3 };

/** Runs that differ from each other by a third and more: every cell has a factor of its own. */
const restless = (records: readonly CellRecord[]): CellRecord[] =>
  records.map((record, index) => scaled(record, Math.exp((0.7 * (((index * 7919 + 13) * 104_729) % 997)) / 997)));

const scaled = (record: CellRecord, factor: number): CellRecord => ({
  ...record,
  runs: record.runs.map((run) => ({ ...run, ct: run.ct * factor })),
});
const ends = (records: readonly CellRecord[], factor: number): CellRecord[] =>
  records.map((record) => (record.cell.role === 'drift' ? scaled(record, factor) : record));
const report = buildReport(campaignOf({ ...FOUR, scales: [18], reps: 1, noise: 0.02 }));
/** What a report warns of whose campaign drifted like this. */
const saidOf = (records: readonly CellRecord[]): readonly string[] =>
  warned({ warnings: findWarnings({ ...report, drift: computeDrift(records) }) });
const driftWarning = (records: readonly CellRecord[]): string | undefined =>
  saidOf(records).find((warning) => /baseline/.test(warning));

describe('the drift of a baseline', () => {
  it('is none in a quiet campaign whose runs differ much from one another', () => {
    const input = campaignOf({ nodes: [4, 9, 16, 25], scales: [18, 19], bw: [20, 50, 100], reps: 3, noise: 0.1 });
    const records = restless(input.records);
    expect(computeDrift(records).some(({ percent }) => Math.abs(percent) > 20)).toBe(true);
    expect(driftWarning(records)).toBeUndefined();
  });

  it('is none where searches scatter and no setting was repeated', () => {
    expect(driftWarning(campaignOf({ ...FOUR, reps: 1, noise: 0.5 }).records)).toBeUndefined();
  });

  it.each([3, 1])('is told where it exceeds what %i repetitions differ by, with the figures', (reps) => {
    const { records } = campaignOf({ ...FOUR, reps, noise: 0.02 });
    expect(driftWarning(records)).toBeUndefined();
    const warning = driftWarning(ends(records, 1.3));
    expect(warning).toMatch(
      /drifted by more than 5.%, and by more than the noise between repetitions, in 4 of 4 groups\. The largest drift was \+3\d/,
    );
  });

  it('is not told where it is sure but small', () => {
    const { records } = campaignOf({ ...FOUR, noise: 0.0001 });
    expect(driftWarning(ends(records, 1.03))).toBeUndefined();
  });

  it('is not known where cells of the group had their turn after the repeated baseline', () => {
    const input = campaignOf({ ...FOUR, reps: 1, noise: 0.02 });
    const late = ends(input.records, 1.3).map((record) =>
      record.cell.nodes === 9 && record.cell.scale === 18 && record.cell.bw === 50
        ? { ...record, startedAt: '2026-03-14T16:00:00Z' }
        : record,
    );
    expect(computeDrift(late).find(({ nodes, scale }) => nodes === 9 && scale === 18)?.later).toBe(1);
    const text = saidOf(late).join(' ');
    expect(text).toContain('in 3 of 3 groups');
    expect(text).toContain('In 1 of 4 groups cells were retried after the last baseline run');
  });

  it('is known where a cell was only visited again after it', () => {
    const input = campaignOf({ ...FOUR, noise: 0.02 });
    const again = input.records.map((record) =>
      record.cell.nodes === 9 && record.cell.scale === 18 && record.cell.bw === 50 && record.cell.rep === 3
        ? { ...record, startedAt: '2026-03-14T16:00:00Z' }
        : record,
    );
    expect(computeDrift(again).map(({ later }) => later)).toEqual([0, 0, 0, 0]);
  });
});

describe('marks', () => {
  it('are a warning of the report, with how many cells have them', () => {
    const input = campaignOf({ ...FOUR, scales: [18], reps: 1 });
    const records = input.records.map((record, index) => ({
      ...record,
      marks:
        index === 1 ? [{ kind: 'stolen-cpu' as const, host: 'node1', text: 'node1: others took 1 of 2 cores.' }] : [],
    }));
    const flagged = buildReport({ ...input, records });
    expect(warned(flagged)).toContainEqual(
      expect.stringMatching(
        /^1 of 6 cells have data-quality flags: CPU time taken by others \(.*node1: others took 1 of 2 cores\)\.$/,
      ),
    );
    expect(warned(report).join(' ')).not.toContain('data-quality flags');
    const pages = [flagged, report].map((one) => pageFrom(one));
    const hollow = pages.map(({ text }) => text.match(/stroke-width="1\.6"[^>]* fill="var\(--card\)"/g)?.length ?? 0);
    // The run is in two figures over nodes and in one over bandwidth.
    expect(hollow).toEqual([3, 0]);
    const named = pages.map(
      ({ document }) => all(document, 'td').filter((cell) => cell.textContent === 'CPU time taken by others').length,
    );
    expect(named).toEqual([1, 0]);
  });
});

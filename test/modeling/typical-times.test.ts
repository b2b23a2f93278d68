import { describe, expect, test } from 'vitest';
import { parseSweep } from '../../experiments/sweep.ts';
import { settingOf } from '../../modeling/questions/steady.ts';
import { typicalTimes } from '../../modeling/questions/typical-times.ts';
import { failedRecord } from '../experiments/make.ts';
import { cellsOf, disturbed, secondsOf, visitsTo } from './made-visits.ts';

const SWEEP = parseSweep({ nodes: '2,4', scales: '12', bw: '20,50', reps: '4', roots: '3' });
const cells = cellsOf(SWEEP);
const campaign = { sweep: SWEEP, cells };
const calm = { drift: () => 0, scatter: 0.03, seed: 1 };

describe('the typical time of a cell', () => {
  test.each<[string, (seconds: number) => number]>([
    ['on machines that do not change', () => 0],
    ['on machines that grow slower', (seconds) => 0.0005 * seconds],
    ['on machines that were slow for a while', (seconds) => (seconds > 80 && seconds < 160 ? 0.1 : 0)],
  ])('lies in its interval about nine times of ten, %s', (_, drift) => {
    const machine = { ...calm, drift };
    // What every cell took on average of the time: no visit says how fast the machine is without its drift.
    const all = Array.from({ length: 40 }, (__, index) => visitsTo(cells, { ...machine, seed: index + 1 }));
    const level = cells.reduce((sum, ___, place) => sum + drift(10 * place), 0) / cells.length;
    const hits = all.flatMap((records) =>
      typicalTimes(campaign, records).map(({ cell, interval }) => {
        const truth = secondsOf(cell) * Math.exp(level);
        return interval !== null && interval.low <= truth && truth <= interval.high;
      }),
    );
    const inside = hits.filter((hit) => hit).length / hits.length;
    expect(inside).toBeGreaterThan(0.84);
    expect(inside).toBeLessThan(0.99);
  });

  test('is known the better the more often its cell was visited', () => {
    const known = new Map(
      typicalTimes(campaign, visitsTo(cells, calm)).map(({ cell, halfWidthPercent }) => [
        cell.bw === 100 ? 5 : 4,
        halfWidthPercent ?? 0,
      ]),
    );
    // Visits of the same scatter: the width falls with the root of their number.
    expect((known.get(4) ?? 0) / (known.get(5) ?? 1)).toBeCloseTo(Math.sqrt(5 / 4), 1);
  });

  test('counts visits, quiet ones and runs, and names the first visit', () => {
    const records = visitsTo(cells, calm).map((record) =>
      record.cell.bw === 20 && record.cell.rep < 3 ? disturbed(record) : record,
    );
    const found = typicalTimes(campaign, records);
    expect(found).toHaveLength(6);
    for (const { cell, visits, quietVisits, runs } of found) {
      expect({ rep: cell.rep, visits, quietVisits, runs }).toEqual({
        ...{ rep: 1, visits: cell.bw === 100 ? 5 : 4 },
        ...{ quietVisits: cell.bw === 20 ? 2 : visits, runs: 3 * visits },
      });
    }
  });

  test('is that of its quiet visits', () => {
    const slow = visitsTo(cells, calm).map((record) =>
      record.cell.bw === 20 && record.cell.rep === 2
        ? disturbed({ ...record, runs: record.runs.map((run) => ({ ...run, ct: 5 * run.ct })) })
        : record,
    );
    for (const { cell, seconds } of typicalTimes(campaign, slow)) {
      expect(Math.abs(Math.log(seconds / secondsOf(cell)))).toBeLessThan(0.1);
    }
  });

  test('has no interval where too few visits tell their scatter, and is not there for cells that failed', () => {
    const once = parseSweep({ nodes: '2,4', scales: '12', bw: '20', roots: '3' });
    const all = visitsTo(cellsOf(once), calm);
    const [failed] = all;
    const own = failed ? settingOf(failed.cell) : '';
    const records = all.map((record) => (settingOf(record.cell) === own ? failedRecord(record.cell) : record));
    const found = typicalTimes({ sweep: once, cells: cellsOf(once) }, records);
    expect(found).toHaveLength(3);
    expect(found.map(({ cell }) => settingOf(cell))).not.toContain(own);
    for (const one of found) expect(one).toMatchObject({ interval: null, halfWidthPercent: null });
  });
});

import { median } from 'simple-statistics';
import { groupBy } from '../../base/index.ts';
import { type Campaign, type Cell, type CellRecord, isDisturbed } from '../../experiments/index.ts';
import { studentQuantile } from '../judge/student.ts';
import { settingOf, steadyRecords } from './steady.ts';

/** The typical time of a cell over its visits, seconds, with a 90 % interval; null where too few visits tell their scatter. */
export interface TypicalTime {
  /** Its first visit. */
  readonly cell: Cell;
  readonly visits: number;
  readonly quietVisits: number;
  /** Timed runs in all visits. */
  readonly runs: number;
  readonly seconds: number;
  readonly interval: { readonly low: number; readonly high: number } | null;
  /** Half of the interval's width, percent of the time. */
  readonly halfWidthPercent: number | null;
}

const LEVEL = 0.9;

/** Of every cell that was measured. Scatter and drift are those of all visits together. */
export function typicalTimes(
  campaign: Pick<Campaign, 'sweep' | 'cells'>,
  records: readonly CellRecord[],
): TypicalTime[] {
  const { records: steady, drift } = steadyRecords(campaign, records);
  const kept = groupBy(steady, ({ cell }) => settingOf(cell));
  return kept.map((visits): TypicalTime => {
    const logs = visits.map(({ runs }) => Math.log(median(runs.map(({ ct }) => ct))));
    const middle = logs.reduce((sum, value) => sum + value, 0) / logs.length;
    const [setting] = visits.map(({ cell }) => settingOf(cell));
    const all = records.filter(({ cell, status }) => status === 'ok' && settingOf(cell) === setting);
    const first = all.reduce((a, b) => (a.cell.rep <= b.cell.rep ? a : b)).cell;
    const half =
      drift &&
      studentQuantile(drift.freedom, LEVEL) * Math.sqrt((drift.scatter ** 2 + drift.unsure ** 2) / logs.length);
    return {
      cell: first,
      visits: all.length,
      quietVisits: all.filter((record) => !isDisturbed(record)).length,
      runs: all.reduce((sum, { runs }) => sum + runs.length, 0),
      seconds: Math.exp(middle),
      interval: half === null ? null : { low: Math.exp(middle - half), high: Math.exp(middle + half) },
      halfWidthPercent: half === null ? null : (Math.exp(half) - 1) * 100,
    };
  });
}

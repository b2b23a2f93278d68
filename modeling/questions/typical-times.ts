import { median } from 'simple-statistics';
import { at, groupBy } from '../../base/lists.ts';
import { isDisturbed } from '../../experiments/marks.ts';
import type { Cell, CellRecord } from '../../experiments/records.ts';
import type { Campaign } from '../../experiments/store/campaign.ts';
import { studentQuantile } from '../judge/distributions.ts';
import type { LogTime } from '../judge/ratio.ts';
import { type Steady, settingOf, steadyRecords } from './steady.ts';

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
  /** The same for ratios of times. */
  readonly inLogs: LogTime;
}

const LEVEL = 0.9;

/** Of every cell that was measured. Scatter and drift are those of all visits together. */
export function typicalTimes(
  campaign: Pick<Campaign, 'sweep' | 'cells'>,
  records: readonly CellRecord[],
): TypicalTime[] {
  return computeTypicalTimes(steadyRecords(campaign, records), records);
}

/** The same of visits that are cleaned already. */
export function computeTypicalTimes(
  { records: steady, drift }: Pick<Steady, 'records' | 'drift'>,
  records: readonly CellRecord[],
): TypicalTime[] {
  const kept = groupBy(steady, settingOfRecord);
  const visitScatter = drift
    ? { sd: Math.hypot(drift.scatter, drift.unsure), freedom: drift.freedom }
    : poolScatter(kept.map((visits) => visits.map(logOf)));
  const good = records.filter(({ status }) => status === 'ok');
  const measured = new Map(groupBy(good, settingOfRecord).map((all) => [settingOfRecord(at(all, 0)), all]));
  const dayScatter = drift && drift.level > 0 ? { sd: drift.level, freedom: drift.freedom } : null;
  return kept.map((visits): TypicalTime => {
    const logs = visits.map(logOf);
    const middle = meanOf(logs);
    const all = measured.get(settingOfRecord(at(visits, 0))) ?? visits;
    const first = all.reduce((a, b) => (a.cell.rep <= b.cell.rep ? a : b)).cell;
    const half =
      drift && visitScatter
        ? (studentQuantile(visitScatter.freedom, LEVEL) * visitScatter.sd) / Math.sqrt(logs.length)
        : null;
    return {
      cell: first,
      visits: all.length,
      quietVisits: all.filter((record) => !isDisturbed(record)).length,
      runs: all.reduce((sum, { runs }) => sum + runs.length, 0),
      seconds: Math.exp(middle),
      interval: half === null ? null : { low: Math.exp(middle - half), high: Math.exp(middle + half) },
      halfWidthPercent: half === null ? null : (Math.exp(half) - 1) * 100,
      inLogs: { log: middle, visits: logs.length, visitScatter, dayScatter, timedRuns: timedRunsOf(visits) },
    };
  });
}

function settingOfRecord({ cell }: CellRecord): string {
  return settingOf(cell);
}

/** The logarithm of a visit's median time. */
export function logOf({ runs }: CellRecord): number {
  return Math.log(median(runs.map(({ ct }) => ct)));
}

/** Of visits around their cells, drift and all; null where no cell was visited again. */
export function poolScatter(cells: readonly (readonly number[])[]): LogTime['visitScatter'] {
  const freedom = cells.reduce((sum, logs) => sum + logs.length - 1, 0);
  if (freedom === 0) return null;
  const squares = cells.flatMap((logs) => logs.map((log) => (log - meanOf(logs)) ** 2));
  return { sd: Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / freedom), freedom };
}

/** ln of the seconds of each timed run by its place in a visit, mean over the visits that have it. */
function timedRunsOf(visits: readonly CellRecord[]): readonly number[] {
  const runs = visits.flatMap((visit) => visit.runs);
  return groupBy(runs, ({ index }) => String(index)).map((same) => meanOf(same.map(({ ct }) => Math.log(ct))));
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

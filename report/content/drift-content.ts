import { mean } from 'simple-statistics';
import { groupBy } from '../../base/lists.ts';
import type { Cell, CellRecord } from '../../experiments/records.ts';
import { studentQuantile } from '../../modeling/judge/distributions.ts';
import { logOf, poolScatter } from '../../modeling/questions/typical-times.ts';

/** Of the interval within which an undisturbed repetition of a baseline lies. */
const LEVEL = 0.99;

/**
 * The baseline of each (nodes, scale) group against its repetition at the end, by the medians of their times, and what an
 * undisturbed repetition may differ by. That is the scatter between repetitions of one setting, all settings pooled; without
 * repetitions the scatter of a run's own searches stands for it, which is wider. Null where neither is known.
 */
export function computeDrift(records: readonly CellRecord[]) {
  const good = records.filter(({ status, runs }) => status === 'ok' && runs.length > 0);
  const noise = repetitionNoise(good) ?? poolScatter(good.map(({ runs }) => runs.map(({ ct }) => Math.log(ct))));
  return groupBy(good, ({ cell }) => groupOf(cell)).flatMap((group) => {
    const end = group.find(({ cell }) => cell.role === 'drift');
    if (end === undefined) return [];
    const { nodes, scale, bw } = end.cell;
    const measured = group.filter(({ cell }) => cell.role === 'measure');
    const starts = measured.filter(({ cell }) => cell.bw === bw);
    if (starts.length === 0) return [];
    const start = mean(starts.map(logOf));
    const change = logOf(end) - start;
    const usual = noise && studentQuantile(noise.freedom, LEVEL) * noise.sd * Math.sqrt(1 + 1 / starts.length);
    return {
      ...{ nodes, scale, startCt: Math.exp(start), endCt: Math.exp(logOf(end)), percent: percentOf(change) },
      /** What an undisturbed repetition stays within. */
      usualPercent: usual === null ? null : percentOf(usual),
      isBeyondUsual: usual !== null && Math.abs(change) > usual,
      /** Cells of the group that had their first turn after the repetition, so that it does not stand at their end. */
      later: groupBy(measured, ({ cell }) => String(cell.bw)).filter((visits) =>
        visits.every(({ startedAt }) => startedAt > end.startedAt),
      ).length,
    };
  });
}

/** Of repetitions of one setting, all settings pooled. */
function repetitionNoise(records: readonly CellRecord[]) {
  const measured = records.filter(({ cell }) => cell.role === 'measure');
  const settings = groupBy(measured, ({ cell }) => JSON.stringify([groupOf(cell), cell.bw]));
  return poolScatter(settings.map((cells) => cells.map(logOf)));
}

function percentOf(change: number): number {
  return (Math.exp(change) - 1) * 100;
}

function groupOf({ nodes, scale, params }: Cell): string {
  return JSON.stringify([nodes, scale, Object.entries(params ?? {}).sort()]);
}

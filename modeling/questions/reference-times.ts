import { mean, median, sum } from 'simple-statistics';
import { groupBy } from '../../base/lists.ts';
import type { CellRecord } from '../../experiments/records.ts';

/** Fewer visits beyond the first of each setting tell nothing. */
const FEWEST = 6;
/** Share of the squared errors that must go. */
const PAYS = 0.1;

/** A visit beside the others of its setting, natural logarithms minus their means. */
interface Visit {
  readonly record: CellRecord;
  readonly reference: number;
  readonly time: number;
  /** Of the setting, this one too. */
  readonly visits: number;
}

/**
 * What equal work took on the hosts before and after a visit's runs (`reference_time`) explains of how visits of one setting differ, by
 * record: ln of how much slower than usual. Each bandwidth has a slope of its own, and none where the visits left out, each in turn, are
 * not foretold better with it than without.
 */
export function effectsOfReference(
  records: readonly CellRecord[],
  settingOf: (record: CellRecord) => string,
): ReadonlyMap<CellRecord, number> {
  const withReference = records.filter(({ summary }) => Number(summary.reference_time) > 0);
  const visits = groupBy(withReference, settingOf).flatMap((group): Visit[] => {
    const references = group.map(({ summary }) => Math.log(Number(summary.reference_time)));
    const times = group.map(({ runs }) => Math.log(median(runs.map(({ ct }) => ct))));
    const [usual, typical] = [mean(references), mean(times)];
    return group.map((record, index) => {
      const [reference = usual, time = typical] = [references[index], times[index]];
      return { record, reference: reference - usual, time: time - typical, visits: group.length };
    });
  });
  const again = visits.filter((visit) => visit.visits > 1);
  return new Map(
    groupBy(again, ({ record }) => String(record.cell.bw)).flatMap((level) => {
      const slope = slopeOf(level);
      if (sum(level.map((visit) => 1 - 1 / visit.visits)) < FEWEST || leftOut(level) > 1 - PAYS) return [];
      return level.map(({ record, reference }) => [record, slope * reference] as const);
    }),
  );
}

function slopeOf(visits: readonly Visit[]): number {
  const squares = sum(visits.map(({ reference }) => reference ** 2));
  return squares > 0 ? sum(visits.map(({ reference, time }) => reference * time)) / squares : 0;
}

/** Squared errors with the slope by those without, each visit foretold by the others. */
function leftOut(visits: readonly Visit[]): number {
  const errors = visits.map((visit) => {
    // The mean of the others is as far from it as its own from the mean of all, and more so the fewer they are.
    const apart = visit.visits / (visit.visits - 1);
    const slope = slopeOf(visits.filter((other) => other !== visit));
    return [apart * (visit.time - slope * visit.reference), apart * visit.time] as const;
  });
  const without = sum(errors.map(([, error]) => error ** 2));
  return without > 0 ? sum(errors.map(([error]) => error ** 2)) / without : 1;
}

import { mean, median, sum } from 'simple-statistics';
import { at, groupBy } from '../../base/lists.ts';
import { compareText } from '../../base/text.ts';
import { isDisturbed, withMarks } from '../../experiments/marks.ts';
import type { Cell, CellRecord } from '../../experiments/records.ts';
import { type Campaign, findAddedNodes } from '../../experiments/store/campaign.ts';
import { type Drift, estimateDrift } from '../fit/estimate-drift.ts';

/** What a campaign measured, as if its machines had been equally fast all the time. */
export interface Steady {
  /** Good runs, their times with the drift taken out; disturbed visits of cells that have others are left out. */
  readonly records: readonly CellRecord[];
  /** Null where too few cells were visited again to tell. */
  readonly drift: Drift | null;
  /** How many disturbed visits were left out. */
  readonly leftOut: number;
  /** What people should know of it, in sentences. */
  readonly warnings: readonly string[];
}

/** Behind every time of the ISO form. */
const LATER = '9';
/** A smaller range of drift (ln) is not worth a sentence. */
const WORTH_TELLING = 0.02;

/**
 * The visits of a campaign, cleaned of what the machine did meanwhile. What was measured before node counts were added beyond
 * all others is cleaned by itself alone, and what came later brought to its speed: a prediction made then knew no more.
 */
export function steadyRecords(campaign: Pick<Campaign, 'sweep' | 'cells'>, records: readonly CellRecord[]): Steady {
  const known = cleaned.get(records);
  if (known !== undefined) return known;
  const steady = steadied(campaign, records);
  cleaned.set(records, steady);
  return steady;
}

/** Records are never changed: what was made of them once is made of them again. */
const cleaned = new WeakMap<readonly CellRecord[], Steady>();

function steadied(campaign: Pick<Campaign, 'sweep' | 'cells'>, records: readonly CellRecord[]): Steady {
  const added = findAddedNodes(campaign);
  const starts = records.flatMap(({ cell, startedAt }) => (added.includes(cell.nodes) ? [startedAt] : []));
  const [boundary = LATER] = starts.sort(compareText);
  const good = withMarks(records).filter(({ status, runs }) => status === 'ok' && runs.length > 0);
  const isFirst = ({ startedAt }: Pick<CellRecord, 'startedAt'>): boolean => startedAt < boundary;
  const kept = groupBy(good, (record) => `${isFirst(record)} ${settingOf(record.cell)}`).flatMap((visits) => {
    const quiet = visits.filter((visit) => !isDisturbed(visit));
    // A quiet baseline is no measurement: without a quiet one the disturbed ones are all that is known of the setting.
    return quiet.some(({ cell }) => cell.role === 'measure') ? quiet : visits;
  });
  const even = evened(kept, isFirst);
  const drift = driftOver(even);
  const alone = even.every(isFirst) ? drift : driftOver(even.filter(isFirst));
  const later = drift && against(drift, even.map(isFirst));
  let first = 0;
  const steady = even.map((record, visit) => {
    const effect = isFirst(record) ? alone && at(alone.effects, first++) : later && at(later.effects, visit);
    return effect === null ? record : slowed(record, Math.exp(-effect));
  });
  const leftOut = good.length - kept.length;
  return { records: steady, drift, leftOut, warnings: [...saidOf(drift), ...saidLeftOut(leftOut)] };
}

/** Visits as if their hosts had computed as fast as in others of their setting. */
function evened(kept: readonly CellRecord[], isFirst: (record: CellRecord) => boolean): readonly CellRecord[] {
  const setting = (record: CellRecord): string => `${isFirst(record)} ${settingOf(record.cell)}`;
  const [before, all] = [effectsOfReference(kept.filter(isFirst), setting), effectsOfReference(kept, setting)];
  return kept.map((record) => {
    const effect = (isFirst(record) ? before : all).get(record);
    return effect === undefined ? record : slowed(record, Math.exp(-effect));
  });
}

function driftOver(records: readonly CellRecord[]): Drift | null {
  return estimateDrift(
    records.map(({ cell, runs, startedAt }) => ({
      cell: settingOf(cell),
      t: Date.parse(startedAt) / 1000,
      y: Math.log(median(runs.map(({ ct }) => ct))),
    })),
  );
}

/** Visits of equal settings measure the same thing. */
export function settingOf({ workload, nodes, ranks, scale, params, bw, roots }: Cell): string {
  return JSON.stringify([workload, nodes, ranks, scale, Object.entries(params ?? {}).sort(), bw, roots]);
}

/** The same drift, with the mean of the reference visits as zero. */
function against(drift: Drift, isReference: readonly boolean[]): Drift {
  const own = drift.effects.filter((_, visit) => isReference[visit]);
  if (own.length === 0) return drift;
  const zero = own.reduce((sum, value) => sum + value, 0) / own.length;
  return { ...drift, effects: drift.effects.map((value) => value - zero) };
}

function slowed(record: CellRecord, factor: number): CellRecord {
  const runs = record.runs.map((run) => ({
    ...run,
    ct: run.ct * factor,
    teps: run.teps === null ? null : run.teps / factor,
  }));
  return { ...record, runs };
}

function saidOf(drift: Drift | null): string[] {
  if (drift === null) return [];
  const range = Math.max(...drift.effects) - Math.min(...drift.effects);
  if (range < WORTH_TELLING) return [];
  const percent = (value: number): string => `${((Math.exp(value) - 1) * 100).toFixed(1)} %`;
  return [
    `Machine speed drifted by ${percent(range)} (± ${percent(drift.unsure)}) during the sweep; times are corrected for it.`,
  ];
}

function saidLeftOut(count: number): string[] {
  if (count === 0) return [];
  return [
    `${count} disturbed ${count === 1 ? 'repetition is' : 'repetitions are'} left out, because their cells have undisturbed ones.`,
  ];
}

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

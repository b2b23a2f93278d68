import type { Analysis } from '../../../analysis/grade10/analyse-phases.ts';
import { effectOfRules, type RuleEffect } from '../../../analysis/grade10/attribution/by-rules.ts';
import { type BottleneckedTime, computeBottleneckedTimes } from '../../../analysis/grade10/bottlenecks/time-shares.ts';
import { findOutliers, type OutlierSum, sumOutliers } from '../../../analysis/grade10/issues/outliers.ts';
import type { Platform } from '../../../analysis/platform/platform.ts';
import { lastStep, metricLabel } from '../../../analysis/sources/runs/summarise.ts';
import { formatSeconds } from '../../../base/units.ts';
import { type Column, left, print, printTable, right } from '../print.ts';

/** As many rows as people read. */
const SHOWN = 6;
/** Effects and differences below this are nothing to say: percent. */
const MINOR = 1;

/** What the thesis's evaluation says of a job beside its issues: figure 5.15, tables 5.9, 5.10 and 5.12. */
interface ThesisTables {
  readonly outliers: ReturnType<typeof findOutliers>;
  readonly predicates: readonly BottleneckedTime[];
  readonly rules: readonly RuleEffect[];
}

export function thesisTables(analysis: Analysis, platform: Platform): ThesisTables {
  const { model, attribution } = analysis;
  return {
    outliers: findOutliers(model),
    predicates: computeBottleneckedTimes(analysis),
    rules: effectOfRules(model, platform.analyseOptions(model).sampler ?? 'phase-aware', attribution),
  };
}

/** Each table as far as it says something. */
export function printThesisTables({ outliers, predicates, rules }: ThesisTables, platform: Platform): void {
  // What waits for others lasts long because others do.
  const waits = new Set(Object.keys(platform.measured?.exchanges ?? {}));
  printOutliers(sumOutliers(outliers.filter(({ type }) => !waits.has(type))));
  const focus = platform.phaseTypes.paths[platform.focus];
  printPredicates(
    predicates.filter(({ type }) => type === focus),
    platform,
  );
  printRules(rules, platform);
}

function printOutliers(sums: readonly OutlierSum[]): void {
  if (sums.length === 0) return;
  print('\nPhases that take at least 10 % longer than the median of those beside them:');
  printTable(sums.slice(0, SHOWN), [
    left('phase', ({ type }) => lastStep(type)),
    right('outliers', ({ outliers }) => outliers),
    right('in groups', ({ groups }) => groups),
    right('end later by', ({ seconds }) => formatSeconds(seconds)),
    left('mostly', ({ phases: [most] }) => (most === undefined ? '' : `${most.phase} (${most.times}x)`)),
  ]);
}

function printPredicates(times: readonly BottleneckedTime[], platform: Platform): void {
  const [first] = times;
  const free = times.map(({ nonePercent }) => nonePercent);
  // Where all agree the bottlenecks above say it.
  if (first === undefined || Math.max(...free) - Math.min(...free) < MINOR) return;
  print(`\nTime of a ${platform.noun} with a bottleneck, by how many of its subphases must have it:`);
  const share = (percent: number): string => `${percent.toFixed(1)} %`;
  printTable(times, [
    left('predicate', ({ predicate }) => predicate ?? ''),
    ...Object.keys(first.percent).map(
      (metric): Column<BottleneckedTime> =>
        right(metricLabel(metric, platform), ({ percent }) => share(percent[metric] ?? 0)),
    ),
    right('none', ({ nonePercent }) => share(nonePercent)),
  ]);
}

function printRules(effects: readonly RuleEffect[], platform: Platform): void {
  const change = ({ baseline, attributed }: RuleEffect): number => (baseline > 0 ? attributed / baseline - 1 : 0) * 100;
  const share = (count: number, { samples }: RuleEffect): number => (count / samples) * 100;
  const told = effects.filter(
    (one) => Math.max(Math.abs(change(one)), share(one.over.samples.count + one.under.samples.count, one)) >= MINOR,
  );
  if (told.length === 0) return;
  print(
    '\nHow much the result rests on rules: usage that is attributed without them, and slices that get more and less:',
  );
  const byChange = told.toSorted((a, b) => Math.abs(change(b)) - Math.abs(change(a)));
  printTable(byChange.slice(0, SHOWN), [
    left('without', ({ without }) => without),
    left('phase', ({ type }) => lastStep(type)),
    left('of', ({ metric }) => metricLabel(metric, platform)),
    right('usage', (one) => `${change(one) < 0 ? '' : '+'}${change(one).toFixed(0)} %`),
    right('more in', (one) => `${share(one.over.samples.count, one).toFixed(0)} %`),
    right('less in', (one) => `${share(one.under.samples.count, one).toFixed(0)} %`),
  ]);
}

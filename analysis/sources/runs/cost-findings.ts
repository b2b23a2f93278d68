import { formatSeconds } from '../../../base/units.ts';
import { type Finding, rankFindings } from '../../finding.ts';
import type { Platform } from '../../platform/platform.ts';
import { UNEXPLAINED } from './divide-time.ts';
import type { Cost, Summary } from './summarise.ts';

/** What each cost means to somebody who knows neither Grade10 nor the program, the gravest first. */
export function costFindings(
  { costs, count }: Summary,
  platform: Pick<Platform, 'metrics' | 'noun' | 'resourceTypes'>,
): readonly Finding[] {
  return rankFindings(
    costs.map((cost) => {
      const { kind, rule, phases, resource, percent } = cost;
      const seconds = cost.seconds / Math.max(1, count);
      const saved = `${formatSeconds(seconds)} (${percent.toFixed(percent < 10 ? 1 : 0)} %)`;
      return {
        kind: `grade10/${rule ?? kind}`,
        where: [phases, resource].filter((part) => part !== null).join(' on '),
        seconds,
        percent,
        interval: null,
        sentence: `${reason(cost, platform)} would save at most ${saved} per ${platform.noun}.`,
      };
    }),
  );
}

/** The same in a few words, for tables: the processors in Fold (24 %). */
export function costWords(
  { kind, rule, phases, resource, percent }: Cost,
  platform: Pick<Platform, 'metrics' | 'resourceTypes'>,
): string {
  const step = phases === null ? null : lastStep(phases);
  const what =
    kind === 'imbalance'
      ? `load imbalance in ${step}`
      : kind === 'custom'
        ? `rule ${rule}`
        : [metricLabel(resource ?? '', platform), ...(step ? [`in ${step}`] : [])].join(' ');
  return `${what} (${percent.toFixed(0)} %)`;
}

function reason(
  { kind, rule, phases, resource }: Cost,
  platform: Pick<Platform, 'metrics' | 'noun' | 'resourceTypes'>,
): string {
  const step = lastStep(phases ?? '');
  const name = metricLabel(resource ?? '', platform);
  const reasons: Readonly<Record<Cost['kind'], string>> = {
    imbalance: `Perfect load balance in ${step}`,
    bottleneck: `Removing all waits for ${name} in ${step}`,
    custom: `Rule '${rule}'${phases === null ? '' : ` for ${step}`}`,
    'critical-path': `Removing all waits for ${name} on the longest path`,
  };
  return reasons[kind];
}

/** What people call a metric type: the processors. */
export function metricLabel(
  path: string,
  { metrics, resourceTypes }: Pick<Platform, 'metrics' | 'resourceTypes'>,
): string {
  return metrics[resourceTypes.metricTypes.indexOf.get(path) ?? -1]?.label ?? lastStep(path);
}

/** What people call a component of the time: its only metric's label, or the group's name. */
export function componentLabel(group: string, { metrics }: Pick<Platform, 'metrics'>): string {
  if (group === UNEXPLAINED) return 'no known resource';
  const own = metrics.filter((metric) => metric.group === group);
  return own.length === 1 ? (own[0]?.label ?? group) : `the ${group}`;
}

export function lastStep(path: string): string {
  return path.split('/').at(-1) || 'the job';
}

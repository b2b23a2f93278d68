import { at } from '../../../base/lists.ts';
import { formatSeconds } from '../../../base/units.ts';
import { type Finding, rankFindings } from '../../finding.ts';
import type { Analysis } from '../../grade10/analyse-phases.ts';
import { NO_BOTTLENECK } from '../../grade10/bottlenecks/leaves.ts';
import { aliveLeaves, leavesUnder } from '../../grade10/fold-phases.ts';
import { typesOf } from '../../grade10/issues/issue-rule.ts';
import type { Model } from '../../grade10/model/create-model.ts';
import type { BlockingMetric } from '../../grade10/model/metrics.ts';
import { typesUsed, usedMetrics } from '../../grade10/model/uses.ts';
import type { Platform } from '../../platform/platform.ts';

/** One thing that costs a run time, in the words of its type paths. */
export interface Cost {
  readonly kind: 'imbalance' | 'bottleneck' | 'critical-path' | 'custom';
  /** Name of a rule of the user's; null for the built-in ones. */
  readonly rule: string | null;
  /** Type of the phases at fault; null where the whole path is. */
  readonly phases: string | null;
  /** Type of the resource; null for imbalance. */
  readonly resource: string | null;
  /** Seconds that the phases in focus could save at most. */
  readonly seconds: number;
  /** Of the time of all phases in focus. */
  readonly percent: number;
}

/** A part of the time; all parts of a kind add up to the whole. */
export interface Part {
  readonly name: string;
  readonly seconds: number;
}

/** Where the time of the phases in focus went, seconds; `components` and `phases` each add up to `seconds`. */
export interface Summary {
  /** The type in focus, and how many phases of it there were. */
  readonly focus: string;
  readonly count: number;
  readonly seconds: number;
  /** A slice of time: what is shorter is seen as nothing, or as one of them. */
  readonly sliceSeconds: number;
  /** By group of metrics that leaves were bottlenecked on; the rest is UNEXPLAINED. */
  readonly components: readonly Part[];
  /** By type of the leaves that were alive. */
  readonly phases: readonly Part[];
  readonly costs: readonly Cost[];
}

/**
 * What the phases in focus spent their time on and could save, the most first; issues of each are added up. In each slice every
 * leaf that is alive has an equal part; where it is bottlenecked on several groups of metrics they share that part, as in
 * the overview of figure 4.11.
 */
export function summarise(analysis: Analysis, { focus, metrics }: Pick<Platform, 'focus' | 'metrics'>): Summary {
  const { model } = analysis;
  const { phases, phaseTypes, timesliceNs } = model;
  const rows = Array.from({ length: phases.count }, (_, row) => row).filter((row) => phases.type[row] === focus);
  const slices = rows.reduce((sum, row) => sum + at(phases.length, row), 0);
  const parts = divideTime(analysis, { rows, groupOf: (type) => at(metrics, type).group });
  const listed = (found: ReadonlyMap<string, number>): Part[] =>
    [...found]
      .map(([name, part]) => ({ name, seconds: (part * timesliceNs) / 1e9 }))
      .sort((a, b) => b.seconds - a.seconds);
  return {
    focus: at(phaseTypes.paths, focus),
    count: rows.length,
    seconds: (slices * timesliceNs) / 1e9,
    sliceSeconds: timesliceNs / 1e9,
    components: listed(parts.components),
    phases: listed(parts.phases),
    costs: costsOf(analysis, { focus, slices }),
  };
}

/** Whether the phases in focus are shorter than a slice on average, so that what they spend their time on is not seen. */
export function isBelowSlice({ count, seconds, sliceSeconds }: Summary): boolean {
  return seconds / Math.max(1, count) < sliceSeconds;
}

function costsOf(
  { model, issues }: Analysis,
  { focus, slices }: { readonly focus: number; readonly slices: number },
): readonly Cost[] {
  const { phases, timesliceNs } = model;
  const total = new Map<string, Cost>();
  for (const issue of issues) {
    if (phases.type[issue.phase] !== focus) continue;
    const rule = issue.pass === 'custom' ? issue.rule : null;
    const { target, source } = typesOf(issue, { model });
    const key = `${issue.pass} ${rule} ${target} ${source}`;
    const seconds = (total.get(key)?.seconds ?? 0) + (issue.impact * timesliceNs) / 1e9;
    const percent = slices > 0 ? (seconds / ((slices * timesliceNs) / 1e9)) * 100 : 0;
    total.set(key, { kind: issue.pass, rule, phases: target || null, resource: source || null, seconds, percent });
  }
  return [...total.values()].sort((a, b) => b.seconds - a.seconds);
}

/** The component of the time in which no known resource was a bottleneck: latency, and what the model lacks. */
export const UNEXPLAINED = 'unexplained';

/**
 * Divides the slices of some phases over what held them up and over the types of their leaves: in each slice every leaf that is
 * alive has an equal part, shared by the groups of metrics that it is bottlenecked on. Slices without a leaf are the phase's own.
 * Where no rule makes a bottleneck, a blocking metric that the leaf can reach still says that it waited: a rank that sleeps while
 * its messages travel uses the network all the same, so that wait comes last.
 */
function divideTime(
  { model, leaves: { typeStart, typeStates } }: Analysis,
  { rows, groupOf }: { readonly rows: readonly number[]; readonly groupOf: (metricType: number) => string },
): { readonly components: ReadonlyMap<string, number>; readonly phases: ReadonlyMap<string, number> } {
  const { phases, phaseTypes, uses } = model;
  const components = new Map([[UNEXPLAINED, 0]]);
  const byPhase = new Map<string, number>();
  const add = (to: Map<string, number>, name: string, part: number): void =>
    void to.set(name, (to.get(name) ?? 0) + part);
  for (const row of rows) {
    const first = at(phases.first, row);
    const leaves = leavesUnder(phases, row);
    const alive = aliveLeaves(phases, row, leaves);
    const idle = alive.reduce((sum, count) => sum + (count === 0 ? 1 : 0), 0);
    if (idle > 0) {
      add(components, UNEXPLAINED, idle);
      add(byPhase, at(phaseTypes.paths, at(phases.type, row)), idle);
    }
    for (const leaf of leaves) {
      const [from, own] = [at(phases.first, leaf) - first, at(phases.length, leaf)];
      const path = at(phaseTypes.paths, at(phases.type, leaf));
      const groups = Array.from(typesUsed(uses, leaf), groupOf);
      const waits = waitsWithoutRule(model, leaf);
      const sums = new Map<string, number>();
      let whole = 0;
      for (let slice = 0; slice < own; slice += 1) {
        const part = 1 / at(alive, from + slice);
        whole += part;
        const held = new Set(
          groups.filter((_, slot) => typeStates[at(typeStart, leaf) + slot * own + slice] !== NO_BOTTLENECK),
        );
        if (held.size === 0) {
          const wait = waits.find(({ blocked }) => blocked[first + from + slice] === 1);
          held.add(wait === undefined ? UNEXPLAINED : groupOf(wait.type));
        }
        for (const group of held) add(sums, group, part / held.size);
      }
      add(byPhase, path, whole);
      for (const [group, part] of sums) add(components, group, part);
    }
  }
  return { components, phases: byPhase };
}

/** Blocking metrics that a leaf can reach without a rule that makes it wait for them. */
function waitsWithoutRule({ access, metrics, uses }: Model, leaf: number): readonly BlockingMetric[] {
  const used = usedMetrics(uses, leaf);
  const reached = at(access.sets, at(access.set, leaf));
  return Array.from(reached).flatMap((index) => {
    const metric = metrics[index];
    return metric?.class === 'blocking' && !used.includes(index) ? [metric] : [];
  });
}

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

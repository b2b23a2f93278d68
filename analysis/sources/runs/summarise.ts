import { at } from '../../../base/lists.ts';
import type { Analysis } from '../../grade10/analyse-phases.ts';
import { typesOf } from '../../grade10/issues/issue-rule.ts';
import type { Platform } from '../../platform/platform.ts';
import { divideTime } from './divide-time.ts';

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

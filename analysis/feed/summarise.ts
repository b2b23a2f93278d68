import { type Analysis, leavesUnder, NO_BOTTLENECK, typesUsed } from '../grade10/index.ts';
import type { Platform } from '../platform/index.ts';

/** One thing that costs a run time, in the words of its type paths. */
export interface Cost {
  readonly kind: 'imbalance' | 'bottleneck' | 'critical-path';
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
  /** By group of metrics that leaves were bottlenecked on; the rest is NOTHING. */
  readonly components: readonly Part[];
  /** By type of the leaves that were alive. */
  readonly phases: readonly Part[];
  readonly costs: readonly Cost[];
}

/** The component of the time in which no known resource was a bottleneck: latency, and what the model lacks. */
export const NOTHING = 'unexplained';

/**
 * What the phases in focus spent their time on and could save, the most first; issues of each are added up. In each slice every
 * leaf that is alive has an equal part; where it is bottlenecked on several groups of metrics they share that part, as in
 * the overview of figure 4.11.
 */
export function summarise(analysis: Analysis, { focus, metrics }: Pick<Platform, 'focus' | 'metrics'>): Summary {
  const { model } = analysis;
  const { phases, phaseTypes, timesliceNs } = model;
  const rows = Array.from({ length: phases.count }, (_, row) => row).filter((row) => phases.type[row] === focus);
  const slices = rows.reduce((sum, row) => sum + (phases.length[row] ?? 0), 0);
  const parts = divide(analysis, { rows, groupOf: (type) => metrics[type]?.group ?? '' });
  const listed = (found: ReadonlyMap<string, number>): Part[] =>
    [...found]
      .map(([name, part]) => ({ name, seconds: (part * timesliceNs) / 1e9 }))
      .sort((a, b) => b.seconds - a.seconds);
  return {
    focus: phaseTypes.paths[focus] ?? '/',
    count: rows.length,
    seconds: (slices * timesliceNs) / 1e9,
    components: listed(parts.components),
    phases: listed(parts.phases),
    costs: costsOf(analysis, { focus, slices }),
  };
}

function divide(
  { model: { phases, phaseTypes, uses }, leaves: { typeStart, typeStates } }: Analysis,
  { rows, groupOf }: { readonly rows: readonly number[]; readonly groupOf: (metricType: number) => string },
): { readonly components: ReadonlyMap<string, number>; readonly phases: ReadonlyMap<string, number> } {
  const components = new Map([[NOTHING, 0]]);
  const byPhase = new Map<string, number>();
  const add = (to: Map<string, number>, name: string, part: number): void =>
    void to.set(name, (to.get(name) ?? 0) + part);
  for (const row of rows) {
    const [first, length] = [phases.first[row] ?? 0, phases.length[row] ?? 0];
    const leaves = leavesUnder(phases, row);
    const alive = new Uint32Array(length);
    for (const leaf of leaves) {
      const from = (phases.first[leaf] ?? 0) - first;
      for (let slice = 0; slice < (phases.length[leaf] ?? 0); slice += 1)
        alive[from + slice] = (alive[from + slice] ?? 0) + 1;
    }
    const idle = alive.reduce((sum, count) => sum + (count === 0 ? 1 : 0), 0);
    if (idle > 0) {
      add(components, NOTHING, idle);
      add(byPhase, phaseTypes.paths[phases.type[row] ?? 0] ?? '/', idle);
    }
    for (const leaf of leaves) {
      const [from, own] = [(phases.first[leaf] ?? 0) - first, phases.length[leaf] ?? 0];
      const path = phaseTypes.paths[phases.type[leaf] ?? 0] ?? '/';
      const groups = Array.from(typesUsed(uses, leaf), groupOf);
      const sums = new Map<string, number>();
      let whole = 0;
      for (let slice = 0; slice < own; slice += 1) {
        const part = 1 / (alive[from + slice] ?? 1);
        whole += part;
        const held = new Set(
          groups.filter((_, slot) => typeStates[(typeStart[leaf] ?? 0) + slot * own + slice] !== NO_BOTTLENECK),
        );
        if (held.size === 0) held.add(NOTHING);
        for (const group of held) add(sums, group, part / held.size);
      }
      add(byPhase, path, whole);
      for (const [group, part] of sums) add(components, group, part);
    }
  }
  return { components, phases: byPhase };
}

function costsOf(
  { model, issues }: Analysis,
  { focus, slices }: { readonly focus: number; readonly slices: number },
): readonly Cost[] {
  const { phases, phaseTypes, resourceTypes, timesliceNs } = model;
  const total = new Map<string, Cost>();
  for (const issue of issues) {
    if (issue.pass === 'custom' || phases.type[issue.phase] !== focus) continue;
    const target = 'target' in issue ? (phaseTypes.paths[issue.target] ?? '') : null;
    const resource = 'source' in issue ? (resourceTypes.metricTypes.paths[issue.source] ?? '') : null;
    const key = `${issue.pass} ${target} ${resource}`;
    const seconds = (total.get(key)?.seconds ?? 0) + (issue.impact * timesliceNs) / 1e9;
    const percent = slices > 0 ? (seconds / ((slices * timesliceNs) / 1e9)) * 100 : 0;
    total.set(key, { kind: issue.pass, phases: target, resource, seconds, percent });
  }
  return [...total.values()].sort((a, b) => b.seconds - a.seconds);
}

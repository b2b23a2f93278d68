import { at } from '../../../base/lists.ts';
import type { Analysis } from '../../grade10/analyse-phases.ts';
import { NO_BOTTLENECK } from '../../grade10/bottlenecks/leaves.ts';
import { aliveLeaves, leavesUnder } from '../../grade10/fold-phases.ts';
import type { Model } from '../../grade10/model/create-model.ts';
import type { BlockingMetric } from '../../grade10/model/metrics.ts';
import { typesUsed, usedMetrics } from '../../grade10/model/uses.ts';

/** The component of the time in which no known resource was a bottleneck: latency, and what the model lacks. */
export const UNEXPLAINED = 'unexplained';

/**
 * Divides the slices of some phases over what held them up and over the types of their leaves: in each slice every leaf that is
 * alive has an equal part, shared by the groups of metrics that it is bottlenecked on. Slices without a leaf are the phase's own.
 * Where no rule makes a bottleneck, a blocking metric that the leaf can reach still says that it waited: a rank that sleeps while
 * its messages travel uses the network all the same, so that wait comes last.
 */
export function divideTime(
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

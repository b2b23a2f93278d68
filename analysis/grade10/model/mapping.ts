import { badInput } from '../../../base/errors.ts';
import { at } from '../../../base/lists.ts';
import { checkResource, type Metric, type ResourceTypes } from './metrics.ts';
import { parentPath, typePath } from './phase-types.ts';
import type { Phases } from './phases.ts';

/** The resources that a phase and all below it can use, by path; a resource stands for all metrics on and below it. */
export interface MappingEntry {
  /** The phase's row. */
  readonly phase: number;
  readonly resources: readonly string[];
}

/** Which metrics each phase can use. Many phases share a set, so sets are listed once. */
export interface Access {
  /** Per phase, index into `sets`. */
  readonly set: Uint32Array;
  /** Indices of metrics, ascending. */
  readonly sets: readonly Uint32Array[];
}

/**
 * Resolves the phase-resource mapping (section 4.4.1.2): a phase without an entry has its parent's metrics, the root has all.
 * Errors: badInput for unknown phases and resources, entries given twice and entries that map to nothing.
 */
export function createAccess(
  entries: readonly MappingEntry[],
  {
    phases,
    metrics,
    resourceTypes,
    pathOf,
  }: {
    readonly phases: Phases;
    readonly metrics: readonly Metric[];
    readonly resourceTypes: ResourceTypes;
    readonly pathOf: (phase: number) => string;
  },
): Access & { readonly notices: readonly string[] } {
  const below = metricsBelow(metrics);
  const measured = metricsBelow(metrics, typePath);
  const known = new Map<string, number>();
  const sets: Uint32Array[] = [Uint32Array.from(metrics.keys())];
  const own = new Int32Array(phases.count).fill(-1);
  const empty = new Set<string>();
  for (const { phase, resources } of entries) {
    if (!(phase >= 0 && phase < phases.count)) {
      throw badInput(`The mapping names row ${phase} of the phases: there are ${phases.count}.`);
    }
    if (own[phase] !== -1) throw badInput(`${pathOf(phase)} is mapped twice: keep one entry with all its resources.`);
    const key = resources.join('\n');
    let set = known.get(key);
    if (set === undefined) {
      for (const resource of resources) checkResource(resource, resourceTypes, `The mapping of ${pathOf(phase)}`);
      const found = new Set(resources.flatMap((resource) => below.get(resource) ?? []));
      const unmeasured = resources.filter((resource) => !below.has(resource) && measured.has(typePath(resource)));
      if (resources.length === 0 || (found.size === 0 && unmeasured.length > 0)) {
        const received = resources.length === 0 ? 'an empty list' : resources.join(', ');
        throw badInput(
          `${pathOf(phase)} maps to nothing that was measured (${received}): name resources with metrics, or remove the entry.`,
        );
      }
      for (const resource of unmeasured) empty.add(resource);
      set = sets.push(Uint32Array.from(found).sort()) - 1;
      known.set(key, set);
    }
    own[phase] = set;
  }
  const set = new Uint32Array(phases.count);
  for (const phase of phases.topDown) {
    const listed = at(own, phase);
    if (listed >= 0) set[phase] = listed;
    // Set 0 has all metrics, for a root without an entry.
    else if (phase !== phases.root) set[phase] = at(set, at(phases.parent, phase));
  }
  const notices = [...empty].map((path) => `${path} is mapped to but has no metrics: its use stays unknown.`);
  return { set, sets, notices };
}

/** Metrics on or below each resource, by the resource's path (or what `name` makes of it). */
function metricsBelow(
  metrics: readonly Metric[],
  name = (path: string) => path,
): ReadonlyMap<string, readonly number[]> {
  const below = new Map<string, number[]>();
  for (const [index, { path }] of metrics.entries()) {
    for (let above = parentPath(path); above !== null; above = parentPath(above)) {
      const list = below.get(name(above)) ?? [];
      below.set(name(above), list);
      list.push(index);
    }
  }
  return below;
}

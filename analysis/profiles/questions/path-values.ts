import { at } from '../../../base/lists.ts';
import type { CallTree } from '../tree/call-tree.ts';

/**
 * What counts for a code path in a profile: all below its nodes, each sample once (`total`), what was sampled in them (`base`), or
 * the same by all that the profile sampled.
 */
export type PathMeasure = 'total' | 'base' | 'total-share' | 'base-share';

export const PATH_MEASURES: readonly PathMeasure[] = ['total', 'base', 'total-share', 'base-share'];

/**
 * Samples of each code path of a tree, not yet by all of them. Totals leave out nodes with an incoming recursion edge, which lie within
 * another node of the code path (Lundberg and Rettig 2024, section 6.1).
 */
export function pathValues({ name, own, total, above }: CallTree, measure: PathMeasure): ReadonlyMap<number, number> {
  const isBase = measuresBase(measure);
  const values = isBase ? own : total;
  const sums = new Map<number, number>();
  for (let node = 1; node < name.length; node += 1) {
    const path = at(name, node);
    const counts = isBase || at(above, node) < 0;
    sums.set(path, (sums.get(path) ?? 0) + (counts ? at(values, node) : 0));
  }
  return sums;
}

/** Whether what was sampled in nodes themselves counts, not all below them. */
export function measuresBase(measure: PathMeasure): boolean {
  return measure === 'base' || measure === 'base-share';
}

/** What samples are divided by, of profiles that sampled `total` together. */
export function divisorOf(measure: PathMeasure, total: number): number {
  return measure === 'total-share' || measure === 'base-share' ? total : 1;
}

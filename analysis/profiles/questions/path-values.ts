import type { CallTree } from '../tree/call-tree.ts';
import { largest } from '../tree/complete-tree.ts';

/**
 * What counts for a code path in a profile: all below its nodes, each sample once (`total`), what was sampled in them (`base`), or
 * the same by all that the profile sampled.
 */
export type PathMeasure = 'total' | 'base' | 'total-share' | 'base-share';

export const PATH_MEASURES: readonly PathMeasure[] = ['total', 'base', 'total-share', 'base-share'];

/** The code paths of one tree, each once, and what was sampled of each. */
interface PathValues {
  readonly names: Int32Array;
  readonly values: Float64Array;
}

/** The place of a name among those of the tree at hand, -1 where it has none yet; all are -1 between calls. */
let places = new Int32Array(0);

/**
 * Samples of each code path of a tree, not yet by all of them. Totals leave out nodes with an incoming recursion edge, which lie within
 * another node of the code path (Lundberg and Rettig 2024, section 6.1).
 */
export function pathValues(tree: CallTree, measure: PathMeasure): PathValues {
  const { name, own, total, above } = tree;
  const most = largest(name);
  if (most >= places.length) places = new Int32Array(2 * most + 2).fill(-1);
  const isBase = measuresBase(measure);
  const names = new Int32Array(name.length);
  const values = new Float64Array(name.length);
  let count = 0;
  for (let node = 1; node < name.length; node += 1) {
    const id = name[node] ?? 0;
    let place = places[id] ?? -1;
    if (place < 0) {
      place = count;
      count += 1;
      places[id] = place;
      names[place] = id;
    }
    if (isBase) values[place] = (values[place] ?? 0) + (own[node] ?? 0);
    else if ((above[node] ?? -1) < 0) values[place] = (values[place] ?? 0) + (total[node] ?? 0);
  }
  for (let place = 0; place < count; place += 1) places[names[place] ?? 0] = -1;
  return { names: names.slice(0, count), values: values.slice(0, count) };
}

/** Whether what was sampled in nodes themselves counts, not all below them. */
export function measuresBase(measure: PathMeasure): boolean {
  return measure === 'base' || measure === 'base-share';
}

/** What samples are divided by, of profiles that sampled `total` together. */
export function divisorOf(measure: PathMeasure, total: number): number {
  return measure === 'total-share' || measure === 'base-share' ? total : 1;
}

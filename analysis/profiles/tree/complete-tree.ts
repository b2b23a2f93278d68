import type { CallTree } from './call-tree.ts';

/** The columns that follow from names, parents and own values of nodes in preorder. */
export function completeTree({ name, parent, own }: Pick<CallTree, 'name' | 'parent' | 'own'>): CallTree {
  const depth = new Int32Array(name.length);
  for (let node = 1; node < name.length; node += 1) depth[node] = (depth[parent[node] ?? 0] ?? 0) + 1;
  const total = own.slice();
  for (let node = name.length - 1; node > 0; node -= 1) {
    const caller = parent[node] ?? 0;
    total[caller] = (total[caller] ?? 0) + (total[node] ?? 0);
  }
  return { name, parent, depth, own, total, above: nearestAbove(name, depth) };
}

/** By name the innermost node on the way down, -1 where there is none; all are -1 between calls. */
let innermost = new Int32Array(0);

function nearestAbove(name: Int32Array, depth: Int32Array): Int32Array {
  const most = largest(name);
  if (most >= innermost.length) innermost = new Int32Array(2 * most + 2).fill(-1);
  const above = new Int32Array(name.length).fill(-1);
  const path = new Int32Array(largest(depth) + 1);
  let height = 0;
  const leaveTo = (least: number): void => {
    for (; height >= least; height -= 1) {
      const left = path[height] ?? 0;
      innermost[name[left] ?? 0] = above[left] ?? -1;
    }
  };
  for (let node = 1; node < name.length; node += 1) {
    const level = depth[node] ?? 0;
    leaveTo(level);
    const own = name[node] ?? 0;
    above[node] = innermost[own] ?? -1;
    innermost[own] = node;
    path[level] = node;
    height = level;
  }
  leaveTo(1);
  return above;
}

/** The largest of whole numbers, at least 0. */
export function largest(values: Int32Array): number {
  let most = 0;
  for (const value of values) if (value > most) most = value;
  return most;
}

/** The RECURS edges of a tree: the code path of `from` is called again in `to`, `distance` calls below it. */
interface RecursionEdges {
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly distance: Int32Array;
}

/** The recursion edges of a tree, in preorder of their lower ends (Lundberg and Rettig 2024, section 4.1). */
export function findRecursionEdges({ above, depth }: CallTree): RecursionEdges {
  const count = above.reduce((sum, from) => sum + (from < 0 ? 0 : 1), 0);
  const edges = { from: new Int32Array(count), to: new Int32Array(count), distance: new Int32Array(count) };
  let edge = 0;
  for (let node = 1; node < above.length; node += 1) {
    const from = above[node] ?? -1;
    if (from < 0) continue;
    edges.from[edge] = from;
    edges.to[edge] = node;
    edges.distance[edge] = (depth[node] ?? 0) - (depth[from] ?? 0);
    edge += 1;
  }
  return edges;
}

/**
 * Adds `factor` times P_n of every code path of a tree to `sums`, by name: P_n(A) = sum over the nodes of A of p_n - c_n, what was
 * sampled in nodes of A and within n calls below them, each sample once.
 *
 * One pass for any degree: what a node u of A has within n calls is its total without the totals of the nodes w that are n + 1 calls
 * below. Those of a recurrence of A cancel against c_n where it is within n calls of u; so a node adds its total unless it is
 * such a recurrence, and w is taken off from u unless A recurs between them.
 */
export function addPathPotentials(
  { name, depth, own, total, above }: CallTree,
  { degree, factor, sums }: { readonly degree: number; readonly factor: number; readonly sums: Float64Array },
): void {
  if (degree === 0) {
    for (let node = 1; node < name.length; node += 1) addTo(sums, name[node] ?? 0, factor * (own[node] ?? 0));
    return;
  }
  const height = largest(depth);
  const path = new Int32Array(height + 1);
  /** By depth of a node on the path the depth of its recurrence, good if that node is still on the path. */
  const recurrence = new Int32Array(height + 1);
  for (let node = 1; node < name.length; node += 1) {
    const level = depth[node] ?? 0;
    path[level] = node;
    const from = above[node] ?? -1;
    const distance = from < 0 ? 0 : level - (depth[from] ?? 0);
    if (from >= 0) recurrence[level - distance] = level;
    const value = factor * (total[node] ?? 0);
    if (from < 0 || distance > degree) addTo(sums, name[node] ?? 0, value);
    const top = level - degree - 1;
    if (top < 1) continue;
    const ancestor = path[top] ?? 0;
    const again = recurrence[top] ?? 0;
    const recurs = again > top && again < level && above[path[again] ?? 0] === ancestor;
    if (!recurs) addTo(sums, name[ancestor] ?? 0, -value);
  }
}

function addTo(sums: Float64Array, name: number, value: number): void {
  sums[name] = (sums[name] ?? 0) + value;
}

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

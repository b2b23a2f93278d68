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
export function recursionEdges({ above, depth }: CallTree): RecursionEdges {
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

import type { CallTree } from './call-tree.ts';

/** The RECURS edges of a tree, by their lower ends in preorder: `to` is called again `distance` calls below `from`. */
export interface RecursionEdges {
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly distance: Int32Array;
}

/**
 * For each node the nearest node above it with the same code path, or -1. A RECURS edge leads from a node to the nearest
 * descendants with its code path, one per branch (Lundberg and Rettig 2024, section 4.1): a node has at most one coming in, from here.
 */
export function recursedFrom({ name, depth }: CallTree): Int32Array {
  const above = new Int32Array(name.length).fill(-1);
  const path = new Int32Array(largest(depth) + 1);
  /** The innermost node of a code path on the way down, by name; -1 where there is none. */
  const innermost = new Int32Array(largest(name) + 1).fill(-1);
  let height = 0;
  for (let node = 1; node < name.length; node += 1) {
    const at = depth[node] ?? 0;
    for (; height >= at && height > 0; height -= 1) {
      const left = path[height] ?? 0;
      innermost[name[left] ?? 0] = above[left] ?? -1;
    }
    const own = name[node] ?? 0;
    above[node] = innermost[own] ?? -1;
    innermost[own] = node;
    path[at] = node;
    height = at;
  }
  return above;
}

/** The recursion edges of a tree, in preorder of their lower ends. */
export function recursionEdges(tree: CallTree): RecursionEdges {
  const above = recursedFrom(tree);
  const count = above.reduce((sum, from) => sum + (from < 0 ? 0 : 1), 0);
  const edges = { from: new Int32Array(count), to: new Int32Array(count), distance: new Int32Array(count) };
  let edge = 0;
  for (let node = 1; node < above.length; node += 1) {
    const from = above[node] ?? -1;
    if (from < 0) continue;
    edges.from[edge] = from;
    edges.to[edge] = node;
    edges.distance[edge] = (tree.depth[node] ?? 0) - (tree.depth[from] ?? 0);
    edge += 1;
  }
  return edges;
}

/** The largest of whole numbers, at least 0. */
export function largest(values: Int32Array): number {
  let most = 0;
  for (const value of values) if (value > most) most = value;
  return most;
}

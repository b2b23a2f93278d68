import type { CallTree } from './call-tree.ts';

/** The RECURS edges of a tree: the code path of `from` is called again in `to`, `distance` calls below it. */
export interface RecursionEdges {
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

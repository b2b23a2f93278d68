import { CallTreeBuilder } from '../tree/builder.ts';
import { type CallTree, ROOT } from '../tree/call-tree.ts';
import { largest } from '../tree/complete-tree.ts';

/** Several trees of one table of names laid over one another: the nodes of all, and of each tree what it has of them. */
export interface MergedTrees {
  /** Own values and totals are the means over the trees. */
  readonly tree: CallTree;
  /** Per tree the totals by row of `tree`; 0 where it lacks the node. */
  readonly totals: readonly Float64Array[];
  /** The same of own values. */
  readonly owns: readonly Float64Array[];
}

/** Nodes are the same where the stacks of their code paths are. Errors: RangeError without a tree, a fault in the program. */
export function mergeTrees(trees: readonly CallTree[]): MergedTrees {
  if (trees.length === 0) throw new RangeError('there is no tree to merge');
  const builder = new CallTreeBuilder();
  for (const { name, parent, own } of trees) {
    const made = new Int32Array(name.length);
    for (let node = 0; node < name.length; node += 1) {
      const here = node === ROOT ? ROOT : builder.child(made[parent[node] ?? 0] ?? 0, name[node] ?? 0);
      made[node] = here;
      builder.add(here, (own[node] ?? 0) / trees.length);
    }
  }
  const tree = builder.finish();
  const places = rowsOf(tree, trees);
  const spread = (pick: (one: CallTree) => Float64Array): Float64Array[] =>
    trees.map((one, index) => {
      const values = new Float64Array(tree.name.length);
      const column = pick(one);
      for (const [node, row] of (places[index] ?? new Int32Array()).entries()) values[row] = column[node] ?? 0;
      return values;
    });
  return { tree, totals: spread(({ total }) => total), owns: spread(({ own }) => own) };
}

/** For each tree the row of the merged one that each of its nodes is. */
function rowsOf(merged: CallTree, trees: readonly CallTree[]): readonly Int32Array[] {
  const base = largest(merged.name) + 2;
  const rows = new Map<number, number>();
  for (let row = 1; row < merged.name.length; row += 1) {
    rows.set((merged.parent[row] ?? 0) * base + (merged.name[row] ?? 0), row);
  }
  return trees.map(({ name, parent }) => {
    const found = new Int32Array(name.length);
    for (let node = 1; node < name.length; node += 1) {
      found[node] = rows.get((found[parent[node] ?? 0] ?? 0) * base + (name[node] ?? 0)) ?? 0;
    }
    return found;
  });
}

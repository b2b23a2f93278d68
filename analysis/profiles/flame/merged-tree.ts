import { at } from '../../../base/lists.ts';
import { CallTreeBuilder } from '../tree/builder.ts';
import { type CallTree, ROOT } from '../tree/call-tree.ts';
import { largest } from '../tree/complete-tree.ts';

/** Groups of trees of one table of names laid over one another: the nodes of all, and of each group what it has of them. */
export interface MergedTrees {
  /** Own values and totals are the means over the groups. */
  readonly tree: CallTree;
  /** Per group the sum of its trees' totals, by row of `tree`; 0 where it lacks the node. */
  readonly totals: readonly Float64Array[];
  /** The same of own values. */
  readonly owns: readonly Float64Array[];
}

/**
 * The trees of a group add up, as those of the ranks of a run. Nodes are the same where the stacks of their code paths are. Errors:
 * RangeError without a group, a fault in the program.
 */
export function mergeTrees(groups: readonly (readonly CallTree[])[]): MergedTrees {
  if (groups.length === 0) throw new RangeError('there is no tree to merge');
  const builder = new CallTreeBuilder();
  for (const { name, parent, own } of groups.flat()) {
    const made = new Int32Array(name.length);
    for (let node = 0; node < name.length; node += 1) {
      const here = node === ROOT ? ROOT : builder.child(made[parent[node] ?? 0] ?? 0, name[node] ?? 0);
      made[node] = here;
      builder.add(here, (own[node] ?? 0) / groups.length);
    }
  }
  const tree = builder.finish();
  const rowOf = rowFinder(tree);
  const totals = groups.map(() => new Float64Array(tree.name.length));
  const owns = groups.map(() => new Float64Array(tree.name.length));
  for (const [index, group] of groups.entries()) {
    const [total, own] = [at(totals, index), at(owns, index)];
    for (const one of group) {
      const rows = rowOf(one);
      for (let node = 0; node < rows.length; node += 1) {
        const row = rows[node] ?? 0;
        total[row] = (total[row] ?? 0) + (one.total[node] ?? 0);
        own[row] = (own[row] ?? 0) + (one.own[node] ?? 0);
      }
    }
  }
  return { tree, totals, owns };
}

/** For a tree the row of the merged one that each of its nodes is. */
function rowFinder(merged: CallTree): (tree: CallTree) => Int32Array {
  const base = largest(merged.name) + 2;
  const rows = new Map<number, number>();
  for (let row = 1; row < merged.name.length; row += 1) {
    rows.set((merged.parent[row] ?? 0) * base + (merged.name[row] ?? 0), row);
  }
  return ({ name, parent }) => {
    const found = new Int32Array(name.length);
    for (let node = 1; node < name.length; node += 1) {
      found[node] = rows.get((found[parent[node] ?? 0] ?? 0) * base + (name[node] ?? 0)) ?? 0;
    }
    return found;
  };
}

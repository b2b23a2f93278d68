import { CallTreeBuilder } from '../../../analysis/profiles/tree/builder.ts';
import type { CallTree, NameTable } from '../../../analysis/profiles/tree/call-tree.ts';
import { mulberry32 } from '../../../base/lists.ts';

/**
 * The tree of a made-up recursive program: `nodes` nodes of `names` functions, most of which call one of four others, down to a depth
 * of 60.
 */
export function madeTree({
  seed,
  nodes,
  names,
  table,
}: {
  readonly seed: number;
  readonly nodes: number;
  readonly names: number;
  readonly table: NameTable;
}): CallTree {
  const random = mulberry32(seed);
  const whole = (below: number): number => Math.floor(random() * below);
  const ids = Int32Array.from({ length: names }, (_, index) =>
    table.id(`part${index % 61}/Class${index % 311}.run${index}`),
  );
  const builder = new CallTreeBuilder();
  const depth = 60;
  let count = 1;
  while (count < nodes) {
    let node = 0;
    let name = 0;
    for (let level = 0; level < depth && count < nodes; level += 1) {
      node = builder.child(node, ids[name] ?? 0);
      count = Math.max(count, node + 1);
      builder.add(node, 1 + whole(5));
      name = (name * 4 + whole(4) + 1) % names;
      if (random() < 0.02) break;
    }
  }
  return builder.finish();
}

import { compareCodePoints } from '../../../base/text.ts';
import type { CallTree } from './call-tree.ts';
import type { NameTable } from './names.ts';

/** A node with something sampled in it, as collapsed text has it. */
export interface FoldedStack {
  /** Frames from the outermost in, joined by `;`. */
  readonly stack: string;
  readonly own: number;
}

/** The stack of every node, by row; that of the root is empty. */
export function stacksOf({ name, parent }: CallTree, names: NameTable): readonly string[] {
  const stacks: string[] = [''];
  for (let node = 1; node < name.length; node += 1) {
    const text = names.text(name[node] ?? -1);
    const caller = parent[node] ?? 0;
    stacks.push(caller === 0 ? text : `${stacks[caller]};${text}`);
  }
  return stacks;
}

/** What collapsed text says of a tree: the stacks of nodes in which something was sampled, in code point order. */
export function fold(tree: CallTree, names: NameTable): readonly FoldedStack[] {
  return stacksOf(tree, names)
    .map((stack, node) => ({ stack, own: tree.own[node] ?? 0 }))
    .filter(({ own }) => own > 0)
    .sort((a, b) => compareCodePoints(a.stack, b.stack));
}

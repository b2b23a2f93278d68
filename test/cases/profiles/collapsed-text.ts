import { CollapsedParser } from '../../../analysis/profiles/formats/collapsed.ts';
import type { NormaliseFrame } from '../../../analysis/profiles/formats/strip-names.ts';
import { type CallTree, type NameTable, stacksOf } from '../../../analysis/profiles/tree/call-tree.ts';
import { compareCodePoints } from '../../../base/text.ts';

/** Reads a text; `what` names it in errors. Errors: badInput names it and the line. */
export function parseCollapsed(
  text: string,
  { what, names, normalise = null }: { what: string; names: NameTable; normalise?: NormaliseFrame | null },
) {
  const parser = new CollapsedParser(what, { names, normalise });
  parser.push(Buffer.from(text));
  return parser.end();
}

/** A node with something sampled in it, as collapsed text has it. */
interface FoldedStack {
  /** Frames from the outermost in, joined by `;`. */
  readonly stack: string;
  readonly own: number;
}

/** What collapsed text says of a tree: the stacks of nodes in which something was sampled, in code point order. */
export function fold(tree: CallTree, names: NameTable): readonly FoldedStack[] {
  return stacksOf(tree, names)
    .map((stack, node) => ({ stack, own: tree.own[node] ?? 0 }))
    .filter(({ own }) => own > 0)
    .sort((a, b) => compareCodePoints(a.stack, b.stack));
}

/** What is sampled in a tree as collapsed text, a line a stack, in code point order. */
export function foldedText(tree: CallTree, names: NameTable): string {
  return fold(tree, names)
    .map(({ stack, own }) => `${stack} ${own}\n`)
    .join('');
}

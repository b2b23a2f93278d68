import { CollapsedParser } from '../../../analysis/profiles/formats/collapsed.ts';
import type { FrameTable } from '../../../analysis/profiles/formats/frame-table.ts';
import { type CallTree, fold, type NameTable } from '../../../analysis/profiles/tree/call-tree.ts';

/** Reads a text; `what` names it in errors. Errors: badInput names it and the line. */
export function parseCollapsed(text: string, { what, frames }: { what: string; frames: FrameTable }) {
  const parser = new CollapsedParser(what, frames);
  parser.push(Buffer.from(text));
  return parser.end();
}

/** What is sampled in a tree as collapsed text, a line a stack, in code point order. */
export function foldedText(tree: CallTree, names: NameTable): string {
  return fold(tree, names)
    .map(({ stack, own }) => `${stack} ${own}\n`)
    .join('');
}

import { at } from '../../../base/lists.ts';
import { compareText } from '../../../base/text.ts';
import { type CallTree, ROOT } from '../tree/call-tree.ts';
import type { NameTable } from '../tree/names.ts';

/** What a code path has of its own over the whole tree. Shares are of the profile, 0 to 1. */
export interface OwnShare {
  readonly name: string;
  readonly ownShare: number;
  /** The same in what the tree is compared with; null where that is nothing. */
  readonly before: number | null;
}

/**
 * Code paths by their own share, or by how far it moved from `against` (own values by row of the tree); the largest first, those
 * without any left out.
 */
export function ownByFunction(
  tree: CallTree,
  { names, against }: { readonly names: NameTable; readonly against?: Float64Array | undefined },
): readonly OwnShare[] {
  const sums = new Map<number, { own: number; before: number }>();
  for (let node = ROOT + 1; node < tree.name.length; node += 1) {
    const name = at(tree.name, node);
    const sum = sums.get(name) ?? { own: 0, before: 0 };
    sum.own += at(tree.own, node);
    sum.before += against?.[node] ?? 0;
    sums.set(name, sum);
  }
  const all = [...sums.values()];
  const total = all.reduce((sum, { own }) => sum + own, 0) || 1;
  const former = all.reduce((sum, { before }) => sum + before, 0) || 1;
  return [...sums]
    .filter(([, { own, before }]) => own > 0 || before > 0)
    .map(([name, { own, before }]) => ({
      name: names.text(name),
      ownShare: own / total,
      before: against === undefined ? null : before / former,
    }))
    .sort((one, other) => weightOf(other) - weightOf(one) || compareText(one.name, other.name));
}

function weightOf({ ownShare, before }: OwnShare): number {
  return before === null ? ownShare : Math.abs(ownShare - before);
}

import { at } from '../../../base/lists.ts';
import { compareText } from '../../../base/text.ts';
import { type CallTree, type NameTable, ROOT, totalOf } from '../tree/call-tree.ts';

/** A box of a flame graph. Shares are of the whole profile, 0 to 1. */
export interface FlameFrame {
  readonly name: string;
  /** Calls from the root, which is no box: from 0. */
  readonly level: number;
  /** Where it begins and how wide it is. */
  readonly from: number;
  readonly share: number;
  /** The part of `share` that is its own. */
  readonly ownShare: number;
  /** Its share in what it is compared with; null where that is nothing. */
  readonly before: number | null;
}

/** What is left out of a drawing: so many boxes, and their share, counted once where one lies in another. */
export interface LeftOut {
  readonly frames: number;
  readonly share: number;
}

/** A flame graph as plain data: callers above callees, callees of one caller by name. */
export interface FlameLayout {
  readonly frames: readonly FlameFrame[];
  /** Of the deepest box, with 1 for the first. */
  readonly levels: number;
  /** All that the profile sampled. */
  readonly total: number;
  /** Narrower than the bound, or deeper. */
  readonly leftOut: LeftOut;
  /** Boxes of what it is compared with that have nothing here; their share is of the former. */
  readonly gone: LeftOut;
}

interface LayoutOptions {
  readonly names: NameTable;
  /** Totals of what the tree is compared with, by row of the tree. */
  readonly against?: Float64Array | undefined;
  /** Boxes below this share are left out. */
  readonly least?: number;
  /** So many levels are drawn. */
  readonly deepest?: number;
}

/** Half a pixel of a wide screen. */
const LEAST_SHARE = 0.0005;
const DEEPEST = 250;

/** Places the nodes of a tree that are wide enough to be seen. A tree without samples has no boxes. */
export function layoutFlame(
  tree: CallTree,
  { names, against, least = LEAST_SHARE, deepest = DEEPEST }: LayoutOptions,
): FlameLayout {
  const total = totalOf(tree);
  const shareOf = (values: Float64Array | undefined, of: number) => (node: number) => {
    return values === undefined || of <= 0 ? 0 : at(values, node) / of;
  };
  const share = shareOf(tree.total, total);
  const own = shareOf(tree.own, total);
  const before = shareOf(against, against?.[ROOT] ?? 0);
  const isDrawn = (node: number): boolean => share(node) >= least && at(tree.depth, node) <= deepest;
  const callees = drawnCallees(tree, isDrawn, names);
  const frames: FlameFrame[] = [];
  let levels = 0;
  const open: { readonly node: number; readonly from: number }[] = [{ node: ROOT, from: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, from } = next;
    if (node !== ROOT) {
      const level = at(tree.depth, node) - 1;
      levels = Math.max(levels, level + 1);
      const text = names.text(at(tree.name, node));
      const was = against === undefined ? null : before(node);
      frames.push({ name: text, level, from, share: share(node), ownShare: own(node), before: was });
    }
    let place = from;
    const below = (callees.get(node) ?? []).map((callee) => {
      const placed = { node: callee, from: place };
      place += share(callee);
      return placed;
    });
    open.push(...below.reverse());
  }
  return {
    frames,
    levels,
    total,
    leftOut: countTop(tree, (node) => at(tree.total, node) > 0 && !isDrawn(node), share),
    gone: countTop(tree, (node) => against !== undefined && at(tree.total, node) === 0 && before(node) > 0, before),
  };
}

/** By caller the callees that are drawn, by name. */
function drawnCallees(tree: CallTree, isDrawn: (node: number) => boolean, names: NameTable) {
  const callees = new Map<number, number[]>();
  for (let node = 1; node < tree.name.length; node += 1) {
    if (!isDrawn(node)) continue;
    const others = callees.get(at(tree.parent, node)) ?? [];
    callees.set(at(tree.parent, node), others);
    others.push(node);
  }
  const text = (node: number): string => names.text(at(tree.name, node));
  for (const list of callees.values()) list.sort((one, other) => compareText(text(one), text(other)));
  return callees;
}

/** Nodes of a sort, and the sum over those whose caller is not of it. */
function countTop(tree: CallTree, isOne: (node: number) => boolean, value: (node: number) => number): LeftOut {
  let [frames, share] = [0, 0];
  for (let node = 1; node < tree.name.length; node += 1) {
    if (!isOne(node)) continue;
    frames += 1;
    const caller = at(tree.parent, node);
    if (caller === ROOT || !isOne(caller)) share += value(node);
  }
  return { frames, share };
}

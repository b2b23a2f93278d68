import { flameOfTrees } from '../flame/flame-of.ts';
import type { FlameLayout } from '../flame/layout-flame.ts';
import { type CallTree, NameTable } from '../tree/call-tree.ts';
import { type ProfiledRun, runTree } from './profiled-run.ts';
import type { MeasuredRange } from './verdicts.ts';

/** Profiled runs of one setting, drawn as their mean; values are seconds per rank and timed run. */
interface ScalingFlame {
  readonly nodes: number;
  /** Percent. */
  readonly bw: number;
  /** The setting whose shares colours compare with; null for a flame graph of one setting. */
  readonly against: { readonly nodes: number; readonly bw: number } | null;
  readonly layout: FlameLayout;
}

/**
 * The smallest and the largest cluster at the highest bandwidth, then the largest at the lowest bandwidth against the highest; each
 * where it was profiled.
 */
export function layoutScalingFlames(
  all: readonly ProfiledRun[],
  { scale, fewest, most, lowest, highest }: MeasuredRange,
): readonly ScalingFlame[] {
  const names = new NameTable();
  const treesAt = (nodes: number, bw: number): readonly (readonly CallTree[])[] =>
    all
      .filter((run) => run.scale === scale && run.nodes === nodes && run.bw === bw)
      .map((run) => [runTree(run, names)]);
  const [small, large, slow] = [treesAt(fewest, highest), treesAt(most, highest), treesAt(most, lowest)];
  const flame = (shown: typeof small, against: typeof small | null): FlameLayout =>
    flameOfTrees(shown, { names, against }).layout;
  return [
    ...(small.length > 0 && fewest < most
      ? [{ nodes: fewest, bw: highest, against: null, layout: flame(small, null) }]
      : []),
    ...(large.length > 0 ? [{ nodes: most, bw: highest, against: null, layout: flame(large, null) }] : []),
    ...(slow.length > 0 && large.length > 0 && lowest < highest
      ? [{ nodes: most, bw: lowest, against: { nodes: most, bw: highest }, layout: flame(slow, large) }]
      : []),
  ];
}

import { type Analysis, isLeaf, leavesUnder, typesUsed } from '../grade10/index.ts';

/**
 * The way from a typical phase of a type down to where its time is lost: the phase of median length, then at each step the
 * subphase of which most slices are bottlenecked on consumable resources. Rows, from the top; never a leaf.
 */
export function drillDown({ model, leaves }: Analysis, type: number): readonly number[] {
  const { phases, uses, resourceTypes } = model;
  const own = Array.from({ length: phases.count }, (_, row) => row)
    .filter((row) => phases.type[row] === type)
    .sort((a, b) => (phases.length[a] ?? 0) - (phases.length[b] ?? 0));
  const lost = (row: number): number => {
    let sum = 0;
    for (const leaf of leavesUnder(phases, row)) {
      for (const [slot, metricType] of typesUsed(uses, leaf).entries()) {
        if (resourceTypes.metricTypes.classes[metricType] === 'blocking') continue;
        sum += leaves.typeSlices[(leaves.typeSlicesStart[leaf] ?? 0) + slot] ?? 0;
      }
    }
    return sum;
  };
  const rows: number[] = [];
  for (let at = own[Math.floor(own.length / 2)]; at !== undefined && !isLeaf(phases, at); ) {
    rows.push(at);
    const children = (phases.groups[at] ?? []).flatMap(({ phases: below }) => [...below]);
    const ranked = children.map((child) => ({ child, lost: lost(child) })).sort((a, b) => b.lost - a.lost);
    at = ranked[0]?.child;
  }
  return rows;
}

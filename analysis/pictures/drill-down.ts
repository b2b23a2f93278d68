import { at } from '../../base/lists.ts';
import type { Analysis } from '../grade10/analyse-phases.ts';
import { leavesUnder } from '../grade10/fold-phases.ts';
import { isLeaf } from '../grade10/model/phases.ts';
import { typesUsed } from '../grade10/model/uses.ts';

/**
 * The way from a typical phase of a type down to where its time is lost: the phase of median length, then at each step the
 * subphase of which most slices are bottlenecked on consumable resources. Rows, from the top; never a leaf.
 */
export function drillDown({ model, leaves }: Analysis, type: number): readonly number[] {
  const { phases, uses, resourceTypes } = model;
  const own = Array.from({ length: phases.count }, (_, row) => row)
    .filter((row) => phases.type[row] === type)
    .sort((a, b) => at(phases.length, a) - at(phases.length, b));
  const lost = (row: number): number => {
    let sum = 0;
    for (const leaf of leavesUnder(phases, row)) {
      for (const [slot, metricType] of typesUsed(uses, leaf).entries()) {
        if (resourceTypes.metricTypes.classes[metricType] === 'blocking') continue;
        sum += at(leaves.typeSlices, at(leaves.typeSlicesStart, leaf) + slot);
      }
    }
    return sum;
  };
  const rows: number[] = [];
  for (let row = own[Math.floor(own.length / 2)]; row !== undefined && !isLeaf(phases, row); ) {
    rows.push(row);
    const children = at(phases.groups, row).flatMap(({ phases: below }) => [...below]);
    const ranked = children.map((child) => ({ child, lost: lost(child) })).sort((a, b) => b.lost - a.lost);
    row = ranked[0]?.child;
  }
  return rows;
}

import { at } from '../../base/lists.ts';
import type { Model } from '../grade10/model/create-model.ts';

/**
 * Per phase type, 1 when it needs a lane of its own: phases of it overlap siblings of another type that would share theirs.
 * Types in order of precedence: of two that overlap, the one that comes first keeps the lane. Decided per type, so that all its
 * phases are found in the same place.
 */
export function findTypesApart({ phases, phaseTypes }: Model, labelOf: (row: number) => string): Uint8Array {
  const overlaps = Array.from({ length: phaseTypes.count }, () => new Set<number>());
  for (const groups of phases.groups) {
    if (groups.length < 2) continue;
    const rows = groups.flatMap(({ phases: own }) => [...own]);
    rows.sort((a, b) => at(phases.first, a) - at(phases.first, b) || endOf(phases, a) - endOf(phases, b));
    const reached = new Map<string, Map<number, number>>();
    for (const row of rows) {
      const label = labelOf(row);
      const ends = reached.get(label) ?? new Map<number, number>();
      reached.set(label, ends);
      const type = at(phases.type, row);
      for (const [other, end] of ends) {
        if (other === type || end <= at(phases.first, row)) continue;
        at(overlaps, type).add(other);
        at(overlaps, other).add(type);
      }
      ends.set(type, Math.max(ends.get(type) ?? endOf(phases, row), endOf(phases, row)));
    }
  }
  const apart = new Uint8Array(phaseTypes.count);
  for (const siblings of phaseTypes.children) {
    const together: number[] = [];
    for (const type of siblings) {
      if (together.some((other) => at(overlaps, type).has(other))) apart[type] = 1;
      else together.push(type);
    }
  }
  return apart;
}

/** The slice after a phase's last. */
export function endOf({ first, length }: Model['phases'], row: number): number {
  return at(first, row) + at(length, row);
}

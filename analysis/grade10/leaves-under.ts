import { at } from '../../base/lists.ts';
import type { Phases } from './model/phase-columns.ts';
import { isLeaf } from './model/phases.ts';

/** Rows of all leaves under a phase; the phase itself if it is one. */
export function leavesUnder(phases: Phases, row: number): readonly number[] {
  const found: number[] = [];
  const open = [row];
  for (let top = open.pop(); top !== undefined; top = open.pop()) {
    if (isLeaf(phases, top)) found.push(top);
    for (let child = at(phases.childStart, top); child < at(phases.childStart, top + 1); child += 1) {
      open.push(at(phases.children, child));
    }
  }
  return found;
}

/** How many of some leaves are alive in each slice of a phase that holds them. */
export function aliveLeaves({ first, length }: Phases, row: number, leaves: readonly number[]): Uint32Array {
  const alive = new Uint32Array(at(length, row));
  for (const leaf of leaves) {
    const from = at(first, leaf) - at(first, row);
    const end = from + at(length, leaf);
    // Direct, as this loop is over slices (see `at`).
    for (let slice = from; slice < end; slice += 1) alive[slice] = (alive[slice] ?? 0) + 1;
  }
  return alive;
}

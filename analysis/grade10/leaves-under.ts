import { isLeaf, type Phases } from './model/phases.ts';

/** Rows of all leaves under a phase; the phase itself if it is one. */
export function leavesUnder(phases: Phases, row: number): readonly number[] {
  const found: number[] = [];
  const open = [row];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (isLeaf(phases, at)) found.push(at);
    else for (const group of phases.groups[at] ?? []) open.push(...group.phases);
  }
  return found;
}

/** How many of some leaves are alive in each slice of a phase that holds them. */
export function aliveLeaves({ first, length }: Phases, row: number, leaves: readonly number[]): Uint32Array {
  const alive = new Uint32Array(length[row] ?? 0);
  for (const leaf of leaves) {
    const from = (first[leaf] ?? 0) - (first[row] ?? 0);
    for (let slice = from; slice < from + (length[leaf] ?? 0); slice += 1) alive[slice] = (alive[slice] ?? 0) + 1;
  }
  return alive;
}

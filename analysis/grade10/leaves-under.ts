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

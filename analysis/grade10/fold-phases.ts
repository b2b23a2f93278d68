import { at } from '../../base/lists.ts';
import { isLeaf, type Phases, type SubphaseRows } from './model/phases.ts';

/** The subphases of one type under a phase, with what the fold made of each. */
export interface SubphaseGroup<R> {
  readonly type: number;
  readonly phases: Uint32Array;
  readonly results: readonly R[];
}

interface Fold<R> {
  /** What to make of a leaf. */
  readonly leaf: (phase: number) => R;
  /** What to make of a composite phase, given its subphases. */
  readonly composite: (phase: number, groups: readonly SubphaseGroup<R>[]) => R;
  /** Sees every phase's result, children before parents. */
  readonly each?: (phase: number, result: R) => void;
}

/**
 * Folds the tree of phases from its leaves to the root and returns what became of the root (ANALYZEPHASEHIERARCHY of
 * algorithm 3). Composite bottlenecks and all issue rules are folds. Results live only until their parent's is made.
 */
export function foldPhases<R>({ root, groups }: Phases, { leaf, composite, each }: Fold<R>): R {
  // As deep as the execution model's specification, however many phases there are.
  const visit = (phase: number): R => {
    const own = at(groups, phase);
    const result = own.length === 0 ? leaf(phase) : composite(phase, own.map(withResults));
    each?.(phase, result);
    return result;
  };
  const withResults = ({ type, phases }: SubphaseRows): SubphaseGroup<R> => {
    const results: R[] = [];
    for (const phase of phases) results.push(visit(phase));
    return { type, phases, results };
  };
  return visit(root);
}

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

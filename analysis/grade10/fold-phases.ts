import { at } from '../../base/lists.ts';
import type { Phases, SubphaseRows } from './model/phase-columns.ts';

/** The subphases of one type under a phase, with what the fold made of each. */
export interface SubphaseGroup<R> {
  readonly type: number;
  readonly phases: Uint32Array;
  readonly results: readonly R[];
}

export interface Fold<R> {
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

import type { Phases } from './model/phases.ts';

/** The subphases of one type under a phase, with what the fold made of each. */
export interface SubphaseGroup<R> {
  readonly type: number;
  readonly phases: Uint32Array;
  readonly results: readonly R[];
}

/** What to make of a leaf, and of a composite phase given its subphases. */
export interface Fold<R> {
  readonly leaf: (phase: number) => R;
  readonly composite: (phase: number, groups: readonly SubphaseGroup<R>[]) => R;
}

/**
 * Folds the tree of phases from its leaves to the root and lists every phase's result, children before parents
 * (ANALYZEPHASEHIERARCHY of algorithm 3). Composite bottlenecks and all issue rules are folds.
 */
export function foldPhases<R>(
  { root, groups }: Phases,
  { leaf, composite }: Fold<R>,
): readonly { readonly phase: number; readonly result: R }[] {
  const all: { phase: number; result: R }[] = [];
  // As deep as the execution model's specification, however many phases there are.
  const visit = (phase: number): R => {
    const own = groups[phase] ?? [];
    const result = own.length === 0 ? leaf(phase) : composite(phase, own.map(withResults));
    all.push({ phase, result });
    return result;
  };
  const withResults = ({ type, phases }: { type: number; phases: Uint32Array }): SubphaseGroup<R> => {
    const results: R[] = [];
    for (const phase of phases) results.push(visit(phase));
    return { type, phases, results };
  };
  visit(root);
  return all;
}

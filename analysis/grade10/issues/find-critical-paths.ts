import { at } from '../../../base/lists.ts';
import type { PhaseTypes } from '../model/phase-types.ts';
import { bottleneckedSlices, combine, type Issue, issueFinder, mergeByKey } from './issue-rule.ts';

/** What a type of metrics costs along the longest chain of subphases. */
interface PathCost {
  /** Metric type. */
  readonly source: number;
  /** Slices that removing the bottleneck could save at most. */
  readonly impact: number;
  readonly total: number;
}

/**
 * Resource bottlenecks as issues (algorithm 5): bottlenecked time per type of subphase, then the longest chain of types that
 * follow each other.
 */
export const findCriticalPaths = issueFinder<PathCost>({
  analyseLeaf: (phase, job) =>
    bottleneckedSlices(phase, job, (source, slices) => ({ source, impact: slices, total: slices })),

  analyseComposite(phase, groups, { model: { phases, phaseTypes } }) {
    /** Per source: the weight of each subphase type, and the sum of totals. */
    const sources = new Map<number, { readonly weights: number[]; total: number }>();
    for (const group of groups) {
      const merge = (same: readonly PathCost[]): PathCost => combine(same, at(phaseTypes.repeats, group.type));
      for (const { source, impact, total } of mergeByKey(group, (record) => record.source, merge)) {
        const found = sources.get(source) ?? { weights: [], total: 0 };
        found.weights[group.type] = impact;
        found.total += total;
        sources.set(source, found);
      }
    }
    const type = at(phases.type, phase);
    return Array.from(sources, ([source, { weights, total }]) => {
      return { source, impact: longestPath(type, weights, phaseTypes), total };
    });
  },

  extractIssues(phase, records) {
    const issues: Issue[] = [];
    for (const { source, impact, total } of records) {
      if (impact > 0) issues.push({ pass: 'critical-path', phase, source, impact, total });
    }
    return issues;
  },
});

/**
 * Longest path by weights of nodes over all child types of `type` (CONSTRUCTDAG); types without a weight count 0 but keep
 * those before and after them in order.
 */
function longestPath(type: number, weights: readonly (number | undefined)[], types: PhaseTypes): number {
  const reached: number[] = [];
  let longest = 0;
  for (const child of at(types.children, type)) {
    let before = 0;
    for (const predecessor of at(types.predecessors, child)) before = Math.max(before, at(reached, predecessor));
    const length = before + (weights[child] ?? 0);
    reached[child] = length;
    longest = Math.max(longest, length);
  }
  return longest;
}

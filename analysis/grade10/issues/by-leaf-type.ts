import { at } from '../../../base/lists.ts';
import { bottleneckedSlices, combine, type Issue, issueFinder, mergeByKey } from './issue-rule.ts';

/** What leaves of one type cost on one type of metrics. */
interface LeafCost {
  /** Type of the leaves. */
  readonly target: number;
  /** Metric type. */
  readonly source: number;
  readonly impact: number;
  readonly total: number;
}

/**
 * Which leaves, by type, are bottlenecked on what, and for how long: lines 9 to 23 of algorithm 5, kept apart per type of
 * leaf. It points at the code to change, where the critical path says what a change would bring.
 */
export const findBottlenecksByLeafType = issueFinder<LeafCost>({
  analyseLeaf(phase, job) {
    const target = at(job.model.phases.type, phase);
    return bottleneckedSlices(phase, job, (source, slices) => ({ target, source, impact: slices, total: slices }));
  },

  analyseComposite(_, groups, { model: { phaseTypes, resourceTypes } }) {
    const key = ({ target, source }: LeafCost): number => target * resourceTypes.metricTypes.count + source;
    return groups.flatMap((group) =>
      mergeByKey(group, key, (same) => combine(same, at(phaseTypes.repeats, group.type))),
    );
  },

  extractIssues(phase, records) {
    const issues: Issue[] = [];
    for (const { target, source, impact, total } of records) {
      if (impact > 0) issues.push({ pass: 'bottleneck', phase, target, source, impact, total });
    }
    return issues;
  },
});

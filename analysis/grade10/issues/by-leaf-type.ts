import { bottleneckedSlices, combine, gather, type Issue, issueFinder } from './issue-rule.ts';

interface Record {
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
export const findBottlenecksByLeafType = issueFinder<Record>({
  analyseLeaf(phase, findings) {
    const target = findings.model.phases.type[phase] ?? 0;
    return bottleneckedSlices(phase, findings, (source, slices) => ({ target, source, impact: slices, total: slices }));
  },

  analyseComposite(_, groups, { model: { phaseTypes, resourceTypes } }) {
    const records: Record[] = [];
    const key = ({ target, source }: Record): number => target * resourceTypes.metricTypes.count + source;
    for (const group of groups) {
      for (const same of gather(group, key)) {
        const { impact, total } = combine(same, phaseTypes.repeats[group.type]);
        records.push({ target: same[0]?.target ?? 0, source: same[0]?.source ?? 0, impact, total });
      }
    }
    return records;
  },

  extractIssues(phase, records) {
    const issues: Issue[] = [];
    for (const { target, source, impact, total } of records) {
      if (impact > 0) issues.push({ pass: 'bottleneck', phase, target, source, impact, total });
    }
    return issues;
  },
});

import { bottleneckedSlices, combinedImpact, gather, issueFinder } from './issue-rule.ts';

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
  analyseLeaf: (phase, findings) =>
    bottleneckedSlices(phase, findings).map(({ source, slices }) => ({
      target: findings.model.phases.type[phase] ?? 0,
      source,
      impact: slices,
      total: slices,
    })),

  analyseComposite: (_, groups, { model: { phaseTypes, resourceTypes } }) =>
    groups.flatMap((group) => {
      const key = ({ target, source }: Record): number => target * resourceTypes.metricTypes.count + source;
      return Array.from(gather(group, key).values(), (same) => ({
        target: same[0]?.target ?? 0,
        source: same[0]?.source ?? 0,
        impact: combinedImpact(
          same.map(({ impact }) => impact),
          phaseTypes.repeats[group.type],
        ),
        total: same.reduce((sum, { total }) => sum + total, 0),
      }));
    }),

  extractIssues: (phase, records) =>
    records.flatMap((record) => (record.impact > 0 ? [{ pass: 'bottleneck', phase, ...record }] : [])),
});

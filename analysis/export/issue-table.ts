import type { Issue } from '../grade10/index.ts';
import { createTable, type Table } from './table.ts';
import type { TableSource } from './table-source.ts';

/**
 * One row per issue, the largest impact first (ties in the order found). `pass` of a rule of your own is `custom:<rule>`;
 * `target` is a phase type, `source` a metric type, each empty where an issue has none; `percent_of_phase` is the impact's part
 * of the phase's length, NaN for a phase of no slices.
 */
export function issueTable({ analysis: { model, issues }, paths }: TableSource): Table {
  const { phases, phaseTypes, resourceTypes, timesliceNs } = model;
  return createTable(
    'issues',
    {
      rank: 'integer',
      pass: 'text',
      phase: 'text',
      target: 'text',
      source: 'text',
      impact_slices: 'real',
      impact_seconds: 'real',
      percent_of_phase: 'real',
    },
    issues
      .toSorted((a, b) => b.impact - a.impact)
      .map((issue, index) => {
        const length = phases.length[issue.phase] ?? 0;
        return {
          rank: index + 1,
          pass: issue.pass === 'custom' ? `custom:${issue.rule}` : issue.pass,
          phase: paths[issue.phase] ?? '',
          target: phaseTypes.paths[targetOf(issue)] ?? '',
          source: resourceTypes.metricTypes.paths[sourceOf(issue)] ?? '',
          impact_slices: issue.impact,
          impact_seconds: (issue.impact * timesliceNs) / 1e9,
          percent_of_phase: length === 0 ? Number.NaN : (100 * issue.impact) / length,
        };
      }),
  );
}

function targetOf(issue: Issue): number {
  return 'target' in issue ? (issue.target ?? -1) : -1;
}

function sourceOf(issue: Issue): number {
  return 'source' in issue ? (issue.source ?? -1) : -1;
}

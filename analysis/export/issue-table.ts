import { at } from '../../base/index.ts';
import { typesOf } from '../grade10/index.ts';
import { createTable, type Table, type TableSource } from './table.ts';

/**
 * One row per issue, the largest impact first (ties in the order found). `pass` of a rule of your own is `custom:<rule>`;
 * `target` is a phase type, `source` a metric type, each empty where an issue has none; `percent_of_phase` is the impact's part
 * of the phase's length, NaN for a phase of no slices.
 */
export function issueTable({ analysis: { model, issues }, paths }: TableSource): Table {
  const { phases, timesliceNs } = model;
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
        const length = at(phases.length, issue.phase);
        return {
          rank: index + 1,
          pass: issue.pass === 'custom' ? `custom:${issue.rule}` : issue.pass,
          phase: at(paths, issue.phase),
          ...typesOf(issue, { model }),
          impact_slices: issue.impact,
          impact_seconds: (issue.impact * timesliceNs) / 1e9,
          percent_of_phase: length === 0 ? Number.NaN : (100 * issue.impact) / length,
        };
      }),
  );
}

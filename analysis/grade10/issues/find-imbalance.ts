import { at } from '../../../base/lists.ts';
import { type Issue, issueFinder, mergeByKey } from './issue-rule.ts';

/** Slices that all phases of one type under a phase take, and would take. */
interface Makespan {
  readonly type: number;
  readonly count: number;
  readonly actual: number;
  readonly optimal: number;
}

/**
 * Phase imbalance (algorithm 4): concurrent phases take as long as the longest and would take the mean if their work were
 * spread evenly; phases in sequence take their sum either way.
 */
export const findImbalance = issueFinder<Makespan>({
  analyseLeaf: (phase, { model: { phases } }) => [own(phase, phases)],

  analyseComposite(phase, groups, { model: { phases, phaseTypes } }) {
    const records = [own(phase, phases)];
    for (const group of groups) {
      const sequential = phaseTypes.repeats[group.type] === 'sequential';
      const merge = (same: readonly Makespan[]): Makespan => merged(same, sequential);
      for (const record of mergeByKey(group, ({ type }) => type, merge)) records.push(record);
    }
    return records;
  },

  extractIssues(phase, records) {
    const issues: Issue[] = [];
    for (const { type: target, count, actual, optimal } of records) {
      if (actual <= optimal) continue;
      issues.push({ pass: 'imbalance', phase, target, impact: actual - optimal, count, actual, optimal });
    }
    return issues;
  },
});

function own(phase: number, { type, length }: { readonly type: Uint32Array; readonly length: Int32Array }): Makespan {
  const slices = at(length, phase);
  return { type: at(type, phase), count: 1, actual: slices, optimal: slices };
}

function merged(records: readonly Makespan[], sequential: boolean): Makespan {
  const [type, parts] = [at(records, 0).type, records.length];
  let [count, longest, actual, optimal] = [0, 0, 0, 0];
  for (const record of records) {
    count += record.count;
    longest = Math.max(longest, record.actual);
    actual += record.actual;
    optimal += record.optimal;
  }
  return sequential ? { type, count, actual, optimal } : { type, count, actual: longest, optimal: optimal / parts };
}

import type { Model } from '../model/create-model.ts';
import type { FindStates, Judge } from './composites.ts';
import { NO_BOTTLENECK } from './leaves.ts';
import type { SubphasePredicate, SubphaseState } from './predicates.ts';

/** Decides slice by slice with all subphases at hand. */
export function judgeBySubphases({ holds }: SubphasePredicate, { phases }: Model, find: FindStates): Judge {
  return ({ phase, metricType, groups, states, flags }) => {
    const first = phases.first[phase] ?? 0;
    const members = groups.flatMap(({ type, phases: rows }) =>
      Array.from(rows, (row) => {
        const offset = (phases.first[row] ?? 0) - first;
        return { phase: row, type, from: find(row, metricType), offset, end: offset + (phases.length[row] ?? 0) };
      }).filter(({ from }) => from >= 0),
    );
    for (let slice = 0; slice < flags.length; slice += 1) {
      const pairs: SubphaseState[] = [];
      for (const { phase: row, type, from, offset, end } of members) {
        if (slice < offset || slice >= end) continue;
        pairs.push({ phase: row, type, bottlenecked: states[from + slice - offset] !== NO_BOTTLENECK });
      }
      if (pairs.length > 0 && holds(pairs, { phase, metricType, slice: first + slice })) flags[slice] = 1;
    }
  };
}

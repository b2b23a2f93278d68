import type { Model } from '../model/create-model.ts';
import type { Judge, States } from './composites.ts';
import { NO_BOTTLENECK } from './leaves.ts';
import type { SubphasePredicate, SubphaseState } from './predicates.ts';

/** Decides slice by slice with all subphases at hand. */
export function judgeBySubphases({ holds }: SubphasePredicate, { phases }: Model, { states, find }: States): Judge {
  return ({ phase, metricType, groups }) => {
    const at = find(phase, metricType);
    const length = phases.length[phase] ?? 0;
    let marked = 0;
    const first = phases.first[phase] ?? 0;
    const members = groups.flatMap(({ type, phases: rows }) =>
      Array.from(rows, (row) => {
        const offset = (phases.first[row] ?? 0) - first;
        return { phase: row, type, from: find(row, metricType), offset, end: offset + (phases.length[row] ?? 0) };
      }).filter(({ from }) => from >= 0),
    );
    for (let slice = 0; slice < length; slice += 1) {
      const pairs: SubphaseState[] = [];
      for (const { phase: row, type, from, offset, end } of members) {
        if (slice < offset || slice >= end) continue;
        pairs.push({ phase: row, type, bottlenecked: states[from + slice - offset] !== NO_BOTTLENECK });
      }
      if (pairs.length === 0 || !holds(pairs, { phase, metricType, slice: first + slice })) continue;
      states[at + slice] = 1;
      marked += 1;
    }
    return marked;
  };
}

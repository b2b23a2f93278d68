import { at } from '../../../base/lists.ts';
import type { Model } from '../model/create-model.ts';
import { NO_BOTTLENECK } from './leaves.ts';
import type { SubphasePredicate, SubphaseState } from './predicates.ts';
import type { Judge, States } from './states.ts';

/** Decides slice by slice with all subphases at hand. */
export function judgeBySubphases({ holds }: SubphasePredicate, { phases }: Model, { states, find }: States): Judge {
  return ({ phase, metricType, groups }) => {
    const own = find(phase, metricType);
    const length = at(phases.length, phase);
    let marked = 0;
    const first = at(phases.first, phase);
    const members = groups.flatMap(({ type, phases: rows }) =>
      Array.from(rows, (row) => {
        const offset = at(phases.first, row) - first;
        return { phase: row, type, from: find(row, metricType), offset, end: offset + at(phases.length, row) };
      }).filter(({ from }) => from >= 0),
    );
    for (let slice = 0; slice < length; slice += 1) {
      const pairs: SubphaseState[] = [];
      for (const { phase: row, type, from, offset, end } of members) {
        if (slice < offset || slice >= end) continue;
        pairs.push({ phase: row, type, bottlenecked: states[from + slice - offset] !== NO_BOTTLENECK });
      }
      if (pairs.length === 0 || !holds(pairs, { phase, metricType, slice: first + slice })) continue;
      states[own + slice] = 1;
      marked += 1;
    }
    return marked;
  };
}

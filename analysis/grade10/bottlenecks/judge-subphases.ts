import type { Judge } from './composites.ts';
import { NO_BOTTLENECK } from './leaves.ts';
import type { SubphasePredicate, SubphaseState } from './predicates.ts';

/** Decides slice by slice with all subphases at hand. */
export function judgeBySubphases({ holds }: SubphasePredicate): Judge {
  return ({ phase, metricType, first, groups, flags }) => {
    const all = groups.flatMap(({ type, members }) => members.map((member) => ({ ...member, type })));
    for (let slice = 0; slice < flags.length; slice += 1) {
      const alive = all.filter(({ offset, length }) => slice >= offset && slice < offset + length);
      const pairs = alive.map(
        (one): SubphaseState => ({
          phase: one.phase,
          type: one.type,
          bottlenecked: one.states[one.from + slice - one.offset] !== NO_BOTTLENECK,
        }),
      );
      if (pairs.length > 0 && holds(pairs, { phase, metricType, slice: first + slice })) flags[slice] = 1;
    }
  };
}

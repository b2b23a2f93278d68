import type { Model } from '../model/create-model.ts';
import type { FindStates, Judge } from './composites.ts';
import { NO_BOTTLENECK } from './leaves.ts';
import type { CountPredicate } from './predicates.ts';

/** Decides by how many subphases are bottlenecked in each slice. */
export function judgeByCounts({ holds, per }: CountPredicate, { phases, sliceCount }: Model, find: FindStates): Judge {
  const changes = { bottlenecked: new Int32Array(sliceCount + 1), defined: new Int32Array(sliceCount + 1) };
  return ({ phase, metricType, groups, states, flags }) => {
    const first = phases.first[phase] ?? 0;
    let pending = false;
    for (const { phases: members } of groups) {
      for (const member of members) {
        const from = find(member, metricType);
        if (from < 0) continue;
        pending = true;
        const offset = (phases.first[member] ?? 0) - first;
        count(states, { from, offset, length: phases.length[member] ?? 0 }, changes);
      }
      if (per === 'phase' || !pending) continue;
      settle(changes, holds, flags);
      pending = false;
    }
    if (pending) settle(changes, holds, flags);
  };
}

/**
 * By how much the number of bottlenecked subphases, and of all whose state is defined, differs from the slice before. States
 * mostly stay the same from slice to slice, so there is little to write.
 */
interface Changes {
  readonly bottlenecked: Int32Array;
  readonly defined: Int32Array;
}

function count(
  states: Uint8Array,
  { from, offset, length }: { readonly from: number; readonly offset: number; readonly length: number },
  { bottlenecked, defined }: Changes,
): void {
  const end = offset + length;
  defined[offset] = (defined[offset] ?? 0) + 1;
  defined[end] = (defined[end] ?? 0) - 1;
  let before = false;
  for (let slice = 0; slice < length; slice += 1) {
    const now = states[from + slice] !== NO_BOTTLENECK;
    if (now === before) continue;
    const at = offset + slice;
    bottlenecked[at] = (bottlenecked[at] ?? 0) + (now ? 1 : -1);
    before = now;
  }
  if (before) bottlenecked[end] = (bottlenecked[end] ?? 0) - 1;
}

/** Flags the slices for which the predicate holds and leaves the changes at 0. */
function settle({ bottlenecked, defined }: Changes, holds: CountPredicate['holds'], flags: Uint8Array): void {
  let part = 0;
  let whole = 0;
  let flagged = false;
  for (let slice = 0; slice < flags.length; slice += 1) {
    const morePart = bottlenecked[slice] ?? 0;
    const moreWhole = defined[slice] ?? 0;
    if (morePart !== 0 || moreWhole !== 0) {
      part += morePart;
      whole += moreWhole;
      flagged = whole > 0 && holds(part, whole);
      bottlenecked[slice] = 0;
      defined[slice] = 0;
    }
    if (flagged) flags[slice] = 1;
  }
  bottlenecked[flags.length] = 0;
  defined[flags.length] = 0;
}

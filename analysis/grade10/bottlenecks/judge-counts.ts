import { at } from '../../../base/lists.ts';
import type { Model } from '../model/create-model.ts';
import { NO_BOTTLENECK } from './leaves.ts';
import type { CountPredicate } from './predicates.ts';
import type { Judge, States } from './states.ts';

/** Decides by how many subphases are bottlenecked in each slice. */
export function judgeByCounts(
  { holds, per }: CountPredicate,
  { phases, sliceCount }: Model,
  { states, slices, find, findSlices }: States,
): Judge {
  const changes = { bottlenecked: new Int32Array(sliceCount + 1), defined: new Int32Array(sliceCount + 1) };
  return ({ phase, metricType, groups }) => {
    const first = at(phases.first, phase);
    const flags = { states, from: find(phase, metricType), length: at(phases.length, phase) };
    let pending = false;
    let marked = 0;
    for (const { phases: members } of groups) {
      for (const member of members) {
        const from = find(member, metricType);
        if (from < 0) continue;
        pending = true;
        const offset = at(phases.first, member) - first;
        const length = at(phases.length, member);
        add(changes.defined, offset, offset + length);
        const inside = at(slices, findSlices(member, metricType));
        if (inside === length) add(changes.bottlenecked, offset, offset + length);
        else if (inside > 0) addMarked(changes.bottlenecked, { states, from, offset, length });
      }
      if (per === 'phase' || !pending) continue;
      marked += settle(changes, holds, flags);
      pending = false;
    }
    return pending ? settle(changes, holds, flags) : marked;
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

function add(changes: Int32Array, from: number, end: number): void {
  changes[from] = at(changes, from) + 1;
  changes[end] = at(changes, end) - 1;
}

function addMarked(
  changes: Int32Array,
  { states, from, offset, length }: StateStretch & { readonly offset: number },
): void {
  let start = -1;
  for (let slice = 0; slice < length; slice += 1) {
    const marked = states[from + slice] !== NO_BOTTLENECK;
    if (marked === start >= 0) continue;
    if (!marked) add(changes, offset + start, offset + slice);
    start = marked ? slice : -1;
  }
  if (start >= 0) add(changes, offset + start, offset + length);
}

interface StateStretch {
  readonly states: Uint8Array;
  readonly from: number;
  readonly length: number;
}

/** Marks the slices for which the predicate holds, returns how many it newly marked, and leaves the changes at 0. */
function settle(
  { bottlenecked, defined }: Changes,
  holds: CountPredicate['holds'],
  { states, from, length }: StateStretch,
): number {
  let part = 0;
  let whole = 0;
  let flagged = false;
  let marked = 0;
  // Over slices, and so indexed directly (see `at`).
  for (let slice = 0; slice < length; slice += 1) {
    const morePart = bottlenecked[slice] ?? 0;
    const moreWhole = defined[slice] ?? 0;
    if (morePart !== 0 || moreWhole !== 0) {
      part += morePart;
      whole += moreWhole;
      flagged = whole > 0 && holds(part, whole);
      bottlenecked[slice] = 0;
      defined[slice] = 0;
    }
    if (!flagged || states[from + slice] !== NO_BOTTLENECK) continue;
    states[from + slice] = 1;
    marked += 1;
  }
  bottlenecked[length] = 0;
  defined[length] = 0;
  return marked;
}

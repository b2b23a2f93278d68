import type { Judge, Member } from './composites.ts';
import { NO_BOTTLENECK } from './leaves.ts';
import type { CountPredicate } from './predicates.ts';

/** Decides by how many subphases are bottlenecked in each slice; `sliceCount` is the most that a phase can have. */
export function judgeByCounts({ holds, per }: CountPredicate, sliceCount: number): Judge {
  const tally = { bottlenecked: new Uint32Array(sliceCount), defined: new Uint32Array(sliceCount) };
  return ({ groups, flags }) => {
    clear(tally, flags.length);
    for (const { members } of groups) {
      if (members.length === 0) continue;
      for (const member of members) count(member, tally.bottlenecked, tally.defined);
      if (per === 'phase') continue;
      settle(tally, holds, flags);
      clear(tally, flags.length);
    }
    if (per === 'phase') settle(tally, holds, flags);
  };
}

interface Tally {
  readonly bottlenecked: Uint32Array;
  readonly defined: Uint32Array;
}

function clear({ bottlenecked, defined }: Tally, length: number): void {
  bottlenecked.fill(0, 0, length);
  defined.fill(0, 0, length);
}

function count({ states, from, offset, length }: Member, bottlenecked: Uint32Array, defined: Uint32Array): void {
  const shift = from - offset;
  for (let slice = offset; slice < offset + length; slice += 1) {
    defined[slice] = (defined[slice] ?? 0) + 1;
    if (states[shift + slice] !== NO_BOTTLENECK) bottlenecked[slice] = (bottlenecked[slice] ?? 0) + 1;
  }
}

/** Flags the slices for which the predicate holds; neighbouring slices mostly agree, so it is asked once per run. */
function settle({ bottlenecked, defined }: Tally, holds: CountPredicate['holds'], flags: Uint8Array): void {
  let lastPart = 0;
  let lastWhole = 0;
  let last = false;
  for (let slice = 0; slice < flags.length; slice += 1) {
    const part = bottlenecked[slice] ?? 0;
    const whole = defined[slice] ?? 0;
    if (part !== lastPart || whole !== lastWhole) {
      lastPart = part;
      lastWhole = whole;
      last = whole > 0 && holds(part, whole);
    }
    if (last) flags[slice] = 1;
  }
}

import { at } from '../../../base/lists.ts';
import { idleShare, type RankPhases } from './rank-phases.ts';
import type { Factors } from './what-if-keys.ts';

export interface Leaving {
  readonly factors: Factors;
  /** Of a transfer in this phase that lasts so many ns, the part that its bytes need at the link's rate; NaN if not known. */
  readonly onLinkNs: (phase: number, ns: number) => number;
  /** When a phase begins after the changes. */
  readonly startOf: (phase: number) => number;
}

/**
 * When a rank leaves a phase after changes: work when it is done; an exchange when the rank has done its own work up to the entry of the
 * last of its group, when that one has entered, and then after its own transfer and work.
 */
export function leavePhase(phases: RankPhases, place: number, { factors, onLinkNs, startOf }: Leaving): number {
  const { rank, kind, groups, startNs, endNs, asleepNs, meeting, partners, ranks } = phases;
  const own = at(kind, place);
  const [start, end] = [at(startNs, place), at(endNs, place)];
  const members = groups[own]?.[at(rank, place)];
  const idle = idleShare(phases, place);
  const work = at(factors.work, own) * (1 - idle) + at(factors.idle, own) * idle;
  if (members === undefined) return startOf(place) + (end - start) * work;
  // Who entered after this end cannot have held it up.
  let [last, entry] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const other of members) {
    const partner = at(partners, at(meeting, place) * ranks + other);
    if (partner < 0 || partner === place || at(startNs, partner) >= end) continue;
    last = Math.max(last, at(startNs, partner));
    entry = Math.max(entry, startOf(partner));
  }
  const asleep = at(asleepNs, place);
  const waited = last > start && (Number.isNaN(asleep) || asleep > 0);
  const since = waited ? last : start;
  // It sleeps as soon as it has nothing to do but to wait for the last one; what sleep is left, messages travelled in.
  const waiting = Number.isNaN(asleep) ? since - start : Math.min(asleep, since - start);
  const slept = Number.isNaN(asleep) ? 0 : Math.min(asleep - waiting, end - since);
  const linked = factors.link === 1 ? 0 : onLinkNs(place, slept);
  const travels = (slept + (Number.isNaN(linked) ? 0 : linked) * (factors.link - 1)) * at(factors.transfer, own);
  const after = travels + (end - since - slept) * work;
  // Its own work before the last one entered goes on whether or not that one is early.
  const ready = startOf(place) + (since - start - waiting) * work;
  // Who never slept though others came later took nothing from them; all others go on when the last one has entered.
  return waited || last <= start ? Math.max(ready, entry) + after : Math.max(ready + after, entry);
}

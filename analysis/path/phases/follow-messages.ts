// The critical path of each search where its messages were recorded: back from the end, and from the end of each wait over the
// message that ended it to the rank that sent it (Sager, ETH 2016, algorithm 1 with the preferences of section 5.3.1).
import { at } from '../../../base/lists.ts';
import { extent, lastBefore, outsidePhases, type RankStep, type SearchPath } from './follow-back.ts';
import { lastToEnter } from './groups.ts';
import { IDLE, TRANSFER, WORK } from './least-transfer.ts';
import { type MeasuredMessages, messageTimes } from './message-times.ts';
import type { Links } from './message-waits.ts';
import type { RankMessages } from './rank-messages.ts';
import { idleShare, type RankPhases } from './rank-phases.ts';

/** The paths of all searches. */
export function recordedPaths(phases: RankPhases, messages: RankMessages, links: Links): readonly SearchPath[] {
  const recorded = kindsWithMessages(phases, messages);
  const measured = messageTimes(phases, messages, links);
  return phases.searches.map((_, search) => followMessages(phases, search, { messages, recorded, measured }));
}

/** For each kind of phase whether messages were recorded in one; of collectives there are none. */
export function kindsWithMessages(phases: RankPhases, { first, seenNs }: RankMessages): readonly boolean[] {
  const found = phases.kinds.map(() => false);
  for (let place = 0; place < phases.rank.length; place += 1) {
    const own = at(phases.kind, place);
    const rank = at(phases.rank, place);
    if (found[own] || at(phases.kinds, own).group === null) continue;
    const last = lastSeen({ first, seenNs }, { rank, time: at(phases.endNs, place) });
    found[own] = last >= 0 && at(seenNs, last) > at(phases.startNs, place);
  }
  return found;
}

interface Following {
  readonly messages: RankMessages;
  readonly recorded: readonly boolean[];
  readonly measured: MeasuredMessages;
}

/**
 * The critical path of the search at a place of `searches`. In an exchange without recorded messages (a collective) the path goes over
 * to the rank of its group that entered last. What a rank lacked a processor in its work is `idle`.
 */
function followMessages(
  phases: RankPhases,
  search: number,
  { messages, recorded, measured: { times, idleShare: measuredIdle } }: Following,
): SearchPath {
  const { ranks, first, kinds, groups, kind, startNs, asleepNs, meeting, partners } = phases;
  const { rank: ends, startNs: earliest, endNs: latest } = extent(phases, search);
  const path: RankStep[] = [];
  const used = new Set<number>();
  let [rank, time, hops] = [ends, latest, 0];
  const add = (from: number, key: string, more: Partial<RankStep> = {}): void => {
    if (from < time) path.push({ rank, startNs: from, endNs: time, key, phase: -1, hop: -1, ...more });
    time = Math.min(time, from);
  };
  const go = (to: number): void => {
    if (to !== rank) hops += 1;
    rank = to;
  };
  /** Where no time of it is left, the step that it led to says where it came from. */
  const transfer = (from: number, name: string, more: Pick<RankStep, 'phase' | 'hop'> & Partial<RankStep>): void => {
    const led = path.length - 1;
    const after = path[led];
    add(from, name + TRANSFER, more);
    const { phase: _, ...way } = more;
    if (path.length === led + 1 && after !== undefined && after.hop < 0 && way.hop >= 0)
      path[led] = { ...after, ...way };
  };
  /** Backwards: what a rank had no processor for comes last. */
  const work = (place: number, from: number): void => {
    const own = at(kind, place);
    const { name, group } = at(kinds, own);
    const share = group === null || recorded[own] ? measuredIdle(place) : idleShare(phases, place);
    const idle = Math.round(share * Math.max(0, time - from));
    add(time - idle, name + IDLE, { phase: place });
    add(from, group === null ? name : name + WORK, { phase: place });
  };
  while (time > earliest) {
    const place = lastBefore(phases, { from: at(first, search * ranks + rank), time, search, rank });
    const outside = outsidePhases(phases, place, { time, earliest });
    if (outside !== null) {
      add(outside.from, outside.key);
      continue;
    }
    const own = at(kind, place);
    const members = groups[own]?.[rank];
    const [start, { name }] = [at(startNs, place), at(kinds, own)];
    const phaseOf = (other: number): number => at(partners, at(meeting, place) * ranks + other);
    if (members === undefined) {
      work(place, start);
      continue;
    }
    if (!recorded[own]) {
      const entryOf = (other: number): number =>
        phaseOf(other) < 0 ? Number.NEGATIVE_INFINITY : at(startNs, phaseOf(other));
      const last = lastToEnter(members, { own: rank, entryOf });
      const follows = entryOf(last) > start && entryOf(last) < time;
      const from = follows ? entryOf(last) : start;
      work(place, Math.min(time, from + (at(asleepNs, place) || 0)));
      transfer(from, name, { phase: place, hop: follows ? phaseOf(last) : -1 });
      if (follows) go(last);
      continue;
    }
    const wait = lastWait(messages, {
      rank,
      start,
      time,
      isOver: (one) => times.endsWait[one] === 1 && !used.has(one),
    });
    if (wait < 0) {
      work(place, start);
      continue;
    }
    used.add(wait);
    work(place, at(messages.seenNs, wait));
    const peer = at(messages.peer, wait);
    const isOwn = at(messages.isOwn, wait) === 1;
    // A buffer is not free before its receiver is there; a receiver that was there has nothing to do with it.
    const entry = at(times.entry, wait);
    const follows = !isOwn || entry >= 0;
    const from = Math.max(earliest, at(times.fromNs, wait));
    const partner = phaseOf(peer);
    add(Math.max(from, time - at(times.idleNs, wait)), name + IDLE, { phase: place });
    const left = Math.min(time, from + at(times.heldNs, wait));
    transfer(left, name, { phase: place, bytes: at(messages.bytes, wait), hop: follows ? partner : -1 });
    if (follows) go(peer);
    add(from, name + IDLE, { phase: follows ? partner : place });
  }
  return { root: at(phases.searches, search), startNs: earliest, endNs: latest, hops, path: path.reverse() };
}

/** The last of the rank's waits in a phase that was over by a time; -1 if there is none. */
function lastWait(
  messages: RankMessages,
  {
    rank,
    start,
    time,
    isOver,
  }: {
    readonly rank: number;
    readonly start: number;
    readonly time: number;
    readonly isOver: (wait: number) => boolean;
  },
): number {
  const { first, seenNs } = messages;
  for (let wait = lastSeen(messages, { rank, time }); wait >= at(first, rank); wait -= 1) {
    if (at(seenNs, wait) <= start) break;
    if (isOver(wait)) return wait;
  }
  return -1;
}

/** What the rank saw last by a time; before its first one where it saw nothing. */
function lastSeen(
  { first, seenNs }: Pick<RankMessages, 'first' | 'seenNs'>,
  { rank, time }: { readonly rank: number; readonly time: number },
): number {
  let [low, high] = [at(first, rank), at(first, rank + 1)];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (at(seenNs, middle) <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

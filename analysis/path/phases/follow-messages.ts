// The critical path of each search where its messages were recorded: back from the end, and from the end of each wait over the
// message that ended it to the rank that sent it (Sager, ETH 2016, algorithm 1 with the preferences of section 5.3.1).
import { at } from '../../../base/index.ts';
import { extent, lastBefore, outsidePhases, type RankStep, type SearchPath } from './follow-back.ts';
import { lastToEnter } from './groups.ts';
import { IDLE, TRANSFER, WORK } from './least-transfer.ts';
import type { RankMessages } from './rank-messages.ts';
import { idleShare, type RankPhases } from './rank-phases.ts';

/** The paths of all searches. */
export function recordedPaths(phases: RankPhases, messages: RankMessages): readonly SearchPath[] {
  const recorded = kindsWithMessages(phases, messages);
  return phases.searches.map((_, search) => followMessages(phases, search, { messages, recorded }));
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
}

/**
 * The critical path of the search at a place of `searches`. In an exchange without recorded messages (a collective) the path goes over
 * to the rank of its group that entered last. What a rank lacked a processor in its work is `idle`.
 */
function followMessages(phases: RankPhases, search: number, { messages, recorded }: Following): SearchPath {
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
    const { name, group } = at(kinds, at(kind, place));
    const idle = Math.round(idleShare(phases, place) * Math.max(0, time - from));
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
    const wait = lastWait(messages, { rank, start, time, used });
    if (wait < 0) {
      work(place, start);
      continue;
    }
    used.add(wait);
    work(place, at(messages.seenNs, wait));
    const peer = at(messages.peer, wait);
    const isOwn = at(messages.isOwn, wait) === 1;
    const handed = Math.max(earliest, at(messages.handedNs, wait));
    const partner = phaseOf(peer);
    const entry = partner < 0 ? Number.NEGATIVE_INFINITY : at(startNs, partner);
    // A buffer is not free before its receiver is there; a receiver that was there has nothing to do with it.
    const follows = !isOwn || (entry > handed && entry < time);
    const from = isOwn && follows ? entry : handed;
    add(Math.max(from, time - at(messages.idleNs, wait)), name + IDLE, { phase: place });
    const left = isOwn ? from : Math.min(time, from + at(messages.senderIdleNs, wait));
    transfer(left, name, { phase: place, bytes: at(messages.bytes, wait), hop: follows ? partner : -1 });
    if (follows) go(peer);
    add(from, name + IDLE, { phase: partner });
  }
  return { root: at(phases.searches, search), startNs: earliest, endNs: latest, hops, path: path.reverse() };
}

/**
 * The rank's last wait of a phase that was over by a time and is not on the path yet; -1 if there is none. A tie goes to what came from
 * another rank, then to the message sent last, then to the lowest rank.
 */
function lastWait(
  messages: RankMessages,
  {
    rank,
    start,
    time,
    used,
  }: { readonly rank: number; readonly start: number; readonly time: number; readonly used: ReadonlySet<number> },
): number {
  const { first, seenNs, handedNs, isOwn, peer } = messages;
  let found = -1;
  for (let wait = lastSeen(messages, { rank, time }); wait >= at(first, rank); wait -= 1) {
    if (at(seenNs, wait) <= start || (found >= 0 && at(seenNs, wait) < at(seenNs, found))) break;
    // Where waits were not measured, whatever came is taken to have been waited for.
    if (used.has(wait) || at(messages.waitedNs, wait) === 0) continue;
    const isBetter =
      found < 0
        ? 1
        : at(isOwn, found) - at(isOwn, wait) ||
          at(handedNs, wait) - at(handedNs, found) ||
          at(peer, found) - at(peer, wait);
    if (isBetter > 0) found = wait;
  }
  return found;
}

/** The rank's last wait that was over by a time; before its first one where none was. */
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

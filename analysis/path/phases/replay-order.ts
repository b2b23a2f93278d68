// What happened in a search, in an order in which everything comes after what it hangs on: phases begin and end, ranks hand
// messages over and see that what they waited for has come.
import { at } from '../../../base/lists.ts';
import type { RankMessages } from './rank-messages.ts';
import type { RankPhases } from './rank-phases.ts';

/** What happens: a phase begins or ends, a message is handed over or seen. */
export const [START, END, HAND, SEE] = [0, 1, 2, 3];

/** Instants of ranks, one entry each in every column. */
export interface Happenings {
  readonly what: Uint8Array;
  readonly rank: Int32Array;
  readonly timeNs: Float64Array;
  /** The phase that begins or ends; the place of the message in `RankMessages`. */
  readonly of: Int32Array;
  /** The phase in which it happens; -1 between phases. */
  readonly phase: Int32Array;
}

/** For each rank the messages to others that it handed over, in that order. */
export function handedBy({ ranks }: RankPhases, { peer, isOwn, handedNs }: RankMessages): readonly Uint32Array[] {
  const lists = Array.from({ length: ranks }, () => [] as number[]);
  for (let message = 0; message < peer.length; message += 1) {
    if (isOwn[message] === 0) lists[at(peer, message)]?.push(message);
  }
  return lists.map((list) => Uint32Array.from(list).sort((a, b) => at(handedNs, a) - at(handedNs, b) || a - b));
}

/** All of one search by time; of what happens at one instant, first what others hang on. `handed` is that of `handedBy`. */
export function replayOrder(
  phases: RankPhases,
  search: number,
  { messages, handed }: { readonly messages: RankMessages; readonly handed: readonly Uint32Array[] },
): Happenings {
  const { ranks } = phases;
  const ends = new Uint32Array(ranks);
  const windows = handed.map((list, rank) => windowOf(phases, search * ranks + rank, { rank, messages, handed: list }));
  const lines = noHappenings(windows.reduce((sum, { most }) => sum + most, 0));
  let count = 0;
  const next = Uint32Array.from(windows, (window, rank) => {
    const from = count;
    count = addLine(lines, from, { phases, messages, rank, handed: at(handed, rank), window });
    ends[rank] = count;
    return from;
  });
  const order = noHappenings(count);
  const handsThere = new Set<number>();
  for (let index = 0; index < count; index += 1) {
    if (lines.what[index] === HAND) handsThere.add(lines.of[index] as number);
  }
  const headOf = (rank: number): number =>
    (next[rank] as number) < (ends[rank] as number)
      ? (lines.timeNs[next[rank] as number] as number)
      : Number.POSITIVE_INFINITY;
  const heads = Float64Array.from(next, (_, rank) => headOf(rank));
  for (let place = 0; place < count; place += 1) {
    let best = -1;
    let least = Number.POSITIVE_INFINITY;
    for (let rank = 0; rank < ranks; rank += 1) {
      const time = heads[rank] as number;
      if (time > least || time === Number.POSITIVE_INFINITY) continue;
      // Who sees a message at the instant in which it is handed over comes after that.
      if (time === least && isBlocked(lines, next[rank] as number, handsThere)) continue;
      best = rank;
      least = time;
    }
    const index = next[best] as number;
    const what = lines.what[index] as number;
    const of = lines.of[index] as number;
    if (what === HAND) handsThere.delete(of);
    order.what[place] = what;
    order.rank[place] = best;
    order.timeNs[place] = least;
    order.of[place] = of;
    order.phase[place] = lines.phase[index] as number;
    next[best] = index + 1;
    heads[best] = headOf(best);
  }
  return order;
}

function isBlocked({ what, of }: Happenings, index: number, handsThere: ReadonlySet<number>): boolean {
  return what[index] === SEE && handsThere.has(of[index] as number);
}

function noHappenings(count: number): Happenings {
  return {
    what: new Uint8Array(count),
    rank: new Int32Array(count),
    timeNs: new Float64Array(count),
    of: new Int32Array(count),
    phase: new Int32Array(count),
  };
}

/** Phases of a rank in a search, the messages that it saw and those that it handed over (by place in `handed`) between their ends. */
interface Window {
  readonly phases: readonly [from: number, to: number];
  readonly seen: readonly [from: number, to: number];
  readonly handed: readonly [from: number, to: number];
  /** At most so many things happen. */
  readonly most: number;
}

interface Rank {
  readonly rank: number;
  readonly messages: RankMessages;
  readonly handed: Uint32Array;
}

function windowOf({ first, startNs, endNs }: RankPhases, line: number, { rank, messages, handed }: Rank): Window {
  const phases = [at(first, line), at(first, line + 1)] as const;
  const [from, to] = phases;
  if (from === to) return { phases, seen: [0, 0], handed: [0, 0], most: 0 };
  const [begins, ends] = [at(startNs, from), at(endNs, to - 1)];
  const { seenNs, handedNs } = messages;
  const [firstSeen, afterSeen] = [at(messages.first, rank), at(messages.first, rank + 1)];
  const seenAfter = (ns: number): number =>
    firstAfter((index) => (seenNs[firstSeen + index] as number) > ns, afterSeen - firstSeen) + firstSeen;
  const timeOf = (index: number): number => handedNs[handed[index] as number] as number;
  const seen = [seenAfter(begins), seenAfter(ends)] as const;
  const given = [
    firstAfter((index) => timeOf(index) >= begins, handed.length),
    firstAfter((index) => timeOf(index) > ends, handed.length),
  ] as const;
  const count = ([low, high]: readonly [number, number]): number => Math.max(0, high - low);
  return { phases, seen, handed: given, most: 2 * (to - from) + count(seen) + count(given) };
}

/**
 * Puts down what one rank does in a search, from a place on; returns the place after it. A message that it sees as a phase ends came in
 * it; one that it hands over belongs to the phase that has begun.
 */
function addLine(
  into: Happenings,
  from: number,
  {
    phases: { startNs, endNs },
    messages: { seenNs, handedNs },
    rank,
    handed,
    window,
  }: { readonly phases: RankPhases; readonly window: Window } & Rank,
): number {
  let place = from;
  let [see, hand] = [window.seen[0], window.handed[0]];
  const [lastSee, lastHand] = [window.seen[1], window.handed[1]];
  const put = (what: number, timeNs: number, of: number, phase: number): void => {
    into.what[place] = what;
    into.rank[place] = rank;
    into.timeNs[place] = timeNs;
    into.of[place] = of;
    into.phase[place] = phase;
    place += 1;
  };
  const none = Number.POSITIVE_INFINITY;
  /** Messages up to a time; `withHands`: also those handed over at it. Of one instant, what it saw comes first. */
  const upTo = (time: number, withHands: boolean, phase: number): void => {
    for (;;) {
      const seen = see < lastSee ? (seenNs[see] as number) : none;
      const given = hand < lastHand ? (handedNs[handed[hand] as number] as number) : none;
      if (seen <= given && seen <= time) {
        put(SEE, seen, see, phase);
        see += 1;
      } else if (given < time || (given === time && withHands)) {
        put(HAND, given, handed[hand] as number, phase);
        hand += 1;
      } else return;
    }
  };
  const [first, after] = window.phases;
  for (let phase = first; phase < after; phase += 1) {
    const [start, end] = [startNs[phase] as number, endNs[phase] as number];
    upTo(start, false, -1);
    put(START, start, phase, -1);
    upTo(end, phase + 1 === after || (startNs[phase + 1] as number) > end, phase);
    put(END, end, phase, phase);
  }
  return place;
}

/** The first of so many for which something is so, once it is so for all that follow; their number where it never is. */
function firstAfter(isSo: (index: number) => boolean, count: number): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isSo(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

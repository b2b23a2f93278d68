// What happened in a search, in an order in which everything comes after what it hangs on: phases begin and end, ranks hand
// messages over and see that what they waited for has come.
import { at } from '../../../base/index.ts';
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
  const lines = handed.map((list, rank) => lineOf(phases, search * ranks + rank, { rank, messages, handed: list }));
  const count = lines.reduce((sum, { of }) => sum + of.length, 0);
  const order = noHappenings(count);
  const handsThere = new Set<number>();
  for (const { what, of } of lines) {
    for (let index = 0; index < what.length; index += 1) if (what[index] === HAND) handsThere.add(of[index] as number);
  }
  const next = new Uint32Array(ranks);
  const heads = Float64Array.from(lines, ({ timeNs }) => timeNs[0] ?? Number.POSITIVE_INFINITY);
  for (let place = 0; place < count; place += 1) {
    let best = -1;
    let least = Number.POSITIVE_INFINITY;
    for (let rank = 0; rank < ranks; rank += 1) {
      const time = heads[rank] as number;
      if (time > least || time === Number.POSITIVE_INFINITY) continue;
      // Who sees a message at the instant in which it is handed over comes after that.
      if (time === least && isBlocked(lines[rank] as Happenings, next[rank] as number, handsThere)) continue;
      best = rank;
      least = time;
    }
    const line = lines[best] as Happenings;
    const index = next[best] as number;
    const what = line.what[index] as number;
    const of = line.of[index] as number;
    if (what === HAND) handsThere.delete(of);
    order.what[place] = what;
    order.rank[place] = best;
    order.timeNs[place] = least;
    order.of[place] = of;
    order.phase[place] = line.phase[index] as number;
    next[best] = index + 1;
    heads[best] = line.timeNs[index + 1] ?? Number.POSITIVE_INFINITY;
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

/** What one rank does in a search. A message that it sees as a phase ends came in it; one that it hands over belongs to the phase that has begun. */
function lineOf(
  { first, startNs, endNs }: RankPhases,
  line: number,
  { rank, messages, handed }: { readonly rank: number; readonly messages: RankMessages; readonly handed: Uint32Array },
): Happenings {
  const [from, to] = [at(first, line), at(first, line + 1)];
  if (from === to) return noHappenings(0);
  const [begins, ends] = [at(startNs, from), at(endNs, to - 1)];
  const { seenNs, handedNs } = messages;
  const [firstSeen, afterSeen] = [at(messages.first, rank), at(messages.first, rank + 1)];
  let see = firstAfter((index) => (seenNs[firstSeen + index] as number) > begins, afterSeen - firstSeen) + firstSeen;
  const lastSee =
    firstAfter((index) => (seenNs[firstSeen + index] as number) > ends, afterSeen - firstSeen) + firstSeen;
  let hand = firstAfter((index) => (handedNs[handed[index] as number] as number) >= begins, handed.length);
  const lastHand = firstAfter((index) => (handedNs[handed[index] as number] as number) > ends, handed.length);
  const done = noHappenings(2 * (to - from) + Math.max(0, lastSee - see) + Math.max(0, lastHand - hand));
  let place = 0;
  const put = (what: number, timeNs: number, of: number, phase: number): void => {
    done.what[place] = what;
    done.rank[place] = rank;
    done.timeNs[place] = timeNs;
    done.of[place] = of;
    done.phase[place] = phase;
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
  for (let phase = from; phase < to; phase += 1) {
    const [start, end] = [at(startNs, phase), at(endNs, phase)];
    upTo(start, false, -1);
    put(START, start, phase, -1);
    upTo(end, phase + 1 === to || at(startNs, phase + 1) > end, phase);
    put(END, end, phase, phase);
  }
  return place === done.of.length ? done : cut(done, place);
}

/** Phases that overlap can leave messages behind the last end. */
function cut({ what, rank, timeNs, of, phase }: Happenings, count: number): Happenings {
  return {
    what: what.subarray(0, count),
    rank: rank.subarray(0, count),
    timeNs: timeNs.subarray(0, count),
    of: of.subarray(0, count),
    phase: phase.subarray(0, count),
  };
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

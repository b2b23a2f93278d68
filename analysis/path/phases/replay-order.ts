// What happened in a search, in an order in which everything comes after what it hangs on: phases begin and end, ranks hand
// messages over and see that what they waited for has come.
import { at } from '../../../base/index.ts';
import type { RankMessages } from './rank-messages.ts';
import type { RankPhases } from './rank-phases.ts';

/** One instant of a rank. */
export interface Happening {
  readonly what: 'start' | 'end' | 'hand' | 'see';
  readonly rank: number;
  readonly timeNs: number;
  /** The phase that begins or ends; the place of the message in `RankMessages`. */
  readonly of: number;
  /** The phase in which it happens; -1 between phases. */
  readonly phase: number;
}

/** For each rank the messages to others that it handed over, in that order. */
export function handedBy({ ranks }: RankPhases, { peer, isOwn, handedNs }: RankMessages): readonly Uint32Array[] {
  const lists = Array.from({ length: ranks }, () => [] as number[]);
  for (const [message, sender] of peer.entries()) if (isOwn[message] === 0) lists[sender]?.push(message);
  return lists.map((list) => Uint32Array.from(list).sort((a, b) => at(handedNs, a) - at(handedNs, b) || a - b));
}

/** All of one search by time; of what happens at one instant, first what others hang on. `handed` is that of `handedBy`. */
export function replayOrder(
  phases: RankPhases,
  search: number,
  { messages, handed }: { readonly messages: RankMessages; readonly handed: readonly Uint32Array[] },
): readonly Happening[] {
  const { ranks } = phases;
  const lines = Array.from({ length: ranks }, (_, rank) =>
    lineOf(phases, search * ranks + rank, { rank, messages, handed: handed[rank] ?? new Uint32Array() }),
  );
  const handsThere = new Set(lines.flatMap((line) => line.flatMap(({ what, of }) => (what === 'hand' ? [of] : []))));
  const next = new Uint32Array(ranks);
  const order: Happening[] = [];
  for (;;) {
    let [best, least]: [Happening | null, number] = [null, Number.POSITIVE_INFINITY];
    for (const [rank, line] of lines.entries()) {
      const head = line[at(next, rank)];
      if (head === undefined) continue;
      // Who sees a message at the instant in which it is handed over comes after that.
      const isBlocked = head.what === 'see' && handsThere.has(head.of);
      if (best !== null && (head.timeNs > least || (head.timeNs === least && isBlocked))) continue;
      [best, least] = [head, head.timeNs];
    }
    if (best === null) return order;
    if (best.what === 'hand') handsThere.delete(best.of);
    next[best.rank] = at(next, best.rank) + 1;
    order.push(best);
  }
}

/** What one rank does in a search. A message that it sees as a phase ends came in it; one that it hands over belongs to the phase that has begun. */
function lineOf(
  { first, startNs, endNs }: RankPhases,
  line: number,
  { rank, messages, handed }: { readonly rank: number; readonly messages: RankMessages; readonly handed: Uint32Array },
): readonly Happening[] {
  const [from, to] = [at(first, line), at(first, line + 1)];
  if (from === to) return [];
  const [begins, ends] = [at(startNs, from), at(endNs, to - 1)];
  const sees = Array.from({ length: at(messages.first, rank + 1) - at(messages.first, rank) }, (_, index) => {
    const of = at(messages.first, rank) + index;
    return { what: 'see' as const, timeNs: at(messages.seenNs, of), of };
  });
  const hands = Array.from(handed, (of) => ({ what: 'hand' as const, timeNs: at(messages.handedNs, of), of }));
  const between = [...sees.filter(({ timeNs }) => timeNs > begins), ...hands.filter(({ timeNs }) => timeNs >= begins)]
    .filter(({ timeNs }) => timeNs <= ends)
    .sort((a, b) => a.timeNs - b.timeNs || Number(a.what === 'hand') - Number(b.what === 'hand'));
  const done: Happening[] = [];
  let [next, phase] = [0, -1];
  const upTo = (isBefore: (one: (typeof between)[number]) => boolean): void => {
    for (let one = between[next]; one !== undefined && isBefore(one); one = between[++next]) {
      done.push({ ...one, rank, phase });
    }
  };
  for (let place = from; place < to; place += 1) {
    const [start, end] = [at(startNs, place), at(endNs, place)];
    upTo(({ what, timeNs }) => timeNs < start || (what === 'see' && timeNs === start));
    done.push({ what: 'start', rank, timeNs: start, of: place, phase: -1 });
    phase = place;
    const isLast = place + 1 === to || at(startNs, place + 1) > end;
    upTo(({ what, timeNs }) => timeNs < end || (timeNs === end && (what === 'see' || isLast)));
    done.push({ what: 'end', rank, timeNs: end, of: place, phase: place });
    phase = -1;
  }
  return done;
}

// What the times of recorded messages were due to: the queues of links, the rank that sent them, and the rest.
import { at } from '../../../base/index.ts';
import { findWaits, type Links, noWaits } from './message-waits.ts';
import type { RankMessages } from './rank-messages.ts';
import type { RankPhases } from './rank-phases.ts';
import { type Happenings, handedBy, replayOrder, SEE } from './replay-order.ts';

/** By place in `RankMessages`, what ranks saw: messages, or that the buffers of their own were free. Times in ns. */
export interface MessageTimes {
  /** What the rank did between what it saw or handed over before and its wait. */
  readonly workNs: Float64Array;
  /** When it began to move: as it was handed over, or when its receiver came into the phase `entry`; -1: it was there. */
  readonly fromNs: Float64Array;
  readonly entry: Int32Array;
  /** Of the time until the links had passed the message, the share after which it was there. */
  readonly early: Float64Array;
  /** What it waited for as links passed what was handed over after it. */
  readonly behindNs: Float64Array;
  /** Of what is left, what its sender lacked a processor as it handed it over; the rest is latency and protocol. */
  readonly heldNs: Float64Array;
  readonly restNs: Float64Array;
  /** What the rank lacked a processor before it saw it. */
  readonly idleNs: Float64Array;
  /** 1: a wait ended with it. Of several that a rank saw in one look it is the one that links should have taken longest for. */
  readonly endsWait: Uint8Array;
}

export interface MeasuredMessages {
  readonly times: MessageTimes;
  /** Of what a rank did in a phase besides waiting, the share in which it had no processor. */
  readonly idleShare: (phase: number) => number;
  /** What happened in the search at a place of `searches`. */
  readonly order: (search: number) => Happenings;
}

/** Divides the times of all messages of a run. */
export function messageTimes(phases: RankPhases, messages: RankMessages, { hostOf, links }: Links): MeasuredMessages {
  const handed = handedBy(phases, messages);
  const waits = noWaits(messages);
  const orders = phases.searches.map((_, search) => replayOrder(phases, search, { messages, handed }));
  for (const order of orders) findWaits(waits, order, { phases, messages, hostOf, links });
  const count = messages.peer.length;
  const none = (): Float64Array => new Float64Array(count);
  const times: MessageTimes = {
    ...{ workNs: none(), early: none().fill(1), behindNs: none(), heldNs: none(), restNs: none(), idleNs: none() },
    ...{ fromNs: waits.fromNs, entry: waits.entry, endsWait: new Uint8Array(count) },
  };
  /** By phase: what a rank did besides waiting, and what it lacked a processor for after a wait. */
  const [worked, lacked] = [new Float64Array(phases.rank.length), new Float64Array(phases.rank.length)];

  /** Of what a rank found in one look, divides what came last; returns what it did before its wait. */
  function divide(first: number, after: number): number {
    let longest = -1;
    for (let of = first; of < after; of += 1) {
      if (at(waits.onlyRead, of) === 1) continue;
      if (longest < 0 || at(waits.passedNs, of) >= at(waits.passedNs, longest)) longest = of;
    }
    let workNs = 0;
    for (let of = first; of < after; of += 1) {
      const [came, from, passed] = [at(waits.cameNs, of), at(waits.fromNs, of), at(waits.passedNs, of)];
      const [begun, timeNs] = [longest < 0 ? came : at(waits.begunNs, of), at(messages.seenNs, of)];
      times.workNs[of] = begun - at(waits.sinceNs, of);
      times.idleNs[of] = timeNs - came;
      if (passed > came) times.early[of] = (came - from) / (passed - from);
      workNs = Math.max(workNs, at(times.workNs, of));
    }
    // The others can have come at any time before.
    if (longest < 0) return workNs;
    const left = Math.max(0, at(waits.cameNs, longest) - at(waits.passedNs, longest));
    const behindNs = Math.min(left, at(waits.behindNs, longest));
    // A receiver that came later was not held up by what its sender lacked before.
    const senderIdle = at(waits.entry, longest) < 0 ? at(messages.senderIdleNs, longest) : 0;
    const heldNs = Math.min(left - behindNs, senderIdle);
    times.behindNs[longest] = behindNs;
    times.heldNs[longest] = heldNs;
    times.restNs[longest] = left - behindNs - heldNs;
    times.endsWait[longest] = 1;
    return at(times.workNs, longest);
  }

  for (const order of orders) {
    const [before, looks] = [new Float64Array(phases.ranks).fill(Number.NaN), new Int32Array(phases.ranks).fill(-1)];
    for (let place = 0; place < order.of.length; place += 1) {
      const [rank, timeNs] = [at(order.rank, place), at(order.timeNs, place)];
      const [of, phase] = [at(order.of, place), at(order.phase, place)];
      const since = before[rank] ?? Number.NaN;
      before[rank] = timeNs;
      if (at(order.what, place) !== SEE) {
        if (phase >= 0 && !Number.isNaN(since)) worked[phase] = at(worked, phase) + timeNs - since;
        continue;
      }
      if (of < at(looks, rank)) continue;
      let after = of + 1;
      while (after < at(messages.first, rank + 1) && messages.seenNs[after] === timeNs) after += 1;
      looks[rank] = after;
      const workNs = divide(of, after);
      if (phase < 0) continue;
      worked[phase] = at(worked, phase) + workNs;
      lacked[phase] = at(lacked, phase) + at(times.idleNs, of);
    }
  }
  const idleShare = (phase: number): number => {
    const [all, ns] = [at(worked, phase), (at(phases.queuedNs, phase) || 0) - at(lacked, phase)];
    return all > 0 ? Math.min(1, Math.max(0, ns) / all) : 0;
  };
  return { times, idleShare, order: (search) => at(orders, search) };
}

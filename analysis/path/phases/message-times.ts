// What the times of recorded messages were due to: the queues of links, the rank that sent them, and the rest.
import { at } from '../../../base/lists.ts';
import { findWaits, type Links, noWaits } from './message-waits.ts';
import type { RankMessages } from './rank-messages.ts';
import type { RankPhases } from './rank-phases.ts';
import { type Happenings, handedBy, replayOrder, SEE } from './replay-order.ts';

/** By place in `RankMessages`, what ranks saw: messages, or that the buffers of their own were free. Times in ns. */
interface MessageTimes {
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
  findWaits(waits, orders, { phases, messages, hostOf, links });
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
      if ((waits.onlyRead[of] as number) === 1) continue;
      if (longest < 0 || (waits.passedNs[of] as number) >= (waits.passedNs[longest] as number)) longest = of;
    }
    let workNs = 0;
    for (let of = first; of < after; of += 1) {
      const came = waits.cameNs[of] as number;
      const from = waits.fromNs[of] as number;
      const passed = waits.passedNs[of] as number;
      const begun = longest < 0 ? came : (waits.begunNs[of] as number);
      times.workNs[of] = begun - (waits.sinceNs[of] as number);
      times.idleNs[of] = (messages.seenNs[of] as number) - came;
      if (passed > came) times.early[of] = (came - from) / (passed - from);
      workNs = Math.max(workNs, times.workNs[of] as number);
    }
    // The others can have come at any time before.
    if (longest < 0) return workNs;
    const left = Math.max(0, (waits.cameNs[longest] as number) - (waits.passedNs[longest] as number));
    const behindNs = Math.min(left, waits.behindNs[longest] as number);
    // A receiver that came later was not held up by what its sender lacked before.
    const senderIdle = (waits.entry[longest] as number) < 0 ? (messages.senderIdleNs[longest] as number) : 0;
    const heldNs = Math.min(left - behindNs, senderIdle);
    times.behindNs[longest] = behindNs;
    times.heldNs[longest] = heldNs;
    times.restNs[longest] = left - behindNs - heldNs;
    times.endsWait[longest] = 1;
    return times.workNs[longest] as number;
  }

  for (const order of orders) {
    const [before, looks] = [new Float64Array(phases.ranks).fill(Number.NaN), new Int32Array(phases.ranks).fill(-1)];
    for (let place = 0; place < order.of.length; place += 1) {
      const rank = order.rank[place] as number;
      const timeNs = order.timeNs[place] as number;
      const of = order.of[place] as number;
      const phase = order.phase[place] as number;
      const since = before[rank] ?? Number.NaN;
      before[rank] = timeNs;
      if ((order.what[place] as number) !== SEE) {
        if (phase >= 0 && !Number.isNaN(since)) worked[phase] = (worked[phase] as number) + timeNs - since;
        continue;
      }
      if (of < (looks[rank] as number)) continue;
      let after = of + 1;
      while (after < (messages.first[rank + 1] as number) && messages.seenNs[after] === timeNs) after += 1;
      looks[rank] = after;
      const workNs = divide(of, after);
      if (phase < 0) continue;
      worked[phase] = (worked[phase] as number) + workNs;
      lacked[phase] = (lacked[phase] as number) + (times.idleNs[of] as number);
    }
  }
  const idleShare = (phase: number): number => {
    const [all, ns] = [at(worked, phase), (at(phases.queuedNs, phase) || 0) - at(lacked, phase)];
    return all > 0 ? Math.min(1, Math.max(0, ns) / all) : 0;
  };
  return { times, idleShare, order: (search) => at(orders, search) };
}

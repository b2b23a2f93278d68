// What the times of recorded messages were due to: the queues of links, the rank that sent them, and the rest.
import { at } from '../../../base/index.ts';
import type { LinkQueues } from './link-queues.ts';
import type { RankMessages } from './rank-messages.ts';
import type { RankPhases } from './rank-phases.ts';
import type { Happening } from './replay-order.ts';

/** One thing that a rank saw: a message, or that the buffer of its own was free. */
export interface MessageTime {
  /** What the rank did between what it saw or handed over before and its wait, ns. */
  readonly workNs: number;
  /** The phase of the receiver, without which nothing moves; -1 where it was in it when the message was handed over. */
  readonly entry: number;
  /** Of the time until the links had passed the message, the share after which it was there. */
  readonly early: number;
  /** What it waited for as links passed what was handed over after it, ns. */
  readonly behindNs: number;
  /** Of what is left, what its sender lacked a processor as it handed it over, ns; the rest is latency and protocol. */
  readonly heldNs: number;
  readonly restNs: number;
  /** What the rank lacked a processor before it saw it, ns. */
  readonly idleNs: number;
}

export interface MeasuredMessages {
  /** By place in `RankMessages`. */
  readonly times: ReadonlyMap<number, MessageTime>;
  /** Of what a rank did in a phase besides waiting, the share in which it had no processor. */
  readonly idleShare: (phase: number) => number;
}

interface Measuring {
  readonly phases: RankPhases;
  readonly messages: RankMessages;
  /** The number of each rank's host. */
  readonly hostOf: (rank: number) => number;
  /** At the rate that links had. */
  readonly links: LinkQueues;
}

/** What a rank found in one look, after a wait or as it began one. */
interface Look {
  readonly timeNs: number;
  /** When it saw or did something last before. */
  readonly since: number;
  /** Of the messages that it had waited for, the one that links should have taken longest for; -1 for none. */
  longest: number;
  longestNs: number;
}

/** Divides the times of all messages of a search, in the order of `replayOrder`. */
export function messageTimes(order: readonly Happening[], measuring: Measuring): MeasuredMessages {
  const { phases, messages, hostOf, links } = measuring;
  const { startNs, queuedNs, meeting, partners, ranks } = phases;
  const times = new Map<number, MessageTime>();
  /** By message: when links were through with it. */
  const there = new Map<number, number>();
  const [before, looks] = [new Map<number, number>(), new Map<number, Look>()];
  /** By phase: what a rank did besides waiting, and what it lacked a processor for after a wait. */
  const [worked, lacked] = [new Map<number, number>(), new Map<number, number>()];
  const add = (sums: Map<number, number>, phase: number, ns: number): void =>
    void sums.set(phase, (sums.get(phase) ?? 0) + ns);

  function see({ rank, timeNs, of, phase }: Happening, look: Look): void {
    const isOwn = at(messages.isOwn, of) === 1;
    const [peer, waited] = [at(messages.peer, of), at(messages.waitedNs, of)];
    const handed = Math.min(timeNs, at(messages.handedNs, of));
    // Where waits were not measured, whatever came is taken to have been waited for.
    const begun = Number.isNaN(waited) ? look.since : Math.max(look.since, timeNs - waited);
    const idleNs = Math.max(0, Math.min(at(messages.idleNs, of), timeNs - Math.max(begun, handed)));
    const partner = phase < 0 ? -1 : at(partners, at(meeting, phase) * ranks + peer);
    const entered = partner < 0 ? Number.NEGATIVE_INFINITY : at(startNs, partner);
    const entry = isOwn && entered > handed && entered < timeNs ? partner : -1;
    const from = entry < 0 ? handed : entered;
    const known = there.get(isOwn ? at(messages.received, of) : of);
    const passed = Math.max(from, known ?? from);
    const came = timeNs - idleNs;
    const early = passed > came ? (came - from) / (passed - from) : 1;
    // What the links had passed longer before the wait than the wait was only had to be read; what nobody handed over
    // in the search is a wait of the rank's own.
    const wasThere = known === undefined || waited === 0 || begun - passed > came - begun;
    const workNs = (wasThere ? came : begun) - look.since;
    const time = { workNs, entry, early, behindNs: 0, heldNs: 0, restNs: 0, idleNs };
    if (look.longest < 0) {
      add(worked, phase, time.workNs);
      add(lacked, phase, idleNs);
    }
    times.set(of, time);
    // The others that a look finds can have come at any time before.
    if (wasThere || passed < look.longestNs) return;
    const other = times.get(look.longest);
    if (other) times.set(look.longest, { ...other, behindNs: 0, heldNs: 0, restNs: 0 });
    const later = Math.max(0, links.passed(hostOf(isOwn ? rank : peer), hostOf(isOwn ? peer : rank)) - passed);
    const left = Math.max(0, came - passed);
    const behindNs = Math.min(left, later);
    const heldNs = Math.min(left - behindNs, at(messages.senderIdleNs, of));
    times.set(of, { ...time, behindNs, heldNs, restNs: left - behindNs - heldNs });
    look.longest = of;
    look.longestNs = passed;
  }

  for (const happening of order) {
    const { what, rank, timeNs, of, phase } = happening;
    const since = before.get(rank) ?? timeNs;
    if (what === 'see') {
      const last = looks.get(rank);
      const isSame = last?.timeNs === timeNs && since === timeNs;
      const look = isSame ? last : { timeNs, since, longest: -1, longestNs: Number.NEGATIVE_INFINITY };
      looks.set(rank, look);
      see(happening, look);
    } else {
      if (phase >= 0) add(worked, phase, timeNs - since);
      looks.delete(rank);
    }
    if (what === 'hand') {
      const [from, to] = [hostOf(rank), hostOf(at(messages.rank, of))];
      there.set(of, links.hand({ from, to, bytes: at(messages.bytes, of), ns: timeNs }));
    }
    before.set(rank, timeNs);
  }
  const idleShare = (phase: number): number => {
    const [all, ns] = [worked.get(phase) ?? 0, (at(queuedNs, phase) || 0) - (lacked.get(phase) ?? 0)];
    return all > 0 ? Math.min(1, Math.max(0, ns) / all) : 0;
  };
  return { times, idleShare };
}

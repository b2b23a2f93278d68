// Since when ranks waited for each recorded message, and when links should have been through with it.
import { at } from '../../../base/index.ts';
import type { LinkQueues } from './link-queues.ts';
import { OnlyRead } from './only-read.ts';
import type { RankMessages } from './rank-messages.ts';
import type { RankPhases } from './rank-phases.ts';
import { END, HAND, type Happenings, SEE } from './replay-order.ts';

/** The links of a run's hosts. */
export interface Links {
  /** The number of each rank's host. */
  readonly hostOf: (rank: number) => number;
  /** Empty, at the rate that they had. */
  readonly links: () => LinkQueues;
}

/** What a rank saw, by place in `RankMessages`: a message, or that the buffer of its own was free. Times in ns. */
export interface MessageWaits {
  /** When the rank saw or did something last before that look. */
  readonly sinceNs: Float64Array;
  /** When its wait began. */
  readonly begunNs: Float64Array;
  /** When it would have seen it, had it not lacked a processor. */
  readonly cameNs: Float64Array;
  /** When it began to move: as it was handed over, or when its receiver came. */
  readonly fromNs: Float64Array;
  /** The phase of that receiver; -1 where it was in it when the message was handed over. */
  readonly entry: Int32Array;
  /** When links were through with it; what one of them needs for what was handed over after it, until it was seen. */
  readonly passedNs: Float64Array;
  readonly behindNs: Float64Array;
  /** 1: the rank had only to read it, no wait ended with it. */
  readonly onlyRead: Uint8Array;
}

export function noWaits({ peer: { length } }: RankMessages): MessageWaits {
  const times = (): Float64Array => new Float64Array(length);
  return {
    ...{ sinceNs: times(), begunNs: times(), cameNs: times(), fromNs: times(), passedNs: times(), behindNs: times() },
    entry: new Int32Array(length).fill(-1),
    onlyRead: new Uint8Array(length).fill(1),
  };
}

/** Fills in what was seen in one search. */
export function findWaits(
  waits: MessageWaits,
  order: Happenings,
  {
    phases: { startNs, asleepNs, meeting, partners, ranks },
    messages,
    hostOf,
    links,
  }: { readonly phases: RankPhases; readonly messages: RankMessages } & Links,
): void {
  const hosts = Int32Array.from({ length: ranks }, (_, rank) => hostOf(rank));
  const queues = links();
  const there = new Map<number, { readonly ns: number; readonly out: number; readonly into: number }>();
  const [before, lookNs, lookSince] = [0, 0, 0].map(() => new Float64Array(ranks).fill(Number.NaN)) as [
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  const doubts = Array.from({ length: ranks }, () => new OnlyRead(waits));
  const { what, rank: ranksOf, timeNs: times, of: ofs, phase: phasesOf } = order;
  for (let place = 0; place < what.length; place += 1) {
    const [rank, timeNs, of, phase] = [at(ranksOf, place), at(times, place), at(ofs, place), at(phasesOf, place)];
    const [since, peer] = [before[rank] ?? Number.NaN, what[place] === SEE ? at(messages.peer, of) : -1];
    before[rank] = timeNs;
    if (what[place] === HAND) {
      const [from, to] = [at(hosts, rank), at(hosts, at(messages.rank, of))];
      const ns = queues.hand({ from, to, bytes: at(messages.bytes, of), ns: timeNs });
      there.set(of, { ns, out: queues.out(from), into: queues.into(to) });
    }
    if (what[place] === END) doubts[rank]?.settle(at(asleepNs, of));
    if (what[place] !== SEE) {
      lookNs[rank] = Number.NaN;
      continue;
    }
    if (lookNs[rank] !== timeNs) {
      lookNs[rank] = timeNs;
      lookSince[rank] = Number.isNaN(since) ? timeNs : since;
    }
    const isOwn = at(messages.isOwn, of) === 1;
    const handed = Math.min(timeNs, at(messages.handedNs, of));
    const [sinceNs, waited] = [at(lookSince, rank), at(messages.waitedNs, of)];
    // Where waits were not measured, whatever came is taken to have been waited for.
    const begun = Number.isNaN(waited) ? sinceNs : Math.max(sinceNs, timeNs - waited);
    const idleNs = Math.max(0, Math.min(at(messages.idleNs, of), timeNs - Math.max(begun, handed)));
    const partner = phase < 0 ? -1 : at(partners, at(meeting, phase) * ranks + peer);
    const entered = isOwn && partner >= 0 ? at(startNs, partner) : Number.NEGATIVE_INFINITY;
    const comesLater = entered > handed && entered < timeNs;
    const from = comesLater ? entered : handed;
    const known = there.get(isOwn ? at(messages.received, of) : of);
    const [sender, receiver] = isOwn ? [at(hosts, rank), at(hosts, peer)] : [at(hosts, peer), at(hosts, rank)];
    waits.sinceNs[of] = sinceNs;
    waits.begunNs[of] = begun;
    waits.cameNs[of] = timeNs - idleNs;
    waits.fromNs[of] = from;
    waits.entry[of] = comesLater ? partner : -1;
    waits.passedNs[of] = Math.max(from, known?.ns ?? from);
    if (known) waits.behindNs[of] = Math.max(queues.out(sender) - known.out, queues.into(receiver) - known.into);
    doubts[rank]?.take(of, { lookNs: timeNs, isKnown: known !== undefined && waited !== 0 });
  }
}

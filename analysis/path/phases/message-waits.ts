// Since when ranks waited for each recorded message, and when links should have been through with it.
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

/** Fills in what was seen, search by search. */
export function findWaits(
  waits: MessageWaits,
  orders: readonly Happenings[],
  { phases, messages, hostOf, links }: { readonly phases: RankPhases; readonly messages: RankMessages } & Links,
): void {
  const { startNs, asleepNs, meeting, partners, ranks } = phases;
  const { peer: peers, isOwn: owns, handedNs, waitedNs, received, bytes } = messages;
  const hosts = Int32Array.from({ length: ranks }, (_, rank) => hostOf(rank));
  /** By message: after which search (from 1) it was handed over, when links were through with it, and what they were given by then. */
  const handedIn = new Int32Array(peers.length);
  const [thereNs, outNs, intoNs] = [0, 0, 0].map(() => new Float64Array(peers.length)) as Columns;
  const [before, lookNs, lookSince] = [0, 0, 0].map(() => new Float64Array(ranks)) as Columns;
  const doubts = Array.from({ length: ranks }, () => new OnlyRead(waits));
  for (const [search, order] of orders.entries()) {
    const queues = links();
    before.fill(Number.NaN);
    lookNs.fill(Number.NaN);
    const { what, rank: ranksOf, timeNs: times, of: ofs, phase: phasesOf } = order;
    for (let place = 0; place < what.length; place += 1) {
      const rank = ranksOf[place] as number;
      const timeNs = times[place] as number;
      const of = ofs[place] as number;
      const since = before[rank] as number;
      const host = hosts[rank] as number;
      before[rank] = timeNs;
      if (what[place] !== SEE) {
        lookNs[rank] = Number.NaN;
        if (what[place] === END) doubts[rank]?.settle(asleepNs[of] as number);
        if (what[place] !== HAND) continue;
        const to = hosts[messages.rank[of] as number] as number;
        thereNs[of] = queues.hand({ from: host, to, bytes: bytes[of] as number, ns: timeNs });
        outNs[of] = queues.out(host);
        intoNs[of] = queues.into(to);
        handedIn[of] = search + 1;
        continue;
      }
      if (lookNs[rank] !== timeNs) {
        lookNs[rank] = timeNs;
        lookSince[rank] = Number.isNaN(since) ? timeNs : since;
      }
      const isOwn = owns[of] === 1;
      const handed = Math.min(timeNs, handedNs[of] as number);
      const sinceNs = lookSince[rank] as number;
      const waited = waitedNs[of] as number;
      // Where waits were not measured, whatever came is taken to have been waited for.
      const begun = Number.isNaN(waited) ? sinceNs : Math.max(sinceNs, timeNs - waited);
      const idleNs = Math.max(0, Math.min(messages.idleNs[of] as number, timeNs - Math.max(begun, handed)));
      const peer = peers[of] as number;
      const phase = phasesOf[place] as number;
      const partner = !isOwn || phase < 0 ? -1 : (partners[(meeting[phase] as number) * ranks + peer] as number);
      const entered = partner < 0 ? Number.NEGATIVE_INFINITY : (startNs[partner] as number);
      const comesLater = entered > handed && entered < timeNs;
      const from = comesLater ? entered : handed;
      const sent = isOwn ? (received[of] as number) : of;
      const isKnown = sent >= 0 && handedIn[sent] === search + 1;
      waits.sinceNs[of] = sinceNs;
      waits.begunNs[of] = begun;
      waits.cameNs[of] = timeNs - idleNs;
      waits.fromNs[of] = from;
      waits.entry[of] = comesLater ? partner : -1;
      waits.passedNs[of] = from;
      if (isKnown) {
        const other = hosts[peer] as number;
        const out = queues.out(isOwn ? host : other) - (outNs[sent] as number);
        const into = queues.into(isOwn ? other : host) - (intoNs[sent] as number);
        waits.passedNs[of] = Math.max(from, thereNs[sent] as number);
        waits.behindNs[of] = Math.max(out, into);
      }
      doubts[rank]?.take(of, timeNs, isKnown && waited !== 0);
    }
  }
}

type Columns = [Float64Array, Float64Array, Float64Array];

// What a run would have taken had some of it lasted longer or shorter, where its messages were recorded: what its ranks did is
// done again, each message over the links of its hosts (as in Dimemas, Labarta et al., 1996, with token buckets for links).
import { at } from '../../../base/lists.ts';
import type { LinkRate } from '../../../experiments/records.ts';
import { kindsWithMessages } from './follow-messages.ts';
import { leavePhase } from './leave-exchange.ts';
import { type LinkQueues, linkQueues } from './link-queues.ts';
import { type MeasuredMessages, messageTimes } from './message-times.ts';
import type { RankMessages } from './rank-messages.ts';
import type { RankPhases } from './rank-phases.ts';
import { END, HAND, type Happenings, SEE, START } from './replay-order.ts';
import type { WhatIfOptions } from './what-if.ts';
import { type Factors, factorsOf } from './what-if-keys.ts';

export interface MessageWhatIf extends WhatIfOptions {
  readonly hostOf: (rank: number) => string;
  /** What a host's link passes each way when it is so many times as slow as it was. */
  readonly linkOf: (slower: number) => LinkRate;
}

/**
 * How long each search would take, ns, in the order of `searches`. A rank goes on from a wait when it has come to it and the message is
 * there. Of the time that a message took, what is due to the queues of both links is theirs again, after the change; what was
 * beyond is added as it was. Messages are kept in the order in which they were handed over. An exchange without recorded messages
 * is left as `leavePhase` says. Without a change these are the measured times. Errors: badInput for a key that the run has not.
 */
export function whatIfMessages(phases: RankPhases, messages: RankMessages, options: MessageWhatIf): readonly number[] {
  const factors = factorsOf(phases, options.changes);
  const recorded = kindsWithMessages(phases, messages);
  const { ranks } = phases;
  const names = Array.from({ length: ranks }, (_, rank) => options.hostOf(rank));
  const hosts = [...new Set(names)];
  const numbers = Int32Array.from(names, (name) => hosts.indexOf(name));
  const host = (rank: number): number => at(numbers, rank);
  const linksOf = (slower: number): LinkQueues => linkQueues(hosts.length, options.linkOf(slower));
  const measured = messageTimes(phases, messages, { hostOf: host, links: () => linksOf(1) });
  return phases.searches.map((_, search) =>
    lengthOf(measured.order(search), {
      ...{ phases, messages, factors, recorded, measured, host },
      ...{ links: linksOf(factors.link), onLinkNs: options.onLinkNs },
    }),
  );
}

interface Replay extends Pick<WhatIfOptions, 'onLinkNs'> {
  readonly phases: RankPhases;
  readonly messages: RankMessages;
  readonly factors: Factors;
  readonly recorded: readonly boolean[];
  readonly measured: MeasuredMessages;
  readonly host: (rank: number) => number;
  /** Empty, after the change. */
  readonly links: LinkQueues;
}

function lengthOf(order: Happenings, replay: Replay): number {
  const { phases, messages, factors, recorded, host, links, onLinkNs } = replay;
  const { times, idleShare } = replay.measured;
  const { ranks, kind, startNs } = phases;
  const earliest = order.timeNs.reduce((least, timeNs) => Math.min(least, timeNs), Number.POSITIVE_INFINITY);
  const lines = Array.from({ length: ranks }, () => ({
    timeNs: earliest,
    now: earliest,
    lookNs: Number.NaN,
    lookSince: earliest,
    hasBegun: false,
  }));
  const starts = new Map<number, number>();
  const startOf = (phase: number): number => starts.get(phase) ?? at(startNs, phase);
  /** By message: when it is handed over, and when the links are through with it. */
  const sent = new Map<number, { readonly handedNs: number; readonly thereNs: number }>();

  const local = (phase: number): number => {
    if (phase < 0) return factors.gap;
    const idle = idleShare(phase);
    return at(factors.work, at(kind, phase)) * (1 - idle) + at(factors.idle, at(kind, phase)) * idle;
  };
  /** When what a rank waits for is there. */
  const comes = (of: number, phase: number): number => {
    const own = sent.get(at(messages.isOwn, of) === 1 ? at(messages.received, of) : of);
    if (own === undefined) return Number.NEGATIVE_INFINITY;
    const entry = at(times.entry, of);
    const from = Math.max(own.handedNs, entry < 0 ? own.handedNs : startOf(entry));
    const onLinks = at(times.early, of) * (Math.max(own.thereNs, from) - from) + at(times.behindNs, of) * factors.link;
    const [travels, held] = [onLinks + at(times.restNs, of), at(times.heldNs, of)];
    return phase < 0
      ? from + travels + held
      : from + travels * at(factors.transfer, at(kind, phase)) + held * at(factors.idle, at(kind, phase));
  };

  for (let place = 0; place < order.of.length; place += 1) {
    const [what, rank, of] = [at(order.what, place), at(order.rank, place), at(order.of, place)];
    const [timeNs, phase] = [at(order.timeNs, place), at(order.phase, place)];
    const line = at(lines, rank);
    if (what === SEE) {
      // What one look finds, the rank waited for from one instant on.
      const isSame = line.lookNs === timeNs;
      if (!isSame) line.lookSince = line.now;
      line.lookNs = timeNs;
      const ready = line.lookSince + at(times.workNs, of) * local(phase);
      const idle = at(times.idleNs, of) * (phase < 0 ? 1 : at(factors.idle, at(kind, phase)));
      const seen = Math.max(ready, comes(of, phase)) + idle;
      line.now = isSame ? Math.max(line.now, seen) : seen;
    } else {
      line.lookNs = Number.NaN;
      line.now += (timeNs - line.timeNs) * (line.hasBegun ? local(phase) : factors.begin);
      if (what === START) starts.set(of, line.now);
      line.hasBegun = true;
      if (what === END && !recorded[at(kind, of)]) line.now = leavePhase(phases, of, { factors, onLinkNs, startOf });
      if (what === HAND) {
        const [from, to] = [host(rank), host(at(messages.rank, of))];
        const thereNs = links.hand({ from, to, bytes: at(messages.bytes, of), ns: line.now });
        sent.set(of, { handedNs: line.now, thereNs });
      }
    }
    line.timeNs = timeNs;
  }
  const length = order.timeNs.reduce((most, timeNs) => Math.max(most, timeNs), Number.NEGATIVE_INFINITY) - earliest;
  const changed = lines.reduce((most, { now }) => Math.max(most, now), Number.NEGATIVE_INFINITY) - earliest;
  // Times are whole: what is less is rounding.
  return length + Math.round(changed - length);
}

// What ranks did in an exchange whose messages were recorded: the waits that messages ended, and what they did besides.
import { at } from '../../../base/lists.ts';
import { endsOfWaits, type Look } from '../lateness.ts';
import type { Links } from '../link-queues.ts';
import { type Arrival, TRANSFER } from '../run-graph.ts';
import type { RankMessages } from './rank-messages.ts';
import type { RankPhases } from './rank-phases.ts';

/** A part of an exchange, ns. Of `work` a share lacked a processor. */
export interface ExchangePart {
  readonly what: 'work' | 'wait' | 'idle';
  readonly from: number;
  readonly to: number;
  readonly share: number;
}

export interface MessageParts {
  /** Those of a phase, asked for by rank and in order of time. */
  of(place: number, times: { readonly from: number; readonly to: number }): readonly ExchangePart[];
  /** Messages of all phases that were asked for; `isEnd`: a wait ended with it. */
  transfers(): readonly (Arrival & { readonly isEnd: boolean })[];
}

/** For each kind of phase whether messages were recorded in one; of collectives there are none. */
export function kindsWithMessages(phases: RankPhases, { first, seenNs }: RankMessages): readonly boolean[] {
  const found = phases.kinds.map(() => false);
  for (let place = 0; place < phases.rank.length; place += 1) {
    const own = at(phases.kind, place);
    if (found[own] || at(phases.kinds, own).group === null) continue;
    const rank = at(phases.rank, place);
    const seen = firstAfter(seenNs, { from: at(first, rank), to: at(first, rank + 1), ns: at(phases.startNs, place) });
    found[own] = seen < at(first, rank + 1) && at(seenNs, seen) <= at(phases.endNs, place);
  }
  return found;
}

/** For each rank the messages to others that it handed over, in that order. */
export function handedBy({ ranks }: RankPhases, { peer, isOwn, handedNs }: RankMessages): readonly Uint32Array[] {
  const lists = Array.from({ length: ranks }, () => [] as number[]);
  for (let message = 0; message < peer.length; message += 1) {
    if (isOwn[message] === 0) lists[at(peer, message)]?.push(message);
  }
  return lists.map((list) => Uint32Array.from(list).sort((a, b) => at(handedNs, a) - at(handedNs, b) || a - b));
}

interface Options {
  readonly messages: RankMessages;
  readonly links: Links;
  readonly search: number;
  /** As of `handedBy`. */
  readonly handed: readonly Uint32Array[];
}

/** Something that a rank did in a phase: it handed a message over, or saw some, of which `first` is the first. */
interface Act {
  readonly ns: number;
  readonly handed: number;
  readonly first: number;
  /** Of what it saw: since when it looked, and each message that may have ended a wait. */
  readonly sinceNs: number;
  readonly looks: readonly Seen[];
  /** Messages that were there when the rank asked for them. */
  readonly others: readonly Seen[];
}

interface Seen extends Look {
  readonly message: number;
  readonly fromNs: number;
  readonly peer: number;
}

export function messageParts(phases: RankPhases, { messages, links, search, handed }: Options): MessageParts {
  const { ranks, first, startNs, endNs, asleepNs, queuedNs, meeting, partners, kinds, kind } = phases;
  const { seenNs, handedNs, waitedNs, senderIdleNs, idleNs, peer, bytes, isOwn, received } = messages;
  const thereNs = throughLinks();
  /** By message, until when its sender had no processor after handing it over. */
  const heldNs = new Map<number, number>();
  const found: { readonly act: Act; readonly place: number; readonly ends: number }[] = [];

  /** When links are through with what was handed over in the search. */
  function throughLinks(): Map<number, number> {
    const sent: number[] = [];
    for (let rank = 0; rank < ranks; rank += 1) {
      const [from, to] = [at(first, search * ranks + rank), at(first, search * ranks + rank + 1)];
      if (from === to) continue;
      const [begins, ends] = [at(startNs, from), at(endNs, to - 1)];
      for (const message of at(handed, rank)) {
        if (at(handedNs, message) >= begins && at(handedNs, message) <= ends) sent.push(message);
      }
    }
    const queues = links.queues();
    return new Map(
      sent
        .sort((a, b) => at(handedNs, a) - at(handedNs, b) || a - b)
        .map((message) => {
          const [from, to] = [links.hostOf(at(peer, message)), links.hostOf(at(messages.rank, message))];
          return [message, queues.hand({ from, to, bytes: at(bytes, message), ns: at(handedNs, message) })];
        }),
    );
  }

  /** The message itself where its receiver saw it: what a buffer that a rank waits for holds. */
  function sentAs(message: number): number {
    return at(isOwn, message) === 1 ? at(received, message) : message;
  }

  function actsOf(place: number, { from, to }: { readonly from: number; readonly to: number }): readonly Act[] {
    const rank = at(phases.rank, place);
    const list = at(handed, rank);
    const acts: Act[] = [];
    let [see, afterSee] = [from, to].map((ns) =>
      firstAfter(seenNs, { from: at(messages.first, rank), to: at(messages.first, rank + 1), ns }),
    ) as [number, number];
    const none = { first: 0, sinceNs: 0, looks: [], others: [] };
    let hand = firstOf((index) => at(handedNs, at(list, index)) >= from, { from: 0, to: list.length });
    let sinceNs = from;
    for (;;) {
      const given = hand < list.length ? at(handedNs, at(list, hand)) : Number.POSITIVE_INFINITY;
      const seen = see < afterSee ? at(seenNs, see) : Number.POSITIVE_INFINITY;
      // Of one instant, what it saw comes first.
      if (seen <= given && see < afterSee) {
        const begin = see;
        while (see < afterSee && at(seenNs, see) === seen) see += 1;
        const found = Array.from(
          { length: see - begin },
          (_, index) => lookAt(begin + index, { place, sinceNs }) ?? [],
        ).flat();
        const [looks, others] = [true, false].map((hasWaited) =>
          found.filter(({ message }) => (at(waitedNs, message) !== 0) === hasWaited),
        ) as [Seen[], Seen[]];
        acts.push({ ns: seen, handed: -1, first: begin, sinceNs, looks, others });
        sinceNs = seen;
      } else if (given < to) {
        acts.push({ ...none, ns: given, handed: at(list, hand) });
        hand += 1;
        sinceNs = given;
      } else return acts;
    }
  }

  /** Null for what was not handed over in the search. */
  function lookAt(
    message: number,
    { place, sinceNs }: { readonly place: number; readonly sinceNs: number },
  ): Seen | null {
    const [seen, other, waited] = [at(seenNs, message), at(peer, message), at(waitedNs, message)];
    const there = thereNs.get(sentAs(message));
    if (there === undefined) return null;
    const rank = at(phases.rank, place);
    const handedAt = Math.min(seen, at(handedNs, message));
    // Where waits were not measured, whatever came is taken to have been waited for.
    const begunNs = Number.isNaN(waited) ? sinceNs : Math.max(sinceNs, seen - waited);
    // A buffer is not free before its receiver is there; a receiver that was there has nothing to do with it.
    const partner = at(isOwn, message) === 1 ? at(partners, at(meeting, place) * ranks + other) : -1;
    const entered = partner < 0 ? Number.NEGATIVE_INFINITY : at(startNs, partner);
    const comesLater = entered > handedAt && entered < seen;
    const fromNs = comesLater ? entered : handedAt;
    const idle = Math.max(0, Math.min(at(idleNs, message), seen - Math.max(begunNs, fromNs)));
    return {
      ...{
        message,
        fromNs,
        peer: at(isOwn, message) === 1 && !comesLater ? rank : other,
        begunNs,
        cameNs: seen - idle,
      },
      ...{ passedNs: Math.max(fromNs, there), apartNs: links.apartNs(rank, other) },
    };
  }

  return {
    of: (place, { from, to }) => {
      const acts = actsOf(place, { from, to });
      const ends = endsOfWaits(
        acts.map(({ looks }) => looks),
        at(asleepNs, place),
      );
      const parts: Omit<ExchangePart, 'share'>[] = [];
      let doneNs = from;
      let pending = { message: -1, ns: 0 };
      const put = (what: ExchangePart['what'], until: number): void => {
        if (until > doneNs) parts.push({ what, from: doneNs, to: until });
        doneNs = Math.max(doneNs, until);
      };
      const work = (until: number): void => {
        put('idle', Math.min(until, doneNs + pending.ns));
        if (pending.message >= 0) heldNs.set(pending.message, doneNs);
        pending = { message: -1, ns: 0 };
        put('work', until);
      };
      for (const [index, act] of acts.entries()) {
        const look = act.looks[at(ends, index)];
        if (act.handed >= 0) {
          work(act.ns);
          pending = { message: act.handed, ns: at(senderIdleNs, act.handed) };
        } else {
          found.push({ act, place, ends: at(ends, index) });
          const idle = Math.max(0, Math.min(at(idleNs, act.first), act.ns - act.sinceNs));
          work(look?.begunNs ?? act.ns - idle);
          if (look !== undefined) put('wait', look.cameNs);
          put('idle', act.ns);
        }
      }
      work(to);
      const sum = (what: ExchangePart['what']): number =>
        parts.reduce((all, part) => (part.what === what ? all + part.to - part.from : all), 0);
      const [worked, queued] = [sum('work'), at(queuedNs, place) || 0];
      const share = worked > 0 ? Math.min(1, Math.max(0, queued - sum('idle')) / worked) : 0;
      return parts.map((part) => ({ ...part, share }));
    },
    transfers: () =>
      found.flatMap(({ act, place, ends }) =>
        [...act.looks, ...act.others].flatMap(({ message, fromNs, cameNs, begunNs, passedNs, peer: from }, index) => {
          const isRelease = at(isOwn, message) === 1;
          const isEnd = index === ends;
          // What its sender lacked a processor for as it handed the message over is no time of the message.
          const held = Math.min(heldNs.get(sentAs(message)) ?? fromNs, fromNs + Math.max(0, cameNs - passedNs));
          const startNs = isEnd && at(handedNs, message) === fromNs ? Math.max(fromNs, held) : fromNs;
          // Of one that ended no wait it is only known that it was there.
          const endNs = isEnd ? cameNs : Math.min(act.ns, (act.looks[ends]?.cameNs ?? Number.POSITIVE_INFINITY) - 1);
          if (!isEnd && (isRelease || fromNs >= endNs)) return [];
          const key = isEnd ? at(kinds, at(kind, place)).name + TRANSFER : 'message';
          const times = {
            sinceNs: begunNs,
            startNs,
            endNs,
            onLinkNs: Math.max(0, Math.min(passedNs, endNs) - startNs),
          };
          return {
            key,
            from,
            to: at(phases.rank, place),
            ...times,
            bytes: at(bytes, message),
            entries: null,
            isRelease,
            isEnd,
          };
        }),
      ),
  };
}

/** The first index from which values are more than some ns. */
function firstAfter(values: Float64Array, { ns, ...range }: Range & { readonly ns: number }): number {
  return firstOf((index) => (values[index] as number) > ns, range);
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** The first index of a range for which something is so, once it is so for all that follow; its end where it never is. */
function firstOf(isSo: (index: number) => boolean, { from, to }: Range): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isSo(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

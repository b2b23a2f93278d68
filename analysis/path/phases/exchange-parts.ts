// What ranks did in an exchange whose messages were recorded: the waits that messages ended, and what they did besides.
import { at } from '../../../base/lists.ts';
import { firstWhere } from '../arrange.ts';
import { endsOfWaits, type Look } from '../lateness.ts';
import type { Links } from '../link-queues.ts';
import { type Arrival, TRANSFER } from '../run-graph.ts';
import type { RankMessages, Sight } from './rank-messages.ts';
import type { RankPhases } from './rank-phases.ts';

/** A phase, or a part of it, ns. */
export interface PhasePart {
  /** The index of the phase. */
  readonly place: number;
  readonly from: number;
  readonly to: number;
}

/** Of `work` a share lacked a processor. */
interface ExchangePart extends Omit<PhasePart, 'place'> {
  readonly what: 'work' | 'wait' | 'idle';
  readonly share: number;
}

/** What a rank saw, and since when that was on its way from where. */
interface Seen extends Look {
  readonly sight: Sight;
  readonly fromNs: number;
  readonly peer: number;
}

/** A rank handed a message over. */
interface Handing {
  readonly ns: number;
  readonly handed: Sight;
  readonly waited: readonly Seen[];
}

/** A rank saw messages: those that may have ended a wait, and others that were there when it asked for them. */
interface Looking {
  readonly ns: number;
  readonly handed: null;
  /** Since when it did nothing else. */
  readonly sinceNs: number;
  /** How long it lacked a processor before it saw them. */
  readonly idleNs: number;
  readonly waited: readonly Seen[];
  readonly others: readonly Seen[];
}

interface Options {
  readonly messages: RankMessages;
  readonly links: Links;
  readonly search: number;
}

/** For each kind of phase whether messages were recorded in one; of collectives there are none. */
export function kindsWithMessages(phases: RankPhases, { seen }: RankMessages): readonly boolean[] {
  const found = phases.kinds.map(() => false);
  for (const [place, rank] of phases.rank.entries()) {
    const own = at(phases.kind, place);
    if (found[own] || at(phases.kinds, own).group === null) continue;
    const first = at(seen, rank)[firstWhere(at(seen, rank), ({ seenNs }) => seenNs > at(phases.startNs, place))];
    found[own] = first !== undefined && first.seenNs <= at(phases.endNs, place);
  }
  return found;
}

/** The exchanges of one search; a rank's are asked for in order of time, before the transfers of all. */
export class RecordedExchanges {
  readonly #phases: RankPhases;
  readonly #messages: RankMessages;
  readonly #links: Links;
  /** By rank, what it handed over in the search. */
  readonly #handed: readonly Sight[][];
  /** By send, when links were through with what was handed over in the search. */
  readonly #passedNs = new Map<number, number>();
  /** By send, until when its sender had no processor after handing it over. */
  readonly #heldNs = new Map<number, number>();
  readonly #looked: { readonly place: number; readonly act: Looking; readonly end: number }[] = [];

  constructor(phases: RankPhases, { messages, links, search }: Options) {
    this.#phases = phases;
    this.#messages = messages;
    this.#links = links;
    const { ranks, first, startNs, endNs } = phases;
    this.#handed = Array.from({ length: ranks }, () => []);
    const queues = links.queues();
    for (const sight of messages.sent) {
      const { send, rank, peer, bytes, handedNs: ns } = sight;
      const [begin, end] = [at(first, search * ranks + peer), at(first, search * ranks + peer + 1)];
      if (begin === end || ns < at(startNs, begin) || ns > at(endNs, end - 1)) continue;
      this.#passedNs.set(send, queues.hand({ from: links.hostOf(peer), to: links.hostOf(rank), bytes, ns }));
      this.#handed[peer]?.push(sight);
    }
  }

  /** Divides a phase. */
  partsOf({ place, from, to }: PhasePart): readonly ExchangePart[] {
    const { asleepNs, queuedNs } = this.#phases;
    const acts = this.#actsOf({ place, from, to });
    const ends = endsOfWaits(
      acts.map(({ waited }) => waited),
      at(asleepNs, place),
    );
    const parts: Omit<ExchangePart, 'share'>[] = [];
    let doneNs = from;
    let handed: Sight | null = null;
    const put = (what: ExchangePart['what'], until: number): void => {
      if (until > doneNs) parts.push({ what, from: doneNs, to: until });
      doneNs = Math.max(doneNs, until);
    };
    const work = (until: number): void => {
      put('idle', Math.min(until, doneNs + (handed?.senderIdleNs ?? 0)));
      if (handed !== null) this.#heldNs.set(handed.send, doneNs);
      put('work', until);
    };
    for (const [index, act] of acts.entries()) {
      const end = at(ends, index);
      const awaited = act.waited[end];
      work(awaited?.begunNs ?? (act.handed === null ? act.ns - act.idleNs : act.ns));
      handed = act.handed;
      if (act.handed !== null) continue;
      if (awaited !== undefined) put('wait', awaited.cameNs);
      put('idle', act.ns);
      this.#looked.push({ place, act, end });
    }
    work(to);
    const sum = (what: ExchangePart['what']): number =>
      parts.reduce((all, part) => (part.what === what ? all + part.to - part.from : all), 0);
    const [worked, queued] = [sum('work'), at(queuedNs, place) || 0];
    const share = worked > 0 ? Math.min(1, Math.max(0, queued - sum('idle')) / worked) : 0;
    return parts.map((part) => ({ ...part, share }));
  }

  /** Messages of all phases that were asked for; `isEnd`: a wait ended with it. */
  transfers(): readonly (Arrival & { readonly isEnd: boolean })[] {
    return this.#looked.flatMap(({ place, act, end }) => {
      const awaited = act.waited[end];
      // Of one that ended no wait it is only known that it was there.
      const beforeNs = Math.min(act.ns, (awaited?.cameNs ?? Number.POSITIVE_INFINITY) - 1);
      return [...act.waited, ...act.others].flatMap((seen) => {
        if (seen === awaited) return { ...this.#arrival(place, seen), isEnd: true };
        const { sight, fromNs: startNs } = seen;
        if (sight.isOwn || startNs >= beforeNs) return [];
        const times = { startNs, endNs: beforeNs, onLinkNs: Math.min(seen.passedNs, beforeNs) - startNs };
        return { ...arrivalOf(seen, times), key: 'message', isEnd: false };
      });
    });
  }

  /** The message that ended a wait. */
  #arrival(place: number, seen: Seen): Arrival {
    const { kinds, kind } = this.#phases;
    const { sight, fromNs, cameNs, passedNs } = seen;
    // What its sender lacked a processor for as it handed the message over is no time of the message.
    const heldNs = Math.min(this.#heldNs.get(sight.send) ?? fromNs, fromNs + Math.max(0, cameNs - passedNs));
    const startNs = sight.handedNs === fromNs ? Math.max(fromNs, heldNs) : fromNs;
    const onLinkNs = Math.max(0, Math.min(passedNs, cameNs) - startNs);
    return {
      ...arrivalOf(seen, { startNs, endNs: cameNs, onLinkNs }),
      key: at(kinds, at(kind, place)).name + TRANSFER,
    };
  }

  /** What a rank did in a phase, in order of time; of one instant, what it saw comes first. */
  #actsOf({ place, from, to }: PhasePart): readonly (Handing | Looking)[] {
    const rank = at(this.#phases.rank, place);
    const [seen, handed] = [at(this.#messages.seen, rank), at(this.#handed, rank)];
    const after = (ns: number): number => firstWhere(seen, ({ seenNs }) => seenNs > ns);
    const lastSight = after(to);
    const acts: (Handing | Looking)[] = [];
    let sight = after(from);
    let hand = firstWhere(handed, ({ handedNs }) => handedNs >= from);
    let sinceNs = from;
    for (;;) {
      const [found, given] = [seen[sight], handed[hand]];
      const handedNs = given?.handedNs ?? Number.POSITIVE_INFINITY;
      if (found !== undefined && sight < lastSight && found.seenNs <= handedNs) {
        const next = after(found.seenNs);
        acts.push(this.#look(seen.slice(sight, next), { place, sinceNs }));
        [sight, sinceNs] = [next, found.seenNs];
      } else if (given !== undefined && handedNs < to) {
        acts.push({ ns: handedNs, handed: given, waited: [] });
        [hand, sinceNs] = [hand + 1, handedNs];
      } else return acts;
    }
  }

  /** What a rank saw in one instant. */
  #look(sights: readonly Sight[], { place, sinceNs }: { readonly place: number; readonly sinceNs: number }): Looking {
    const { seenNs: ns, idleNs } = at(sights, 0);
    const seen = sights.flatMap((sight) => this.#seen(sight, { place, sinceNs }) ?? []);
    return {
      ...{ ns, handed: null, sinceNs, idleNs: Math.max(0, Math.min(idleNs, ns - sinceNs)) },
      waited: seen.filter(({ sight }) => sight.waitedNs !== 0),
      others: seen.filter(({ sight }) => sight.waitedNs === 0),
    };
  }

  /** Null for what was not handed over in the search. */
  #seen(sight: Sight, { place, sinceNs }: { readonly place: number; readonly sinceNs: number }): Seen | null {
    const { startNs, meeting, partners, ranks } = this.#phases;
    const { rank, seenNs, waitedNs, isOwn } = sight;
    const passedNs = this.#passedNs.get(sight.send);
    if (passedNs === undefined) return null;
    // Where waits were not measured, whatever came is taken to have been waited for.
    const begunNs = Number.isNaN(waitedNs) ? sinceNs : Math.max(sinceNs, seenNs - waitedNs);
    // A buffer is not free before its receiver is there; a receiver that was there has nothing to do with it.
    const partner = isOwn ? at(partners, at(meeting, place) * ranks + sight.peer) : -1;
    const enteredNs = partner < 0 ? Number.NEGATIVE_INFINITY : at(startNs, partner);
    const comesLater = enteredNs > sight.handedNs && enteredNs < seenNs;
    const fromNs = comesLater ? enteredNs : sight.handedNs;
    const idleNs = Math.max(0, Math.min(sight.idleNs, seenNs - Math.max(begunNs, fromNs)));
    return {
      ...{ sight, fromNs, peer: isOwn && !comesLater ? rank : sight.peer, begunNs, cameNs: seenNs - idleNs },
      ...{ passedNs: Math.max(fromNs, passedNs), apartNs: this.#links.apartNs(rank, sight.peer) },
    };
  }
}

function arrivalOf(
  { sight, peer, begunNs }: Seen,
  times: Pick<Arrival, 'startNs' | 'endNs' | 'onLinkNs'>,
): Omit<Arrival, 'key'> {
  const { rank, bytes, isOwn } = sight;
  return { from: peer, to: rank, sinceNs: begunNs, ...times, bytes, entries: null, isRelease: isOwn };
}

// Programs that trace their phases, as activity graphs: one for each search. What held a rank up in an exchange is the message that
// ended its wait where messages were recorded, else, by rules M1 to M7, the rank of its group that entered last.
import { at } from '../../../base/lists.ts';
import type { ActivityKind } from '../activities.ts';
import { ActivityBuilder } from '../formats/activity-builder.ts';
import type { Links } from '../link-queues.ts';
import {
  type Arrival,
  type Entry,
  IDLE,
  type RunGraph,
  rankPath,
  type SearchPath,
  TRANSFER,
  WORK,
} from '../run-graph.ts';
import { handedBy, kindsWithMessages, type MessageParts, messageParts } from './message-parts.ts';
import type { RankMessages } from './rank-messages.ts';
import { idleShare, lastToEnter, type RankPhases } from './rank-phases.ts';

interface Options {
  /** Null: what held ranks up is inferred. */
  readonly messages: RankMessages | null;
  readonly links: Links | null;
  /** Of inferred exchanges: sleep before the last rank entered is no transfer, as it is by M5, but waiting. For what-ifs. */
  readonly isReplay?: boolean;
}

/** The graphs of all searches, in the order of `searches`. */
export function searchGraphs(phases: RankPhases, options: Options): readonly RunGraph[] {
  const { messages } = options;
  const recorded = messages === null ? [] : kindsWithMessages(phases, messages);
  const handed = messages === null ? [] : handedBy(phases, messages);
  return phases.searches.map((_, search) => new SearchGraph(phases, { ...options, search, recorded, handed }).build());
}

/** The paths of all searches; without messages by rules M1 to M7. */
export function searchPaths(
  phases: RankPhases,
  options: Options = { messages: null, links: null },
): readonly SearchPath[] {
  return searchGraphs(phases, options).map((graph, search) => ({
    root: at(phases.searches, search),
    ...rankPath(graph),
  }));
}

interface Search extends Options {
  readonly search: number;
  readonly recorded: readonly boolean[];
  readonly handed: readonly Uint32Array[];
}

/** A phase, or a part of it. */
interface Part {
  readonly place: number;
  readonly from: number;
  readonly to: number;
}

/** Collects what ranks did in one search. */
class SearchGraph {
  readonly #phases: RankPhases;
  readonly #options: Search;
  readonly #builder = new ActivityBuilder();
  readonly #arrivals: Arrival[] = [];
  /** Of the exchange that was met last for each meeting: whole groups share one list. */
  readonly #entries = new Map<number, { readonly members: Int32Array; readonly entries: readonly Entry[] }>();
  readonly #firstNs: number;
  readonly #parts: MessageParts | null;

  constructor(phases: RankPhases, options: Search) {
    const { messages, links, search, handed } = options;
    this.#phases = phases;
    this.#options = options;
    const { startNs, first, ranks } = phases;
    const [from, to] = [at(first, search * ranks), at(first, (search + 1) * ranks)];
    this.#firstNs = startNs.subarray(from, to).reduce((least, ns) => Math.min(least, ns), Number.POSITIVE_INFINITY);
    this.#parts = messages && links && messageParts(phases, { messages, links, search, handed });
  }

  build(): RunGraph {
    const { ranks, first, startNs } = this.#phases;
    const { search } = this.#options;
    let lastNs = this.#firstNs;
    for (let rank = 0; rank < ranks; rank += 1) {
      const [begin, end] = [at(first, search * ranks + rank), at(first, search * ranks + rank + 1)];
      let doneNs = this.#firstNs;
      for (let place = begin; place < end; place += 1) {
        const from = at(startNs, place);
        this.#add(rank, place === begin ? 'begin' : 'gap', { kind: 'unknown', from: doneNs, to: from });
        doneNs = this.#endOf(place);
        this.#phase({ place, from, to: doneNs });
      }
      if (begin === end) continue;
      this.#builder.addRunning(String(rank), { born: this.#firstNs, gone: doneNs, line: 0 });
      lastNs = Math.max(lastNs, doneNs);
    }
    for (const { isEnd, ...transfer } of this.#parts?.transfers() ?? []) this.#transfer(transfer, isEnd);
    return {
      activities: this.#builder.build(),
      slice: { startNs: this.#firstNs, endNs: lastNs },
      arrivals: this.#arrivals,
    };
  }

  /** Of phases that overlap the later one counts. */
  #endOf(place: number): number {
    const { first, rank, ranks, startNs, endNs } = this.#phases;
    const isLast = place + 1 === at(first, this.#options.search * ranks + at(rank, place) + 1);
    return isLast ? at(endNs, place) : Math.min(at(endNs, place), at(startNs, place + 1));
  }

  #phase(part: Part): void {
    if (part.to <= part.from) return;
    const { kinds, kind, groups, rank } = this.#phases;
    const own = at(kind, part.place);
    const members = groups[own]?.[at(rank, part.place)];
    if (members === undefined) this.#work(part, at(kinds, own).name);
    else if (this.#options.recorded[own]) this.#recorded(part);
    else this.#inferred(part, members);
  }

  /** When a rank had no processor is not known, only how long: that part comes last. */
  #work({ place, from, to }: Part, name: string, share = idleShare(this.#phases, place)): void {
    const rank = at(this.#phases.rank, place);
    const idleNs = this.#options.messages === null ? 0 : Math.round(share * Math.max(0, to - from));
    this.#add(rank, name, { kind: 'op', from, to: to - idleNs });
    this.#add(rank, this.#nameOf(place) + IDLE, { kind: 'idle', from: to - idleNs, to });
  }

  #recorded({ place, from, to }: Part): void {
    const name = this.#nameOf(place);
    for (const { what, share, ...times } of this.#parts?.of(place, { from, to }) ?? []) {
      if (what === 'work') this.#work({ place, ...times }, name + WORK, share);
      else this.#add(at(this.#phases.rank, place), what === 'wait' ? name : name + IDLE, { kind: what, ...times });
    }
  }

  /** Rules M4 to M7. */
  #inferred({ place, from, to }: Part, members: Int32Array): void {
    const { meeting, partners, ranks, startNs, asleepNs } = this.#phases;
    const { messages, isReplay = false } = this.#options;
    const rank = at(this.#phases.rank, place);
    const partner = (other: number): number => at(partners, at(meeting, place) * ranks + other);
    const entryOf = (other: number): number =>
      partner(other) < 0 ? Number.NEGATIVE_INFINITY : at(startNs, partner(other));
    const last = lastToEnter(members, { own: rank, entryOf });
    const asleep = messages === null ? at(asleepNs, place) : at(asleepNs, place) || 0;
    const isKnown = !Number.isNaN(asleep);
    const isLater = entryOf(last) > from && entryOf(last) < to;
    const follows = isLater && (messages !== null || asleep !== 0);
    const since = follows ? entryOf(last) : from;
    // It sleeps as soon as it has nothing to do but to wait for the last one.
    const waitNs = isKnown && messages === null ? Math.min(asleep, since - from) : since - from;
    const slept = isKnown ? Math.min(isReplay ? asleep - waitNs : asleep, to - since) : to - since;
    const [name, cameNs] = [this.#nameOf(place), since + slept];
    const key = isKnown ? name + TRANSFER : name;
    this.#work({ place, from, to: since - waitNs }, name + WORK);
    if (follows) this.#add(rank, name, { kind: 'wait', from: since - waitNs, to: cameNs });
    else this.#add(rank, key, { kind: 'wait-input', from, to: cameNs });
    this.#work({ place, from: cameNs, to }, name + WORK);
    const entries = this.#entriesOf(at(meeting, place), { members, entryOf });
    const bytes = this.#bytesOf(place, { members, partner: follows ? partner(last) : place });
    const arrival = {
      ...{ key, from: follows ? last : rank, to: rank, sinceNs: from, startNs: since, endNs: cameNs },
      ...{
        bytes,
        onLinkNs: Math.min(slept, this.#options.links?.needNs(bytes) ?? Number.NaN),
        entries,
        isRelease: false,
      },
    };
    if (follows) this.#transfer(arrival);
    // Who never slept though others came later took nothing from them, and could not leave before.
    else this.#arrivals.push(isLater ? { ...arrival, startNs: to, endNs: to } : arrival);
  }

  #entriesOf(
    meeting: number,
    { members, entryOf }: { readonly members: Int32Array; readonly entryOf: (rank: number) => number },
  ): readonly Entry[] {
    const known = this.#entries.get(meeting);
    if (known?.members === members) return known.entries;
    const entries = Array.from(members, (rank): Entry => ({ rank, startNs: entryOf(rank) }));
    this.#entries.set(meeting, { members, entries });
    return entries;
  }

  /** What a rank receives comes from its group, each member's bytes in even parts; the partner has its own bytes to send. */
  #bytesOf(place: number, { members, partner }: { readonly members: Int32Array; readonly partner: number }): number {
    const { bytes, meeting, partners, ranks, rank } = this.#phases;
    const { links } = this.#options;
    const hostOf = (one: number): number => links?.hostOf(one) ?? one;
    const own = at(rank, place);
    let received = 0;
    for (const other of members) {
      const theirs = at(partners, at(meeting, place) * ranks + other);
      // What stays on a host crosses no link.
      if (theirs >= 0 && other !== own && hostOf(other) !== hostOf(own))
        received += at(bytes, theirs) / Math.max(1, members.length - 1);
    }
    return Math.max(received, at(bytes, partner));
  }

  #transfer(arrival: Arrival, isEnd = true): void {
    const { key, from, to, startNs, endNs, bytes } = arrival;
    this.#builder.addTransfer({ from: String(from), to: String(to), startNs, endNs, name: key, bytes, line: 0 });
    if (isEnd) this.#arrivals.push(arrival);
  }

  #add(
    rank: number,
    name: string,
    { kind, from, to }: { readonly kind: ActivityKind; readonly from: number; readonly to: number },
  ): void {
    if (to > from) this.#builder.addWork({ worker: String(rank), name, kind, startNs: from, endNs: to, line: 0 });
  }

  #nameOf(place: number): string {
    const { kinds, kind } = this.#phases;
    return at(kinds, at(kind, place)).name;
  }
}

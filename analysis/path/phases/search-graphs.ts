// Programs that trace their phases, as activity graphs: one for each search. What held a rank up in an exchange is the message that
// ended its wait where messages were recorded, else, by rules M1 to M7, the rank of its group that entered last.
import { at } from '../../../base/lists.ts';
import type { ActivityKind } from '../activities.ts';
import { ActivityBuilder } from '../formats/activity-builder.ts';
import type { Links } from '../link-queues.ts';
import {
  type Arrival,
  addBusy,
  type Entry,
  IDLE,
  type RunGraph,
  rankPath,
  type SearchPath,
  TRANSFER,
  WORK,
} from '../run-graph.ts';
import { kindsWithMessages, type PhasePart, RecordedExchanges } from './exchange-parts.ts';
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
  return phases.searches.map((_, search) => new SearchGraph(phases, { ...options, search, recorded }).build());
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
  /** By kind, whether its messages are known. */
  readonly recorded: readonly boolean[];
}

/** Collects what ranks did in one search. */
class SearchGraph {
  readonly #phases: RankPhases;
  readonly #options: Search;
  readonly #builder = new ActivityBuilder();
  readonly #arrivals: Arrival[] = [];
  /** By meeting, of the group that was met last: whole groups share one list. */
  readonly #entries = new Map<number, { readonly members: Int32Array; readonly entries: readonly Entry[] }>();
  readonly #exchanges: RecordedExchanges | null;

  constructor(phases: RankPhases, options: Search) {
    const { messages, links, search } = options;
    this.#phases = phases;
    this.#options = options;
    this.#exchanges = messages && links && new RecordedExchanges(phases, { messages, links, search });
  }

  build(): RunGraph {
    const { ranks, first, startNs } = this.#phases;
    const firstOf = (rank: number): number => at(first, this.#options.search * ranks + rank);
    const beginNs = startNs.subarray(firstOf(0), firstOf(ranks)).reduce((a, b) => Math.min(a, b), Infinity);
    let lastNs = beginNs;
    for (let rank = 0; rank < ranks; rank += 1) {
      const [begin, end] = [firstOf(rank), firstOf(rank + 1)];
      let doneNs = beginNs;
      for (let place = begin; place < end; place += 1) {
        const from = at(startNs, place);
        this.#add(rank, place === begin ? 'begin' : 'gap', { kind: 'unknown', from: doneNs, to: from });
        doneNs = this.#endOf(place);
        if (doneNs > from) this.#addPhase({ place, from, to: doneNs });
      }
      if (begin === end) continue;
      this.#builder.addRunning(String(rank), { born: beginNs, gone: doneNs, line: 0 });
      lastNs = Math.max(lastNs, doneNs);
    }
    for (const { isEnd, ...transfer } of this.#exchanges?.transfers() ?? []) this.#transfer(transfer, isEnd);
    const slice = { startNs: beginNs, endNs: lastNs };
    return { activities: this.#builder.build(), slice, arrivals: this.#arrivals };
  }

  /** Of phases that overlap the later one counts. */
  #endOf(place: number): number {
    const { first, rank, ranks, startNs, endNs } = this.#phases;
    const isLast = place + 1 === at(first, this.#options.search * ranks + at(rank, place) + 1);
    return isLast ? at(endNs, place) : Math.min(at(endNs, place), at(startNs, place + 1));
  }

  #addPhase(part: PhasePart): void {
    const { kind, groups, rank } = this.#phases;
    const own = at(kind, part.place);
    const members = groups[own]?.[at(rank, part.place)];
    if (members === undefined) this.#addWork(part, this.#nameOf(part.place));
    else if (this.#options.recorded[own]) this.#addRecorded(part);
    else this.#addInferred(part, members);
  }

  /** `share`: of its time, what the rank had no processor for. */
  #addWork({ place, from, to }: PhasePart, name: string, share = idleShare(this.#phases, place)): void {
    const idleNs = this.#options.messages === null ? 0 : Math.round(share * Math.max(0, to - from));
    addBusy(this.#builder, {
      ...{ worker: String(at(this.#phases.rank, place)), name, kind: 'op', startNs: from, endNs: to, line: 0 },
      ...{ idleNs, idleName: this.#nameOf(place) + IDLE },
    });
  }

  #addRecorded(part: PhasePart): void {
    const [rank, name] = [at(this.#phases.rank, part.place), this.#nameOf(part.place)];
    for (const { what, share, ...times } of this.#exchanges?.partsOf(part) ?? []) {
      if (what === 'work') this.#addWork({ ...part, ...times }, name + WORK, share);
      else this.#add(rank, what === 'wait' ? name : name + IDLE, { kind: what, ...times });
    }
  }

  /** Rules M4 to M7. */
  #addInferred({ place, from, to }: PhasePart, members: Int32Array): void {
    const { meeting, partners, ranks, startNs, asleepNs } = this.#phases;
    const { messages, isReplay = false, links } = this.#options;
    const rank = at(this.#phases.rank, place);
    const partnerOf = (other: number): number => at(partners, at(meeting, place) * ranks + other);
    const entryOf = (other: number): number =>
      partnerOf(other) < 0 ? Number.NEGATIVE_INFINITY : at(startNs, partnerOf(other));
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
    this.#addWork({ place, from, to: since - waitNs }, name + WORK);
    if (follows) this.#add(rank, name, { kind: 'wait', from: since - waitNs, to: cameNs });
    else this.#add(rank, key, { kind: 'wait-input', from, to: cameNs });
    this.#addWork({ place, from: cameNs, to }, name + WORK);
    const bytes = this.#bytesOf(place, { members, partner: follows ? partnerOf(last) : place });
    const arrival: Arrival = {
      ...{ key, from: follows ? last : rank, to: rank, sinceNs: from, startNs: since, endNs: cameNs, bytes },
      ...{ onLinkNs: Math.min(slept, links?.needNs(bytes) ?? Number.NaN), isRelease: false },
      entries: this.#entriesOf(at(meeting, place), { members, entryOf }),
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
    const hostOf = this.#options.links?.hostOf ?? ((one: number): number => one);
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

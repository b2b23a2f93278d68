// What a run would have taken had some of it lasted longer or shorter: earliest times over its activity graphs, messages again over
// the links of their hosts in the order in which they were handed over (as in Dimemas, Labarta et al., 1996, with token buckets).
import { median } from 'simple-statistics';
import { at } from '../../base/at.ts';
import { badInput } from '../../base/errors.ts';
import { joinWords } from '../../base/join-words.ts';
import type { LinkRate } from '../../experiments/cell-link.ts';
import { edgeNs } from './graph/activity-graph.ts';
import { targetOf } from './graph/activity-path.ts';
import { explicitGraph } from './graph/explain-graph.ts';
import { inTime, replayedNs } from './graph/replay.ts';
import { lowerBound, NO_ROW, ON_THE_WIRE, TRANSFER_EDGE } from './graph/segment.ts';
import { type LinkQueues, linkQueues } from './link-queues.ts';
import { type Arrival, arrivalKey, type Entry, IDLE, type RunGraph, rankOf, TRANSFER, WORK } from './run-graph.ts';

/** What lasts how many times as long. */
export interface Change {
  readonly key: string;
  readonly factor: number;
}

interface WhatIf {
  readonly changes: readonly Change[];
  readonly hostOf: (rank: number) => string;
  /** What a host's link passes each way when it is so many times as slow as it was. */
  readonly linkOf: (slower: number) => LinkRate;
}

/**
 * How long each part of a run would take, ns. Keys are names on the path, a phase or call with all its parts, `transfer`, `work`, `idle`,
 * `link` (half of it is twice the bandwidth), `latency` (what transfers take beyond links), a host, or `rank N` with all that it does. Without a change
 * these are the measured times. A wait lasts as long as it must, in a collective operation until the last of its ranks has come. Errors:
 * badInput for a key that the run has not.
 */
export function whatIf(graphs: readonly RunGraph[], options: WhatIf): readonly number[] {
  const factors = factorsOf(graphs, options);
  return graphs.map((graph) => {
    const changed = lengthOf(graph, { ...options, factors });
    const measured = graph.slice.endNs - graph.slice.startNs;
    // Times are whole: what is less is rounding.
    return measured + Math.round(changed - measured);
  });
}

interface Factors {
  readonly ofName: (name: string) => number;
  readonly ofRank: (rank: number) => number;
  readonly transfer: number;
  readonly link: number;
  readonly latency: number;
}

const PARTS = ['link', 'latency', 'transfer', 'work', 'idle'] as const;

function factorsOf(graphs: readonly RunGraph[], { changes, hostOf }: Pick<WhatIf, 'changes' | 'hostOf'>): Factors {
  const names = new Set(graphs.flatMap(({ activities }) => activities.names.flatMap((name) => [baseOf(name), name])));
  const ranks = graphs.flatMap(({ activities }) => activities.workers.map((_, worker) => rankOf(activities, worker)));
  const places = new Set([...ranks.map(hostOf), ...ranks.map((rank) => `rank ${rank}`)]);
  for (const { key } of changes) {
    if (names.has(key) || names.has(baseOf(key)) || places.has(key) || PARTS.some((part) => part === key)) continue;
    const some = [...names].filter((name) => name !== '').slice(0, 12);
    throw badInput(
      `--what-if: the run has no '${key}': name one of ${joinWords([...some, ...PARTS, [...places][0] ?? '', 'rank 0'])}.`,
    );
  }
  const factor = (...keys: readonly string[]): number =>
    changes.reduce((product, { key, factor: own }) => (keys.includes(key) ? product * own : product), 1);
  const kindOf = (name: string): string => [TRANSFER, WORK, IDLE].find((end) => name.endsWith(end))?.trim() ?? name;
  const known = new Map([...names].map((name) => [name, factor(name, baseOf(name), kindOf(name))]));
  return {
    ofName: (name) => known.get(name) ?? 1,
    ofRank: (rank) => factor(hostOf(rank), `rank ${rank}`),
    transfer: factor('transfer'),
    link: factor('link'),
    latency: factor('latency'),
  };
}

/** `fold` of `fold transfer`. */
function baseOf(name: string): string {
  const end = [TRANSFER, WORK, IDLE].find((one) => name.endsWith(one)) ?? '';
  return name.slice(0, name.length - end.length);
}

/** What the time of a transfer is made of, ns: a share of what links take for the message behind others, what goes with their rate besides, and the rest. */
interface Course {
  readonly message: { readonly from: number; readonly to: number; readonly bytes: number } | null;
  readonly share: number;
  readonly linkNs: number;
  readonly restNs: number;
}

function lengthOf(
  run: RunGraph,
  { factors, linkOf, hostOf }: Omit<WhatIf, 'changes'> & { readonly factors: Factors },
): number {
  const { activities, slice, arrivals } = run;
  const { names, work, transfers, workers } = activities;
  const { graph, topology } = explicitGraph(activities, slice);
  const { vertexNs, vertexWorker, edgeTo, edgeKind, edgeRow } = graph;
  const hosts = [...new Set(workers.map((_, worker) => hostOf(rankOf(activities, worker))))];
  const order = inTime(graph, topology);
  const rows: number[] = [];
  const eachSent = (vertex: number, take: (row: number) => void): void => {
    const { outgoing } = topology;
    for (let slot = at(outgoing.first, vertex); slot < at(outgoing.first, vertex + 1); slot += 1) {
      const edge = at(outgoing.order, slot);
      // One that the border cuts lasts what is left of it.
      const isWhole = at(vertexWorker, vertex) !== ON_THE_WIRE && at(vertexWorker, at(edgeTo, edge)) !== ON_THE_WIRE;
      if (edgeKind[edge] === TRANSFER_EDGE && isWhole) take(at(edgeRow, edge));
    }
  };
  for (const vertex of order) eachSent(vertex, (row) => rows.push(row));
  const byEnd = new Map(arrivals.map((one) => [arrivalKey(one), one]));
  const { courses, latencyNs } = coursesOf(run, {
    ...{ rows, byEnd, links: linkQueues(hosts.length, linkOf(1)) },
    hostOf: (rank) => hosts.indexOf(hostOf(rank)),
  });
  const links = linkQueues(hosts.length, linkOf(factors.link));
  const onLinkNs = new Map<number, number>();
  const lasting = ({ linkNs, restNs }: Pick<Course, 'linkNs' | 'restNs'>): number =>
    linkNs * factors.link + restNs * factors.latency;
  const weightOf = (edge: number): number => {
    const [row, ns] = [at(edgeRow, edge), edgeNs(graph, edge)];
    if (edgeKind[edge] === TRANSFER_EDGE) {
      const course = courses.get(row);
      const name = at(names, at(transfers.name, row));
      // A transfer may have any name.
      const factor = name.endsWith(TRANSFER) ? factors.ofName(name) : factors.ofName(name) * factors.transfer;
      return factor * (course === undefined ? ns : course.share * (onLinkNs.get(row) ?? 0) + lasting(course));
    }
    const worker = at(vertexWorker, at(edgeTo, edge));
    if (row === NO_ROW || worker < 0) return ns;
    const [rank, name] = [rankOf(activities, worker), at(names, at(work.name, row))];
    const arrival = byEnd.get(arrivalKey({ to: rank, endNs: at(work.endNs, row), key: name }));
    if (arrival === undefined) return ns * factors.ofName(name) * factors.ofRank(rank);
    const all = arrival.endNs - arrival.startNs;
    return all > 0 ? (ns / all) * lasting(collectiveCourse(arrival, latencyNs)) * factors.ofName(name) : 0;
  };

  const first = new Int32Array(workers.length + 1).fill(vertexNs.length);
  for (let vertex = vertexNs.length - 1; vertex >= 0; vertex -= 1) {
    const worker = at(vertexWorker, vertex);
    if (worker === ON_THE_WIRE) first.fill(vertex);
    else first.fill(vertex, worker, worker + 1);
  }
  for (let worker = workers.length - 1; worker >= 0; worker -= 1)
    first[worker] = Math.min(at(first, worker), at(first, worker + 1));
  const numbers = new Map(workers.map((name, worker) => [name, worker]));
  const vertexAt = (rank: number, ns: number): number => {
    const worker = numbers.get(String(rank));
    if (worker === undefined) return -1;
    const [from, to] = [at(first, worker), at(first, worker + 1)];
    const vertex = lowerBound(vertexNs, { from, to, least: ns });
    return vertex < to && vertexNs[vertex] === ns ? vertex : -1;
  };
  const entered = new Map<readonly Entry[], readonly number[]>();
  const gates = new Map<number, Arrival[]>();
  for (const arrival of arrivals) {
    if (arrival.entries === null) continue;
    if (!entered.has(arrival.entries))
      entered.set(
        arrival.entries,
        arrival.entries.map(({ rank, startNs }) => vertexAt(rank, startNs)),
      );
    const vertex = vertexAt(arrival.to, arrival.endNs);
    if (vertex >= 0) gates.set(vertex, [...(gates.get(vertex) ?? []), arrival]);
  }
  const leastOf = (vertex: number, earliest: Float64Array): number =>
    (gates.get(vertex) ?? []).reduce((least, arrival) => {
      const { entries, startNs, key } = arrival;
      const ns = lasting(collectiveCourse(arrival, latencyNs)) * factors.ofName(key);
      return (entries ?? []).reduce((latest, entry, index) => {
        const own = entered.get(entries ?? [])?.[index] ?? -1;
        return own < 0 || entry.startNs > startNs ? latest : Math.max(latest, at(earliest, own) + ns);
      }, least);
    }, Number.NEGATIVE_INFINITY);
  const reached = (vertex: number, ns: number): void =>
    eachSent(vertex, (row) => {
      const message = courses.get(row)?.message;
      if (message) onLinkNs.set(row, links.hand({ ...message, ns }) - ns);
    });
  return replayedNs(graph, topology, { weightOf, leastOf, reached, order });
}

/** A message of which links need less than this share of its time is short. */
const SHORT = 0.1;

/** What is left of a transfer beyond links and latency goes with the link: headers, what is sent again, and what short messages queue behind. */
function divided(leftNs: number, latencyNs: number): Pick<Course, 'linkNs' | 'restNs'> {
  const restNs = Math.min(leftNs, latencyNs);
  return { linkNs: leftNs - restNs, restNs };
}

function collectiveCourse({ startNs, endNs, onLinkNs }: Arrival, latencyNs: number): Pick<Course, 'linkNs' | 'restNs'> {
  const onLink = Math.min(endNs - startNs, onLinkNs || 0);
  const { linkNs, restNs } = divided(endNs - startNs - onLink, latencyNs);
  return { linkNs: onLink + linkNs, restNs };
}

interface Dividing {
  /** In the order of their sending. */
  readonly rows: readonly number[];
  readonly byEnd: ReadonlyMap<string, Arrival>;
  readonly hostOf: (rank: number) => number;
  /** Empty, as they were. */
  readonly links: LinkQueues;
}

/** What links took of each transfer as it was measured, by row, and what short messages take beyond that. */
function coursesOf({ activities }: RunGraph, { rows, byEnd, hostOf, links }: Dividing) {
  const { transfers, names } = activities;
  const given = new GivenToLinks();
  const all = rows.map((row) => {
    const [startNs, endNs] = [at(transfers.startNs, row), at(transfers.endNs, row)];
    const [sender, rank] = [rankOf(activities, at(transfers.from, row)), rankOf(activities, targetOf(activities, row))];
    const arrival = byEnd.get(arrivalKey({ to: rank, endNs, key: at(names, at(transfers.name, row)) })) ?? null;
    // A sender's wait for its own message puts nothing on links that its receiver's does not.
    const isOwn = arrival !== null && (arrival.entries !== null || arrival.isRelease);
    const [from, to] = [hostOf(arrival?.from ?? sender), hostOf(rank)];
    const message = isOwn ? null : { from, to, bytes: at(transfers.bytes, row) };
    const onLinkNs = message === null ? 0 : links.hand({ ...message, ns: startNs }) - startNs;
    const afterNs = message === null ? null : given.add({ from, to, ns: startNs }, links);
    return { row, message, arrival, endNs, onLinkNs, lengthNs: endNs - startNs, afterNs };
  });
  const measured = all.map((one) => {
    const left = Math.max(0, one.lengthNs - one.onLinkNs);
    const { message, afterNs, endNs } = one;
    const behindNs = message === null || afterNs === null ? 0 : given.since(message, { afterNs, endNs });
    return { ...one, behindNs: Math.min(left, behindNs) };
  });
  const short = measured.flatMap(({ message, arrival, onLinkNs, behindNs, lengthNs }) =>
    message !== null && arrival !== null && onLinkNs + behindNs < SHORT * lengthNs
      ? [lengthNs - onLinkNs - behindNs]
      : [],
  );
  const latencyNs = short.length === 0 ? 0 : median(short);
  const courses = new Map<number, Course>();
  for (const { row, message, arrival, onLinkNs, behindNs, lengthNs } of measured) {
    if (arrival !== null && message === null) {
      courses.set(row, { message, share: 0, ...collectiveCourse(arrival, latencyNs) });
      continue;
    }
    const share = onLinkNs > lengthNs ? lengthNs / onLinkNs : 1;
    // Of one that ended no wait it is not known when it was there, only that it was.
    const beyond = arrival === null ? 0 : Math.max(0, lengthNs - onLinkNs - behindNs);
    const { linkNs, restNs } = divided(beyond, latencyNs);
    courses.set(row, { message, share, linkNs: linkNs + (arrival === null ? 0 : behindNs), restNs });
  }
  return { courses, latencyNs };
}

/** What links of hosts had been given by when, each way: messages mix with what is handed over after them. */
class GivenToLinks {
  readonly #given = new Map<string, { readonly ns: number[]; readonly sumNs: number[] }>();

  /** Takes down what links have been given; returns both sums. */
  add({ from, to, ns }: { readonly from: number; readonly to: number; readonly ns: number }, links: LinkQueues) {
    const sums = [links.out(from), links.into(to)] as const;
    for (const [index, way] of [`out ${from}`, `into ${to}`].entries()) {
      const given = this.#given.get(way) ?? { ns: [], sumNs: [] };
      this.#given.set(way, given);
      given.ns.push(ns);
      given.sumNs.push(at(sums, index));
    }
    return sums;
  }

  /** What one of its links needs for what it was given after a message, until that was there. */
  since(
    { from, to }: { readonly from: number; readonly to: number },
    { afterNs: [out, into], endNs }: { readonly afterNs: readonly [number, number]; readonly endNs: number },
  ): number {
    const until = (way: string): number => {
      const { ns, sumNs } = this.#given.get(way) ?? { ns: [], sumNs: [] };
      let [low, high] = [0, ns.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((ns[middle] as number) < endNs) low = middle + 1;
        else high = middle;
      }
      return sumNs[low - 1] ?? 0;
    };
    return Math.max(0, until(`out ${from}`) - out, until(`into ${to}`) - into);
  }
}

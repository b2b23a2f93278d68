// What a run would have taken had some of it lasted longer or shorter: earliest times over its activity graphs, messages again over
// the links of their hosts in the order in which they were handed over (as in Dimemas, Labarta et al., 1996, with token buckets).

import { badInput } from '../../base/errors.ts';
import { at } from '../../base/lists.ts';
import { joinWords } from '../../base/text.ts';
import type { LinkRate } from '../../experiments/records.ts';
import { ACTIVITY_KINDS } from './activities.ts';
import { type ActivityGraph, edgeNs } from './graph/activity-graph.ts';
import { targetOf } from './graph/activity-path.ts';
import { explicitGraph } from './graph/explain-graph.ts';
import { BUFFER, lowerBound, NO_ROW, ON_THE_WIRE, TRANSFER_EDGE } from './graph/segment.ts';
import { inTime, replayedNs } from './graph/vertex-times.ts';
import { linkQueues } from './link-queues.ts';
import { type Arrival, arrivalsByEnd, type Entry, IDLE, type RunGraph, rankOf, TRANSFER, WORK } from './run-graph.ts';
import { collectiveCourse, coursesOf, divided, type TransferCourse } from './transfer-courses.ts';

const PAUSE = ACTIVITY_KINDS.indexOf('idle');

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
  /** Of what a message takes beyond links: both ends take time to handle it. */
  readonly ofHosts: (from: number, to: number) => number;
  readonly transfer: number;
  readonly link: number;
  readonly latency: number;
  readonly idle: number;
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
  const ofRank = (rank: number): number => factor(hostOf(rank), `rank ${rank}`);
  return {
    ofName: (name) => known.get(name) ?? 1,
    ofRank,
    ofHosts: (from, to) => (from === to ? ofRank(from) : ofRank(from) * ofRank(to)),
    transfer: factor('transfer'),
    link: factor('link'),
    latency: factor('latency'),
    idle: factor('idle'),
  };
}

/** `fold` of `fold transfer`. */
function baseOf(name: string): string {
  const end = [TRANSFER, WORK, IDLE].find((one) => name.endsWith(one)) ?? '';
  return name.slice(0, name.length - end.length);
}

function lengthOf(
  run: RunGraph,
  { factors, linkOf, hostOf }: Omit<WhatIf, 'changes'> & { readonly factors: Factors },
): number {
  const { activities, slice, arrivals } = run;
  const { names, work, transfers, workers } = activities;
  const { graph, topology } = explicitGraph(activities, slice);
  const { vertexWorker, edgeTo, edgeKind, edgeRow } = graph;
  const hosts = [...new Set(workers.map((_, worker) => hostOf(rankOf(activities, worker))))];
  const order = inTime(graph, topology);
  const rows: number[] = [];
  const eachSent = (vertex: number, take: (row: number) => void): void => {
    const { outgoing } = topology;
    for (let slot = at(outgoing.first, vertex); slot < at(outgoing.first, vertex + 1); slot += 1) {
      const edge = at(outgoing.order, slot);
      // Of one that the border cuts it is not known what links took of the rest.
      const isWhole = at(vertexWorker, vertex) !== ON_THE_WIRE && at(vertexWorker, at(edgeTo, edge)) !== ON_THE_WIRE;
      if (edgeKind[edge] === TRANSFER_EDGE && isWhole) take(at(edgeRow, edge));
    }
  };
  for (const vertex of order) eachSent(vertex, (row) => rows.push(row));
  const arrivalOf = arrivalsByEnd(arrivals);
  const { courses, latencyNs } = coursesOf(run, {
    ...{ rows, arrivalOf, links: linkQueues(hosts.length, linkOf(1)) },
    hostOf: (rank) => hosts.indexOf(hostOf(rank)),
  });
  const links = linkQueues(hosts.length, linkOf(factors.link));
  const onLinkNs = new Map<number, number>();
  const lasting = ({ linkNs, restNs }: Pick<TransferCourse, 'linkNs' | 'restNs'>): number =>
    linkNs * factors.link + restNs * factors.latency;
  /** By rank, how much longer it computes. */
  const longerNs = new Map<number, number>();
  const weightOf = (edge: number): number => {
    const [row, ns] = [at(edgeRow, edge), edgeNs(graph, edge)];
    if (edgeKind[edge] === TRANSFER_EDGE) {
      const course = courses.get(row);
      const name = at(names, at(transfers.name, row));
      // A transfer may have any name.
      const factor = name.endsWith(TRANSFER) ? factors.ofName(name) : factors.ofName(name) * factors.transfer;
      const by = factors.ofHosts(
        rankOf(activities, at(transfers.from, row)),
        rankOf(activities, targetOf(activities, row)),
      );
      if (course === undefined) return factor * by * lasting(divided(ns, latencyNs));
      return factor * (course.share * (onLinkNs.get(row) ?? 0) + by * lasting(course));
    }
    const worker = at(vertexWorker, at(edgeTo, edge));
    if (row === NO_ROW || worker < 0) return ns;
    const [rank, name] = [rankOf(activities, worker), at(names, at(work.name, row))];
    const arrival = arrivalOf(rank, at(work.endNs, row), name);
    const factor = factors.ofName(name) * factors.ofRank(rank);
    if (edgeKind[edge] !== PAUSE) longerNs.set(rank, (longerNs.get(rank) ?? 0) + ns * (factors.ofName(name) - 1));
    // What waits until its message is taken goes with the links that take it.
    if (arrival === null) return factor * (edgeKind[edge] === BUFFER ? lasting(divided(ns, latencyNs)) : ns);
    const all = arrival.endNs - arrival.startNs;
    return all > 0 ? (ns / all) * lasting(collectiveCourse(arrival, latencyNs)) * factors.ofName(name) : 0;
  };

  const gates = gatesOf(run, graph);
  const leastOf = (vertex: number, earliest: Float64Array): number =>
    (gates.get(vertex) ?? []).reduce((least, { arrival, entries }) => {
      const by = factors.ofName(arrival.key) * factors.ofHosts(arrival.from, arrival.to);
      const ns = by * lasting(collectiveCourse(arrival, latencyNs));
      return entries.reduce((latest, entry) => Math.max(latest, at(earliest, entry) + ns), least);
    }, Number.NEGATIVE_INFINITY);
  const reached = (vertex: number, ns: number): void =>
    eachSent(vertex, (row) => {
      const message = courses.get(row)?.message;
      if (message) onLinkNs.set(row, links.hand({ ...message, ns }) - ns);
    });
  const replayed = replayedNs(graph, topology, { weightOf, leastOf, reached, order });
  return (run.processors ?? []).reduce((longest, own, rank) => {
    if (own === null) return longest;
    // Other work took the rest of a share that would not have been enough for the measured time.
    const share = Math.max(own.share, own.needNs / (slice.endNs - slice.startNs));
    const needNs = (own.needNs + (longerNs.get(rank) ?? 0)) * factors.ofRank(rank);
    return Math.max(longest, needNs * (1 + (1 / share - 1) * factors.idle));
  }, replayed);
}

interface Gate {
  readonly arrival: Arrival;
  /** Vertices in which ranks came to the collective operation that it waited for. */
  readonly entries: readonly number[];
}

/** By vertex, the collective operations that go on there: whoever came last in the run, after a change it may be another rank. */
function gatesOf({ activities: { workers }, arrivals }: RunGraph, { vertexNs, vertexWorker }: ActivityGraph) {
  const first = new Uint32Array(workers.length + 1);
  for (const worker of vertexWorker) if (worker !== ON_THE_WIRE) first[worker + 1] = at(first, worker + 1) + 1;
  for (const worker of workers.keys()) first[worker + 1] = at(first, worker + 1) + at(first, worker);
  const numbers = new Map(workers.map((name, worker) => [name, worker]));
  const vertexAt = ({ rank, startNs }: Entry): number => {
    const worker = numbers.get(String(rank));
    if (worker === undefined) return -1;
    const [from, to] = [at(first, worker), at(first, worker + 1)];
    const vertex = lowerBound(vertexNs, { from, to, least: startNs });
    return vertex < to && vertexNs[vertex] === startNs ? vertex : -1;
  };
  const entered = new Map<readonly Entry[], readonly number[]>();
  const gates = new Map<number, Gate[]>();
  for (const arrival of arrivals) {
    const { entries: all, to, startNs, endNs } = arrival;
    const vertex = all === null ? -1 : vertexAt({ rank: to, startNs: endNs });
    if (all === null || vertex < 0) continue;
    const vertices = entered.get(all) ?? all.map(vertexAt);
    entered.set(all, vertices);
    const entries = vertices.filter((own) => own >= 0 && at(vertexNs, own) <= startNs);
    gates.set(vertex, [...(gates.get(vertex) ?? []), { arrival, entries }]);
  }
  return gates;
}

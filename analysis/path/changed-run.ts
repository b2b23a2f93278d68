import { at, lowerBound } from '../../base/lists.ts';
import type { LinkRate } from '../../experiments/records.ts';
import { ACTIVITY_KINDS } from './activities.ts';
import { groupByKey } from './arrange.ts';
import { type ActivityGraph, activityGraph, edgeNs } from './graph/activity-graph.ts';
import { targetOf } from './graph/activity-path.ts';
import { BUFFER, NO_ROW, ON_THE_WIRE, TRANSFER_EDGE } from './graph/segment.ts';
import { inTime, replayedNs } from './graph/vertex-times.ts';
import { type LinkQueues, linkQueues } from './link-queues.ts';
import {
  type Arrival,
  arrivalsByEnd,
  type Entry,
  type ProcessorTime,
  type RunGraph,
  rankOf,
  TRANSFER,
} from './run-graph.ts';
import { collectiveCourse, coursesOf, divided, type TransferCourse } from './transfer-courses.ts';

/** How many times as long what lasts. */
export interface Factors {
  readonly ofName: (name: string) => number;
  readonly ofRank: (rank: number) => number;
  /** Of what a message takes beyond links: both ends take time to handle it. */
  readonly ofHosts: (from: number, to: number) => number;
  readonly transfer: number;
  readonly link: number;
  readonly latency: number;
  readonly idle: number;
}

interface Change {
  readonly factors: Factors;
  readonly hostOf: (rank: number) => string;
  /** What a host's link passes each way when it is so many times as slow as it was. */
  readonly linkOf: (slower: number) => LinkRate;
}

const PAUSE = ACTIVITY_KINDS.indexOf('idle');

/** A part of a run that is done again with something changed. */
export class ChangedRun {
  readonly #run: RunGraph;
  readonly #factors: Factors;
  readonly #graph: ActivityGraph;
  readonly #arrivalOf: ReturnType<typeof arrivalsByEnd>;
  readonly #courses: ReadonlyMap<number, TransferCourse>;
  readonly #latencyNs: number;
  readonly #links: LinkQueues;
  readonly #order: Int32Array;
  /** By vertex, what goes on there. */
  readonly #gates: ReadonlyMap<number, readonly Gate[]>;
  /** By row, what links take for a message that was handed over. */
  readonly #onLinkNs = new Map<number, number>();
  /** By rank, how much longer it computes. */
  readonly #longerNs = new Map<number, number>();

  constructor(run: RunGraph, { factors, linkOf, hostOf }: Change) {
    const { activities, slice, arrivals } = run;
    this.#run = run;
    this.#factors = factors;
    this.#graph = activityGraph(activities, slice);
    this.#order = inTime(this.#graph);
    this.#arrivalOf = arrivalsByEnd(arrivals);
    const hosts = [...new Set(activities.workers.map((_, worker) => hostOf(rankOf(activities, worker))))];
    const { courses, latencyNs } = coursesOf(run, {
      rows: [...this.#order].flatMap((vertex) => [...this.#sentAt(vertex)]),
      arrivalOf: this.#arrivalOf,
      links: linkQueues(hosts.length, linkOf(1)),
      hostOf: (rank) => hosts.indexOf(hostOf(rank)),
    });
    this.#courses = courses;
    this.#latencyNs = latencyNs;
    this.#links = linkQueues(hosts.length, linkOf(factors.link));
    this.#gates = gatesOf(run, this.#graph);
  }

  lengthNs(): number {
    const replayed = replayedNs(this.#graph, {
      order: this.#order,
      weightOf: (edge) => this.#weightOf(edge),
      leastOf: (vertex, earliest) => this.#leastOf(vertex, earliest),
      reached: (vertex, ns) => this.#handOver(vertex, ns),
    });
    return Math.max(replayed, ...(this.#run.processors ?? []).map((own, rank) => this.#neededNs(own, rank)));
  }

  /** Rows of the transfers that a vertex sends; of one that the border cuts it is not known what links took of the rest. */
  *#sentAt(vertex: number): Generator<number> {
    const { vertexWorker, edgeTo, edgeKind, edgeRow, outgoing } = this.#graph;
    const { first, order } = outgoing;
    if (at(vertexWorker, vertex) === ON_THE_WIRE) return;
    for (const edge of order.subarray(at(first, vertex), at(first, vertex + 1))) {
      if (edgeKind[edge] !== TRANSFER_EDGE || at(vertexWorker, at(edgeTo, edge)) === ON_THE_WIRE) continue;
      yield at(edgeRow, edge);
    }
  }

  #handOver(vertex: number, ns: number): void {
    for (const row of this.#sentAt(vertex)) {
      const message = this.#courses.get(row)?.message;
      if (message) this.#onLinkNs.set(row, this.#links.hand({ ...message, ns }) - ns);
    }
  }

  #weightOf(edge: number): number {
    const graph = this.#graph;
    const [row, ns] = [at(graph.edgeRow, edge), edgeNs(graph, edge)];
    if (graph.edgeKind[edge] === TRANSFER_EDGE) return this.#transferNs(row, ns);
    const worker = at(graph.vertexWorker, at(graph.edgeTo, edge));
    return row === NO_ROW || worker < 0 ? ns : this.#workNs(row, { worker, kind: at(graph.edgeKind, edge), ns });
  }

  #transferNs(row: number, ns: number): number {
    const { activities } = this.#run;
    const { ofName, ofHosts, transfer } = this.#factors;
    const name = at(activities.names, at(activities.transfers.name, row));
    // A transfer may have any name.
    const factor = name.endsWith(TRANSFER) ? ofName(name) : ofName(name) * transfer;
    const sender = rankOf(activities, at(activities.transfers.from, row));
    const by = ofHosts(sender, rankOf(activities, targetOf(activities, row)));
    const course = this.#courses.get(row);
    if (course === undefined) return factor * by * this.#lasting(divided(ns, this.#latencyNs));
    return factor * (course.share * (this.#onLinkNs.get(row) ?? 0) + by * this.#lasting(course));
  }

  #workNs(
    row: number,
    { worker, kind, ns }: { readonly worker: number; readonly kind: number; readonly ns: number },
  ): number {
    const { activities } = this.#run;
    const { ofName, ofRank } = this.#factors;
    const [rank, name] = [rankOf(activities, worker), at(activities.names, at(activities.work.name, row))];
    const arrival = this.#arrivalOf(rank, at(activities.work.endNs, row), name);
    if (kind !== PAUSE) this.#longerNs.set(rank, (this.#longerNs.get(rank) ?? 0) + ns * (ofName(name) - 1));
    if (arrival === null) {
      // What waits until its message is taken goes with the links that take it.
      const own = kind === BUFFER ? this.#lasting(divided(ns, this.#latencyNs)) : ns;
      return ofName(name) * ofRank(rank) * own;
    }
    const all = arrival.endNs - arrival.startNs;
    return all > 0 ? (ns / all) * this.#lasting(collectiveCourse(arrival, this.#latencyNs)) * ofName(name) : 0;
  }

  /** When the collective operations that go on at a vertex are over. */
  #leastOf(vertex: number, earliest: Float64Array): number {
    let least = Number.NEGATIVE_INFINITY;
    for (const { arrival, entries } of this.#gates.get(vertex) ?? []) {
      const by = this.#factors.ofName(arrival.key) * this.#factors.ofHosts(arrival.from, arrival.to);
      const ns = by * this.#lasting(collectiveCourse(arrival, this.#latencyNs));
      for (const entry of entries) least = Math.max(least, at(earliest, entry) + ns);
    }
    return least;
  }

  #lasting({ linkNs, restNs }: Pick<TransferCourse, 'linkNs' | 'restNs'>): number {
    return linkNs * this.#factors.link + restNs * this.#factors.latency;
  }

  /** How long a rank needs for what it does on its share of a processor. */
  #neededNs(own: ProcessorTime | null, rank: number): number {
    if (own === null) return 0;
    const { startNs, endNs } = this.#run.slice;
    // Other work took the rest of a share that would not have been enough for the measured time.
    const share = Math.max(own.share, own.needNs / (endNs - startNs));
    const needNs = (own.needNs + (this.#longerNs.get(rank) ?? 0)) * this.#factors.ofRank(rank);
    return needNs * (1 + (1 / share - 1) * this.#factors.idle);
  }
}

interface Gate {
  readonly arrival: Arrival;
  /** Vertices in which ranks came to the collective operation that it waited for. */
  readonly entries: readonly number[];
}

/** By vertex, the collective operations that go on there: whoever came last in the run, after a change it may be another rank. */
function gatesOf({ activities: { workers }, arrivals }: RunGraph, graph: ActivityGraph) {
  const vertexAt = vertexFinder(workers, graph);
  const entered = new Map<readonly Entry[], readonly number[]>();
  const gates = new Map<number, Gate[]>();
  for (const arrival of arrivals) {
    const { entries: all, to, startNs, endNs } = arrival;
    const vertex = all === null ? -1 : vertexAt({ rank: to, startNs: endNs });
    if (all === null || vertex < 0) continue;
    const vertices = entered.get(all) ?? all.map(vertexAt);
    entered.set(all, vertices);
    const entries = vertices.filter((own) => own >= 0 && at(graph.vertexNs, own) <= startNs);
    gates.set(vertex, [...(gates.get(vertex) ?? []), { arrival, entries }]);
  }
  return gates;
}

/** Finds the vertex of a rank at an instant; -1 where it has none. */
function vertexFinder(workers: readonly string[], { vertexNs, vertexWorker }: ActivityGraph) {
  const owned = vertexWorker.filter((worker) => worker !== ON_THE_WIRE);
  const { first } = groupByKey(owned, workers.length);
  const numbers = new Map(workers.map((name, worker) => [name, worker]));
  return ({ rank, startNs }: Entry): number => {
    const worker = numbers.get(String(rank));
    if (worker === undefined) return -1;
    const [from, to] = [at(first, worker), at(first, worker + 1)];
    const vertex = lowerBound(vertexNs, { from, to, least: startNs });
    return vertex < to && vertexNs[vertex] === startNs ? vertex : -1;
  };
}

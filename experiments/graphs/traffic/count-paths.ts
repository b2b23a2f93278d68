import { badInput } from '../../../base/errors.ts';
import type { Graph } from '../load-graph.ts';
import type { Traffic } from './exchange-traffic.ts';

const WIDTH = 8;

/** Where an edge is relaxed: on the rank of the vertex that it leaves, or on another one that has a copy of it. */
type Side = 0 | 1;
const OWN: Side = 0;
const COPIES: Side = 1;

/**
 * What agents/graphalytics/sssp.c sends: ranks relax the vertices of a bin until none is left, then send the distances that fell; at last
 * they pull. Returns supersteps and edges relaxed or looked at.
 */
export function countPaths(
  traffic: Traffic,
  source: number,
): { readonly supersteps: number; readonly edgesRead: number } {
  const paths = new Paths(traffic);
  let supersteps = 0;
  let isPulled = false;
  paths.plant(source);
  for (let least = 0; Number.isFinite(least); least = paths.least()) {
    if (!isPulled && !paths.isBelowEnd(least) && paths.wantPulling()) {
      paths.pull();
      isPulled = true;
      supersteps += 1;
    } else if (!isPulled) paths.moveEnd(least);
    paths.relaxWaiting();
    paths.tell();
    paths.relaxTold();
    traffic.reduce(2);
    supersteps += 2;
  }
  return { supersteps, edgesRead: paths.edgesRead };
}

/** The vertices on all ranks at once; all copies of one have heard the same. */
class Paths {
  edgesRead = 0;
  readonly #traffic: Traffic;
  readonly #graph: Graph;
  readonly #owners: Uint32Array;
  /** Of each vertex, the lightest edge first. */
  readonly #targets: Uint32Array;
  readonly #weights: Float64Array;
  readonly #perWidth: number;
  /** By side: distances, places of the edges from which on none was relaxed (-1: not met at that distance), and who is settled. */
  readonly #distance: readonly [Float64Array, Float64Array];
  readonly #next: readonly [Int32Array, Int32Array];
  readonly #isSettled: readonly [Uint8Array, Uint8Array];
  /** Of each rank: edges of its vertices that are not settled, and edges from settled ones that were not relaxed. */
  readonly #endsLeft: Float64Array;
  readonly #edgesLeft: Float64Array;
  /** By bin, twice the vertex plus the side. */
  readonly #bins = new Map<number, number[]>();
  #changed = new Set<number>();
  #end = 0;

  constructor(traffic: Traffic) {
    const { graph, ranks, owners } = traffic.partition;
    const { vertices, out } = graph;
    if (out.weights === null) throw badInput('SSSP needs weights, but the graph has none.');
    this.#traffic = traffic;
    this.#graph = graph;
    this.#owners = owners;
    [this.#targets, this.#weights] = sortByWeight(out, out.weights);
    this.#perWidth = 1 / binWidth(out.weights, vertices, ranks);
    this.#distance = [new Float64Array(vertices).fill(Infinity), new Float64Array(vertices).fill(Infinity)];
    this.#next = [new Int32Array(vertices).fill(-1), new Int32Array(vertices).fill(-1)];
    this.#isSettled = [new Uint8Array(vertices), new Uint8Array(vertices)];
    this.#endsLeft = new Float64Array(ranks);
    this.#edgesLeft = new Float64Array(ranks);
    owners.forEach((owner, vertex) => {
      this.#endsLeft[owner] = (this.#endsLeft[owner] ?? 0) + this.#endsOf(vertex);
    });
  }

  plant(source: number): void {
    this.#distance[OWN][source] = 0;
    this.#put(source, OWN, 0);
  }

  isBelowEnd(distance: number): boolean {
    return distance * this.#perWidth < this.#end;
  }

  moveEnd(distance: number): void {
    this.#end = Math.floor(distance * this.#perWidth) + 1;
  }

  wantPulling(): boolean {
    return this.#endsLeft.every((ends, rank) => ends <= (this.#edgesLeft[rank] ?? 0));
  }

  /** The least distance that waits; forgets who waits elsewhere. */
  least(): number {
    for (let bin = least(this.#bins.keys()); Number.isFinite(bin); bin = least(this.#bins.keys())) {
      const waiting = (this.#bins.get(bin) ?? []).map((one) => this.#keyOf(one >> 1, (one & 1) as Side));
      const found = least(waiting.filter((key) => key * this.#perWidth < bin + 1));
      if (Number.isFinite(found)) return found;
      this.#bins.delete(bin);
    }
    return Infinity;
  }

  relaxWaiting(): void {
    for (let bin = least(this.#bins.keys()); bin < this.#end; bin = least(this.#bins.keys())) {
      const waiting = this.#bins.get(bin) ?? [];
      this.#bins.delete(bin);
      for (const one of waiting) {
        const [vertex, side] = [one >> 1, (one & 1) as Side];
        if (!this.isBelowEnd(this.#keyOf(vertex, side))) continue;
        if (this.#next[side][vertex] === -1) {
          this.#settle(vertex, side);
          this.#changed.add(vertex);
        }
        this.#relax(vertex, side);
      }
    }
  }

  tell(): void {
    this.#traffic.spread(this.#changed, WIDTH);
    for (const vertex of this.#changed) this.#distance[COPIES][vertex] = this.#distance[OWN][vertex] ?? 0;
  }

  relaxTold(): void {
    for (const vertex of this.#changed) {
      this.#beginAgain(vertex, COPIES);
      this.#settle(vertex, COPIES);
      this.#relax(vertex, COPIES);
    }
    this.#changed = new Set();
  }

  /** From settled ones, then, when that was told, from the others. */
  pull(): void {
    this.#bins.clear();
    const vertices = Array.from(this.#owners.keys());
    const isOpen = vertices.map((vertex) => !this.isBelowEnd(this.#distance[OWN][vertex] ?? 0));
    const pullFrom = (vertex: number): void =>
      this.#forEdges(vertex, (next, weight, side) => {
        if (!isOpen[next] || weight >= (this.#distance[OWN][next] ?? 0)) return;
        this.edgesRead += 1;
        const length = (this.#distance[side][vertex] ?? 0) + weight;
        if (length >= (this.#distance[OWN][next] ?? 0)) return;
        this.#distance[OWN][next] = length;
        if (this.#isInner(next)) this.#changed.add(next);
      });
    for (const vertex of vertices) if (!isOpen[vertex]) pullFrom(vertex);
    this.tell();
    this.#changed = new Set();
    for (const vertex of vertices) if (isOpen[vertex]) pullFrom(vertex);
    for (const vertex of this.#changed) this.#put(vertex, OWN, this.#distance[OWN][vertex] ?? 0);
    this.#changed = new Set();
    this.#end = Infinity;
  }

  #relax(vertex: number, side: Side): void {
    const from = this.#distance[side][vertex] ?? 0;
    const end = this.#graph.out.offsets[vertex + 1] ?? 0;
    let edge = this.#nextEdge(vertex, side);
    for (; edge < end; edge += 1) {
      const next = this.#targets[edge] ?? 0;
      if (this.#sideOf(vertex, next) !== side) continue;
      const length = from + (this.#weights[edge] ?? 0);
      if (!this.isBelowEnd(length)) {
        this.#put(vertex, side, length);
        break;
      }
      this.edgesRead += 1;
      this.#leave(next, -1);
      if (length >= (this.#distance[OWN][next] ?? 0)) continue;
      this.#distance[OWN][next] = length;
      if (!this.#isInner(next)) continue;
      this.#beginAgain(next, OWN);
      this.#put(next, OWN, length);
    }
    this.#next[side][vertex] = edge;
  }

  #beginAgain(vertex: number, side: Side): void {
    const end = this.#nextEdge(vertex, side);
    for (let edge = this.#graph.out.offsets[vertex] ?? 0; edge < end; edge += 1) {
      const next = this.#targets[edge] ?? 0;
      if (this.#sideOf(vertex, next) === side) this.#leave(next, 1);
    }
    this.#next[side][vertex] = -1;
  }

  #settle(vertex: number, side: Side): void {
    if (this.#isSettled[side][vertex] === 1) return;
    this.#isSettled[side][vertex] = 1;
    this.#forEdges(vertex, (next, _, here) => {
      if (here === side) this.#leave(next, 1);
    });
    const owner = this.#owners[vertex] ?? 0;
    if (side === OWN) this.#endsLeft[owner] = (this.#endsLeft[owner] ?? 0) - this.#endsOf(vertex);
  }

  #forEdges(vertex: number, use: (next: number, weight: number, side: Side) => void): void {
    const { offsets } = this.#graph.out;
    for (let edge = offsets[vertex] ?? 0; edge < (offsets[vertex + 1] ?? 0); edge += 1) {
      const next = this.#targets[edge] ?? 0;
      use(next, this.#weights[edge] ?? 0, this.#sideOf(vertex, next));
    }
  }

  /** An edge is relaxed by the rank of the vertex that it leads to. */
  #leave(next: number, edges: number): void {
    const rank = this.#owners[next] ?? 0;
    this.#edgesLeft[rank] = (this.#edgesLeft[rank] ?? 0) + edges;
  }

  #put(vertex: number, side: Side, key: number): void {
    const bin = Math.floor(key * this.#perWidth);
    const waiting = this.#bins.get(bin);
    if (waiting) waiting.push(2 * vertex + side);
    else this.#bins.set(bin, [2 * vertex + side]);
  }

  #keyOf(vertex: number, side: Side): number {
    const distance = this.#distance[side][vertex] ?? 0;
    const edge = this.#next[side][vertex] ?? 0;
    if (edge === -1) return distance;
    return edge < (this.#graph.out.offsets[vertex + 1] ?? 0) ? distance + (this.#weights[edge] ?? 0) : Infinity;
  }

  #nextEdge(vertex: number, side: Side): number {
    return Math.max(this.#next[side][vertex] ?? 0, this.#graph.out.offsets[vertex] ?? 0);
  }

  #sideOf(vertex: number, next: number): Side {
    return this.#owners[vertex] === this.#owners[next] ? OWN : COPIES;
  }

  #endsOf(vertex: number): number {
    const { offsets } = this.#graph.in;
    return (offsets[vertex + 1] ?? 0) - (offsets[vertex] ?? 0);
  }

  /** Who has one edge only got its distance by it, and needs not be relaxed. */
  #isInner(vertex: number): boolean {
    return this.#graph.directed || this.#endsOf(vertex) > 1;
  }
}

function sortByWeight(
  { offsets, targets }: Graph['out'],
  weights: Float64Array,
): readonly [targets: Uint32Array, weights: Float64Array] {
  const edges = Uint32Array.from(targets.keys());
  for (let vertex = 0; vertex + 1 < offsets.length; vertex += 1)
    edges.subarray(offsets[vertex], offsets[vertex + 1]).sort((a, b) => (weights[a] ?? 0) - (weights[b] ?? 0));
  return [
    Uint32Array.from(edges, (edge) => targets[edge] ?? 0),
    Float64Array.from(edges, (edge) => weights[edge] ?? 0),
  ];
}

function least(numbers: Iterable<number>): number {
  let found = Infinity;
  for (const number of numbers) found = Math.min(found, number);
  return found;
}

/** `bin_width` of sssp.c: twice as wide between ranks. */
function binWidth(weights: Float64Array, vertices: number, ranks: number): number {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const mean = weights.length > 0 ? sum / weights.length : 0;
  const width = (mean / Math.max(1, weights.length / vertices)) * (ranks > 1 ? 2 : 1);
  return width > 1e-300 && Number.isFinite(width) ? width : 1;
}

import type { Adjacency } from '../adjacency.ts';
import type { Traffic } from './exchange-traffic.ts';
import type { Copies, Partition } from './partition.ts';

/** Of agents/graphalytics/join.c, and how many probes are candidates for the largest part. */
const [SAMPLED, PROBES, MANY, CANDIDATES] = [2, 1024, 768, 16];

/** What a rank tells a peer of: a vertex of the peer, the peer's giant, or its own. */
export interface Reach {
  readonly rank: number;
  readonly peer: number;
  readonly kind: 'vertex' | 'yours' | 'mine';
  /** -1 for giants. */
  readonly vertex: number;
  /** Root of the part here; null: none. */
  readonly part: number | null;
  /** The label that the peer knows. */
  told: number;
}

/**
 * The parts that agents/graphalytics/wcc.c and giants.c join on each rank before labels are told. A part is named by a root; nodes are own
 * vertices, then copies in the order of `Copies`.
 */
export class RankParts {
  readonly reaches: Reach[] = [];
  /** By rank, of parts with an edge. */
  readonly roots: number[][];
  /** By root: the smallest own vertex. */
  readonly label: Uint32Array;
  readonly #partition: Partition;
  readonly #copies: Copies;
  readonly #above: Uint32Array;
  /** Copies with an edge that was looked at. */
  readonly #touched: Uint8Array;
  /** By rank, a vertex of its giant; null: the rank has no edge. */
  readonly #giants: (number | null)[];
  readonly #inGiant: Uint8Array;
  /** By rank * ranks + peer: a node here of the part with the peer's giant. */
  readonly #reached: Int32Array;
  readonly #held = new Map<number, Reach>();

  constructor(traffic: Traffic) {
    const { partition, copies } = traffic;
    const { graph, ranks, order, degrees, owners } = partition;
    [this.#partition, this.#copies] = [partition, copies];
    this.#above = Uint32Array.from({ length: graph.vertices + copies.peers.length }, (_, node) => node);
    this.#touched = new Uint8Array(copies.peers.length);
    this.#inGiant = new Uint8Array(graph.vertices);
    this.#reached = new Int32Array(ranks * ranks).fill(-1);
    const busy = Array.from({ length: ranks }, (): number[] => []);
    for (const vertex of order) if ((degrees[vertex] ?? 0) > 0) busy[owners[vertex] ?? 0]?.push(vertex);
    this.#giants = busy.map((vertices) => this.#joinHere(vertices));
    traffic.spread(
      busy.flat().filter((vertex) => this.#inGiant[vertex] === 0),
      0,
    );
    this.#joinByGiants();
    this.#joinGiants();
    this.label = new Uint32Array(this.#above.length).fill(graph.vertices);
    for (const vertex of busy.flat()) {
      const root = this.partOf(vertex);
      this.label[root] = Math.min(vertex, this.label[root] ?? 0);
    }
    this.roots = busy.map((vertices) => [...new Set(vertices.map(this.partOf))]);
    this.#reachGiants();
  }

  readonly partOf = (node: number): number => {
    let at = node;
    while (this.#above[at] !== at) {
      this.#above[at] = this.#above[this.#above[at] ?? 0] ?? 0;
      at = this.#above[at] ?? 0;
    }
    return at;
  };

  readonly giantOf = (rank: number): number | null => {
    const one = this.#giants[rank] ?? null;
    return one === null ? null : this.partOf(one);
  };

  /** What a rank has of a peer's giant. */
  readonly giantHeldBy = (rank: number, peer: number): Reach => {
    const held = this.#held.get(rank * this.#partition.ranks + peer);
    if (!held) throw new Error(`rank ${rank} has no peer ${peer}`);
    return held;
  };

  #join(a: number, b: number): void {
    this.#above[this.partOf(a)] = this.partOf(b);
  }

  /** `join_here` of join.c; returns a vertex of the largest part. */
  #joinHere(busy: readonly number[]): number | null {
    const { graph, owners, position } = this.#partition;
    const first = busy.map(this.#firstNeighbours);
    for (const [k, vertex] of busy.entries()) {
      const [lowest = vertex] = first[k] ?? [];
      const isBelow = owners[lowest] === owners[vertex] && (position[lowest] ?? 0) < (position[vertex] ?? 0);
      if (isBelow) this.#join(vertex, lowest);
    }
    if (busy.length === 0) return null;
    let largest = this.#largest(busy);
    if (largest.most < MANY) {
      for (const [k, vertex] of busy.entries())
        for (const neighbour of first[k] ?? []) this.#joinEdge(vertex, neighbour);
      largest = this.#largest(busy);
    }
    const giant = largest.part;
    const root = this.partOf(giant);
    const others = busy.filter((vertex) => this.partOf(vertex) !== root);
    for (const vertex of others) {
      forRow(graph.in, vertex, (neighbour) => this.#joinEdge(vertex, neighbour));
      if (graph.directed) forRow(graph.out, vertex, (neighbour) => this.#joinEdge(vertex, neighbour));
    }
    const after = this.partOf(giant);
    for (const vertex of busy) this.#inGiant[vertex] = this.partOf(vertex) === after ? 1 : 0;
    return giant;
  }

  /** By index on the rank: own ones first, then copies by owner. */
  readonly #firstNeighbours = (vertex: number): readonly number[] => {
    const { graph, owners, position } = this.#partition;
    const index = (other: number): number =>
      (owners[other] === owners[vertex] ? 0 : (owners[other] ?? 0) + 1) * graph.vertices + (position[other] ?? 0);
    const first: number[] = [];
    forRow(graph.in, vertex, (neighbour) => {
      const last = first[SAMPLED - 1];
      if (last !== undefined && index(neighbour) >= index(last)) return;
      first.push(neighbour);
      first.sort((a, b) => index(a) - index(b));
      first.length = Math.min(first.length, SAMPLED);
    });
    return first;
  };

  #joinEdge(vertex: number, neighbour: number): void {
    const { owners } = this.#partition;
    const rank = owners[vertex] ?? 0;
    if (owners[neighbour] === rank) {
      this.#join(vertex, neighbour);
      return;
    }
    const copy = this.#copyOf(neighbour, rank);
    this.#touched[copy] = 1;
    this.#join(vertex, this.#nodeOf(copy));
  }

  #copyOf(vertex: number, rank: number): number {
    const { offsets, peers } = this.#copies;
    const end = offsets[(this.#partition.position[vertex] ?? 0) + 1] ?? 0;
    let copy = offsets[this.#partition.position[vertex] ?? 0] ?? 0;
    while (copy < end && peers[copy] !== rank) copy += 1;
    return copy;
  }

  #nodeOf(copy: number): number {
    return this.#partition.graph.vertices + copy;
  }

  /** A root, and how many of the probes are in its part. */
  #largest(busy: readonly number[]): { readonly part: number; readonly most: number } {
    const count = BigInt(busy.length);
    const seen = Array.from({ length: PROBES }, (_, k) => {
      const index = BigInt.asUintN(64, BigInt(k) * 0x9e3779b97f4a7c15n) % count;
      return this.partOf(busy[Number(index)] ?? 0);
    });
    const same = seen.slice(0, CANDIDATES).map((part) => seen.filter((other) => other === part).length);
    const most = Math.max(...same);
    return { part: seen[same.indexOf(most)] ?? 0, most };
  }

  /** `join_by_giants` of giants.c. */
  #joinByGiants(): void {
    const { order, owners, ranks } = this.#partition;
    const { offsets, peers } = this.#copies;
    const joins: [node: number, pair: number][] = [];
    order.forEach((vertex, position) => {
      const owner = owners[vertex] ?? 0;
      for (let copy = offsets[position] ?? 0; copy < (offsets[position + 1] ?? 0); copy += 1) {
        const rank = peers[copy] ?? 0;
        const part = this.partOf(this.#nodeOf(copy));
        if (this.#touched[copy] === 0) continue;
        if (this.#inGiant[vertex]) joins.push([this.#nodeOf(copy), rank * ranks + owner]);
        else if (part !== this.giantOf(rank))
          this.reaches.push({ rank, peer: owner, kind: 'vertex', vertex, part, told: Number.POSITIVE_INFINITY });
      }
    });
    for (const [node, pair] of joins) {
      if ((this.#reached[pair] ?? -1) < 0) this.#reached[pair] = node;
      else this.#join(this.#reached[pair] ?? 0, node);
    }
  }

  /** `join_giants` of giants.c. */
  #joinGiants(): void {
    const { graph, owners, ranks } = this.#partition;
    const joined = new Set<number>();
    const look = (vertex: number, neighbour: number): void => {
      const [rank, peer] = [owners[vertex] ?? 0, owners[neighbour] ?? 0];
      if (rank === peer || !this.#inGiant[vertex] || !this.#inGiant[neighbour]) return;
      const pair = rank * ranks + peer;
      if (joined.has(pair)) return;
      joined.add(pair);
      const giant = this.#giants[rank] ?? 0;
      if ((this.#reached[pair] ?? -1) < 0) this.#reached[pair] = giant;
      else this.#join(this.#reached[pair] ?? 0, giant);
    };
    for (let vertex = 0; vertex < graph.vertices; vertex += 1) {
      forRow(graph.in, vertex, (neighbour) => look(vertex, neighbour));
      if (graph.directed) forRow(graph.out, vertex, (neighbour) => look(vertex, neighbour));
    }
  }

  #reachGiants(): void {
    const { graph, ranks } = this.#partition;
    const parts = this.#giants.map((_, rank) => this.giantOf(rank));
    const heard = parts.map((part) => (part === null ? graph.vertices : (this.label[part] ?? 0)));
    this.reaches.forEach((reach, index) => {
      this.reaches[index] = { ...reach, part: this.partOf(reach.part ?? 0) };
    });
    for (let rank = 0; rank < ranks; rank += 1) {
      for (let peer = 0; peer < ranks; peer += 1) {
        if (rank === peer) continue;
        const node = this.#reached[rank * ranks + peer] ?? -1;
        const held = node < 0 ? null : this.partOf(node);
        const yours: Reach = { rank, peer, kind: 'yours', vertex: -1, part: held, told: heard[peer] ?? 0 };
        const hasCopies = (this.#copies.counts[rank * ranks + peer] ?? 0) > 0;
        const own = hasCopies ? (parts[rank] ?? null) : null;
        this.reaches.push(yours, { rank, peer, kind: 'mine', vertex: -1, part: own, told: heard[rank] ?? 0 });
        this.#held.set(rank * ranks + peer, yours);
      }
    }
  }
}

function forRow({ offsets, targets }: Adjacency, vertex: number, on: (neighbour: number) => void): void {
  const end = offsets[vertex + 1] ?? 0;
  for (let edge = offsets[vertex] ?? 0; edge < end; edge += 1) on(targets[edge] ?? 0);
}

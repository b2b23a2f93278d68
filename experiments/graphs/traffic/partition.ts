import type { Graph } from '../load-graph.ts';

/** What does not depend on ranks: the hash of each vertex, and the order in which ranks number their vertices. */
export interface HashedGraph {
  readonly graph: Graph;
  /** Upper half of the hash of the vertex's id. */
  readonly hashes: Uint32Array;
  /** Edges that begin or end at a vertex. */
  readonly degrees: Uint32Array;
  /** Vertices by falling degree, then by id; `position` is the inverse. */
  readonly order: Uint32Array;
  readonly position: Uint32Array;
}

/** Vertices of a graph on ranks. */
export interface Partition extends HashedGraph {
  readonly ranks: number;
  /** The rank of each vertex. */
  readonly owners: Uint32Array;
  /** Vertices and ends of edges of each rank. */
  readonly vertices: Float64Array;
  readonly ends: Float64Array;
}

const MASK = 2n ** 64n - 1n;

/** The upper half of `id_hash` of agents/graphalytics/graph.h. */
export function hashOf(hi: number, lo: number): number {
  let x = (BigInt(hi) << 32n) | BigInt(lo);
  x = ((x + 0x9e3779b97f4a7c15n) * 0xd1342543de82ef95n) & MASK;
  x ^= x >> 32n;
  x = (x * 0xa0761d6478bd642fn) & MASK;
  return Number((x ^ (x >> 29n)) >> 32n);
}

/** `owner_of` of agents/graphalytics/graph.h. */
export function ownerOf(hash: number, ranks: number): number {
  return Math.floor((hash * ranks) / 2 ** 32);
}

export function hashGraph(graph: Graph): HashedGraph {
  const { ids, vertices, directed } = graph;
  const hashes = Uint32Array.from({ length: vertices }, (_, vertex) => hashOf(ids.hi(vertex), ids.lo(vertex)));
  const lengthOf = ({ offsets }: Graph['in'], vertex: number): number =>
    (offsets[vertex + 1] ?? 0) - (offsets[vertex] ?? 0);
  const degrees = Uint32Array.from(
    { length: vertices },
    (_, vertex) => lengthOf(graph.in, vertex) + (directed ? lengthOf(graph.out, vertex) : 0),
  );
  const order = Uint32Array.from({ length: vertices }, (_, vertex) => vertex);
  order.sort((a, b) => (degrees[b] ?? 0) - (degrees[a] ?? 0) || a - b);
  const position = new Uint32Array(vertices);
  order.forEach((vertex, place) => {
    position[vertex] = place;
  });
  return { graph, hashes, degrees, order, position };
}

export function partition(hashed: HashedGraph, ranks: number): Partition {
  const owners = hashed.hashes.map((hash) => ownerOf(hash, ranks));
  const [vertices, ends] = [new Float64Array(ranks), new Float64Array(ranks)];
  owners.forEach((owner, vertex) => {
    vertices[owner] = (vertices[owner] ?? 0) + 1;
    ends[owner] = (ends[owner] ?? 0) + (hashed.degrees[vertex] ?? 0);
  });
  return { ...hashed, ranks, owners, vertices, ends };
}

/**
 * Which ranks keep copies of a vertex: those with a neighbour of it. The entries of the vertex at a position of the order are
 * `offsets[position]` up to `offsets[position + 1]`.
 */
export interface Copies {
  readonly offsets: Uint32Array;
  readonly peers: Uint32Array;
  /** Places among all copies that the peer has of the owner's vertices. */
  readonly places: Uint32Array;
  /** Copies by owner * ranks + peer. */
  readonly counts: Uint32Array;
}

/** `heads`: only ranks to which an edge leads keep a copy, as of a directed graph with weights. */
export function listCopies({ graph, ranks, owners, order }: Partition, { heads }: { readonly heads: boolean }): Copies {
  const rows = heads || graph.in === graph.out ? [graph.out] : [graph.out, graph.in];
  const [peers, places]: [number[], number[]] = [[], []];
  const offsets = new Uint32Array(graph.vertices + 1);
  const counts = new Uint32Array(ranks * ranks);
  const seenBy = new Int32Array(ranks).fill(-1);
  order.forEach((vertex, position) => {
    const owner = owners[vertex] ?? 0;
    seenBy[owner] = vertex;
    for (const row of rows) {
      const end = row.offsets[vertex + 1] ?? 0;
      for (let edge = row.offsets[vertex] ?? 0; edge < end; edge += 1) {
        const peer = owners[row.targets[edge] ?? 0] ?? 0;
        if (seenBy[peer] === vertex) continue;
        seenBy[peer] = vertex;
        const pair = owner * ranks + peer;
        peers.push(peer);
        places.push(counts[pair] ?? 0);
        counts[pair] = (counts[pair] ?? 0) + 1;
      }
    }
    offsets[position + 1] = peers.length;
  });
  return { offsets, peers: Uint32Array.from(peers), places: Uint32Array.from(places), counts };
}

import { forNeighbours } from '../reference/neighbourhood.ts';
import type { Traffic } from './exchange-traffic.ts';

/** Words that a rank sends in a superstep, but for the last list (BATCH of agents/graphalytics/lcc.c). */
const BATCH = 2 ** 20;
const WIDTH = 8;

/**
 * What agents/graphalytics/lcc.c sends: the place of each vertex in the order, lists of the neighbours before each vertex to the owners
 * of those, and what copies gained. Returns the supersteps, and the entries of lists that are read at most.
 */
export function countTriangles(traffic: Traffic): { readonly supersteps: number; readonly edgesRead: number } {
  const { graph, ranks, owners, degrees, order } = traffic.partition;
  const isBefore = (a: number, b: number): boolean => {
    const [falling, rank] = [(degrees[b] ?? 0) - (degrees[a] ?? 0), (owners[a] ?? 0) - (owners[b] ?? 0)];
    return falling !== 0 ? falling < 0 : rank !== 0 ? rank < 0 : a < b;
  };
  traffic.fill(WIDTH);
  const lengths = new Uint32Array(graph.vertices);
  const batches = new Uint32Array(ranks).fill(1);
  const words = new Float64Array(ranks);
  for (const vertex of order) {
    const owner = owners[vertex] ?? 0;
    // A full batch ends before the next vertex.
    if ((words[owner] ?? 0) >= BATCH && (degrees[vertex] ?? 0) > 0) {
      batches[owner] = (batches[owner] ?? 0) + 1;
      words[owner] = 0;
    }
    const peers = new Set<number>();
    let length = 0;
    forNeighbours(graph, vertex, (neighbour) => {
      if (!isBefore(neighbour, vertex)) return;
      length += 1;
      peers.add(owners[neighbour] ?? 0);
    });
    lengths[vertex] = length;
    peers.delete(owner);
    if (length < 2) continue;
    for (const peer of peers) traffic.send(owner, peer, 4 * (2 + length * (graph.directed ? 2 : 1)));
    traffic.values += peers.size * length;
    words[owner] = (words[owner] ?? 0) + peers.size * (length + 2);
  }
  const rounds = Math.max(...batches);
  for (let round = 0; round < rounds; round += 1) {
    traffic.shuffle({ counted: true });
    traffic.reduce(1);
  }
  traffic.collect(WIDTH);
  return { supersteps: 2 * rounds + 4, edgesRead: entriesRead(traffic, lengths, isBefore) };
}

/** For each vertex the lists of all that stand before it. */
function entriesRead(
  { partition: { graph } }: Traffic,
  lengths: Uint32Array,
  isBefore: (a: number, b: number) => boolean,
): number {
  let read = 0;
  for (let vertex = 0; vertex < graph.vertices; vertex += 1) {
    forNeighbours(graph, vertex, (neighbour) => {
      if (isBefore(neighbour, vertex)) read += lengths[neighbour] ?? 0;
    });
  }
  return read;
}

import { type ActivityGraph, edgeNs, isWait } from './activity-graph.ts';
import type { Topology } from './topology.ts';

interface Replay {
  /** How long an edge lasts, ns; it is not asked for waits. */
  readonly weightOf: (edge: number) => number;
  /** The least time of a vertex, by those of vertices before it in time. */
  readonly leastOf?: (vertex: number, earliestNs: Float64Array) => number;
  /** Called at each vertex with its time. */
  readonly reached?: (vertex: number, timeNs: number) => void;
  /** Of vertices, each after those from which edges lead to it; without it the topology's own. */
  readonly order?: Int32Array;
}

/**
 * How long the snapshot lasts if edges last as long as said, ns: each vertex comes at its earliest time, and a wait lasts until what it waits
 * for is there. Where the properties hold, measured weights give the snapshot's own length. What is ahead of time never waits for what it
 * does not wait for in the trace, so that it is an estimate; what it saves is at most what the weights take away.
 */
export function replayedNs(
  graph: ActivityGraph,
  topology: Topology,
  { weightOf, leastOf, reached, order = topology.order }: Replay,
): number {
  const { vertexNs, edgeFrom, firstNs } = graph;
  const { incoming } = topology;
  const earliest = Float64Array.from(vertexNs);
  let endNs = firstNs;
  for (const vertex of order) {
    const [from, to] = [incoming.first[vertex] as number, incoming.first[vertex + 1] as number];
    let timeNs = from === to ? (vertexNs[vertex] as number) : firstNs;
    for (let slot = from; slot < to; slot += 1) {
      const edge = incoming.order[slot] as number;
      const weight = isWait(graph, edge) ? 0 : weightOf(edge);
      timeNs = Math.max(timeNs, (earliest[edgeFrom[edge] as number] as number) + weight);
    }
    timeNs = Math.max(timeNs, leastOf?.(vertex, earliest) ?? timeNs);
    earliest[vertex] = timeNs;
    endNs = Math.max(endNs, timeNs);
    reached?.(vertex, timeNs);
  }
  return endNs - firstNs;
}

/** Vertices in the order of their times, each after those from which edges lead to it. */
export function inTime({ vertexNs }: ActivityGraph, { order }: Topology): Int32Array {
  const place = new Int32Array(order.length);
  for (const [index, vertex] of order.entries()) place[vertex] = index;
  return Int32Array.from(order).sort(
    (a, b) => (vertexNs[a] as number) - (vertexNs[b] as number) || (place[a] as number) - (place[b] as number),
  );
}

/** The same with measured weights times a factor. */
export function scaledNs(graph: ActivityGraph, topology: Topology, factor: (edge: number) => number): number {
  return replayedNs(graph, topology, { weightOf: (edge) => edgeNs(graph, edge) * factor(edge) });
}

import { type ActivityGraph, edgeNs, isWait } from './activity-graph.ts';
import type { Topology } from './topology.ts';

/**
 * How long the snapshot lasts if edges take `factor(edge)` times as long, ns: each vertex comes at its earliest time, and a wait
 * lasts until what it waits for is there. Where the properties hold, factors of 1 give
 * the snapshot's own length. What is ahead of time never waits for
 * what it does not wait for in the trace, so that it is an estimate; what it saves is at most what the factors take away.
 */
export function scaledLength(
  graph: ActivityGraph,
  { incoming, order }: Topology,
  factor: (edge: number) => number,
): { readonly lengthNs: number } {
  const earliest = Float64Array.from(graph.vertexNs);
  let endNs = graph.firstNs;
  for (const vertex of order) {
    const [from, to] = [incoming.first[vertex] as number, incoming.first[vertex + 1] as number];
    let timeNs = from === to ? (graph.vertexNs[vertex] as number) : graph.firstNs;
    for (let slot = from; slot < to; slot += 1) {
      const edge = incoming.order[slot] as number;
      const weight = isWait(graph, edge) ? 0 : edgeNs(graph, edge) * factor(edge);
      timeNs = Math.max(timeNs, (earliest[graph.edgeFrom[edge] as number] as number) + weight);
    }
    earliest[vertex] = timeNs;
    endNs = Math.max(endNs, timeNs);
  }
  return { lengthNs: endNs - graph.firstNs };
}

// Critical paths of an explicit graph by dynamic programming (Sager, ETH 2016, definition 3.12), for what Algorithm 1 cannot say.
import { type ActivityGraph, edgeNs, isWait } from './activity-graph.ts';
import type { Topology } from './topology.ts';

/** The longest paths of a graph among those without waits; ns. */
export interface LongestPaths {
  readonly longestNs: number;
  /** From the first instant to the last: what a critical path has if properties 3.9 to 3.11 hold. */
  readonly expectedNs: number;
  /** How many paths have that length; exact below 2^53, infinite above 1e308. */
  readonly criticalPaths: number;
}

export function longestPaths(graph: ActivityGraph, { incoming, order }: Topology): LongestPaths {
  const vertices = graph.vertexNs.length;
  const best = new Float64Array(vertices);
  const paths = new Float64Array(vertices).fill(1);
  const expectedNs = vertices === 0 ? 0 : graph.lastNs - graph.firstNs;
  let [longestNs, criticalPaths] = [0, 0];
  for (const vertex of order) {
    for (let slot = incoming.first[vertex] as number; slot < (incoming.first[vertex + 1] as number); slot += 1) {
      const edge = incoming.order[slot] as number;
      if (isWait(graph, edge)) continue;
      const source = graph.edgeFrom[edge] as number;
      const length = (best[source] as number) + edgeNs(graph, edge);
      if (length > (best[vertex] as number)) {
        best[vertex] = length;
        paths[vertex] = paths[source] as number;
      } else if (length === best[vertex]) paths[vertex] = (paths[vertex] as number) + (paths[source] as number);
    }
    const length = best[vertex] as number;
    longestNs = Math.max(longestNs, length);
    if (length === expectedNs && expectedNs > 0) criticalPaths += paths[vertex] as number;
  }
  return { longestNs, expectedNs, criticalPaths };
}

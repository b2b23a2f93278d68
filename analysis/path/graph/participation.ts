// Critical participation: the share of the longest paths that lead through an activity (SnailTrail: Hoffmann et al., NSDI 2018).
import type { Activities } from '../activities.ts';
import { type ActivityGraph, isWait, TRANSFER_EDGE } from './activity-graph.ts';
import { NO_ROW } from './segment.ts';
import type { Topology } from './topology.ts';

/** Between 0 and 1 by row; 0 for what is on no longest path. All 0 where no path reaches from the first instant to the last. */
export interface Participation {
  readonly work: Float64Array;
  readonly transfers: Float64Array;
}

/** Paths before an edge times paths behind it over all paths. Counts are kept as logarithms: they double at every choice. */
export function participationOf(
  { work, transfers }: Activities,
  graph: ActivityGraph,
  { incoming, outgoing, order }: Topology,
): Participation {
  const share = { work: new Float64Array(work.startNs.length), transfers: new Float64Array(transfers.startNs.length) };
  const before = logCounts(graph, { edges: incoming, ends: graph.edgeFrom, order, borderNs: graph.firstNs });
  const back = order.slice().reverse();
  const behind = logCounts(graph, { edges: outgoing, ends: graph.edgeTo, order: back, borderNs: graph.lastNs });
  let all = Number.NEGATIVE_INFINITY;
  for (let vertex = 0; vertex < before.length; vertex += 1) {
    if (graph.vertexNs[vertex] === graph.lastNs) all = logSum(all, before[vertex] as number);
  }
  if (all === Number.NEGATIVE_INFINITY) return share;
  for (let edge = 0; edge < graph.edgeTo.length; edge += 1) {
    const row = graph.edgeRow[edge] as number;
    if (row === NO_ROW || isWait(graph, edge)) continue;
    const through =
      (before[graph.edgeFrom[edge] as number] as number) + (behind[graph.edgeTo[edge] as number] as number);
    const column = graph.edgeKind[edge] === TRANSFER_EDGE ? share.transfers : share.work;
    // Paths join and leave an activity where it is cut: the piece that most of them take counts.
    column[row] = Math.max(column[row] as number, Math.min(1, Math.exp(through - all)));
  }
  return share;
}

/** Logarithm of the number of paths between a vertex and those at the border. */
function logCounts(
  graph: ActivityGraph,
  {
    edges,
    ends,
    order,
    borderNs,
  }: {
    readonly edges: Topology['incoming'];
    readonly ends: Int32Array;
    readonly order: Int32Array;
    readonly borderNs: number;
  },
): Float64Array {
  const counts = new Float64Array(graph.vertexNs.length).fill(Number.NEGATIVE_INFINITY);
  for (const vertex of order) {
    let count = graph.vertexNs[vertex] === borderNs ? 0 : Number.NEGATIVE_INFINITY;
    for (let slot = edges.first[vertex] as number; slot < (edges.first[vertex + 1] as number); slot += 1) {
      const edge = edges.order[slot] as number;
      if (!isWait(graph, edge)) count = logSum(count, counts[ends[edge] as number] as number);
    }
    counts[vertex] = count;
  }
  return counts;
}

/** log(e^a + e^b). */
function logSum(a: number, b: number): number {
  const [large, small] = a > b ? [a, b] : [b, a];
  return small === Number.NEGATIVE_INFINITY ? large : large + Math.log1p(Math.exp(small - large));
}

// Critical participation (SnailTrail: Hoffmann et al., NSDI 2018): how many of the longest paths lead through an activity, and how
// much of their time it is.
import type { Activities } from '../activities.ts';
import type { Grouped } from '../arrange.ts';
import { type ActivityGraph, edgeNs, isWait } from './activity-graph.ts';
import { partOf } from './activity-path.ts';
import { type PathProfile, ProfileSums } from './profile-path.ts';
import { NO_ROW, TRANSFER_EDGE } from './segment.ts';

/** Shares of the longest paths, from 0 to 1. All 0 where no path reaches from the first instant to the last. */
interface Participation {
  /** By edge of the graph. */
  readonly edges: Float64Array;
  /** By row. Paths join and leave an activity where it is cut: the piece that most of them take counts. */
  readonly work: Float64Array;
  readonly transfers: Float64Array;
}

/** Paths before an edge times paths behind it over all paths. Counts are kept as logarithms: they double at every choice. */
export function participationOf({ work, transfers }: Activities, graph: ActivityGraph): Participation {
  const { incoming, outgoing, order } = graph;
  const share = {
    edges: new Float64Array(graph.edgeTo.length),
    work: new Float64Array(work.startNs.length),
    transfers: new Float64Array(transfers.startNs.length),
  };
  const before = logCounts(graph, { edges: incoming, ends: graph.edgeFrom, order, borderNs: graph.firstNs });
  const back = order.slice().reverse();
  const behind = logCounts(graph, { edges: outgoing, ends: graph.edgeTo, order: back, borderNs: graph.lastNs });
  let all = Number.NEGATIVE_INFINITY;
  for (let vertex = 0; vertex < before.length; vertex += 1) {
    if (graph.vertexNs[vertex] === graph.lastNs) all = logSum(all, before[vertex] as number);
  }
  if (all === Number.NEGATIVE_INFINITY) return share;
  for (let edge = 0; edge < graph.edgeTo.length; edge += 1) {
    if (isWait(graph, edge)) continue;
    const through =
      (before[graph.edgeFrom[edge] as number] as number) + (behind[graph.edgeTo[edge] as number] as number);
    const own = Math.min(1, Math.exp(through - all));
    share.edges[edge] = own;
    const row = graph.edgeRow[edge] as number;
    if (row === NO_ROW) continue;
    const column = graph.edgeKind[edge] === TRANSFER_EDGE ? share.transfers : share.work;
    column[row] = Math.max(column[row] as number, own);
  }
  return share;
}

/** Of the time of all longest paths together, which are equally long; from 0 to 1, each profile adds up to 1. */
interface WeightedParticipation extends PathProfile {
  /** By row: duration times share of the paths, over the length of a path. */
  readonly work: Float64Array;
}

/** Participation weighted by length: what share of their time the longest paths spend in each activity, and by key. */
export function weightedParticipation(
  activities: Activities,
  graph: ActivityGraph,
  { edges }: Participation,
): WeightedParticipation {
  const { workers, work, transfers } = activities;
  const weights = new Float64Array(work.startNs.length);
  const sums = new ProfileSums(workers);
  for (let edge = 0; edge < edges.length; edge += 1) {
    if (edges[edge] === 0) continue;
    const weight = ((edges[edge] as number) * edgeNs(graph, edge)) / (graph.lastNs - graph.firstNs);
    const row = graph.edgeRow[edge] as number;
    const isTransfer = graph.edgeKind[edge] === TRANSFER_EDGE;
    const from = graph.edgeFrom[edge] as number;
    const worker = isTransfer ? (transfers.from[row] as number) : (graph.vertexWorker[from] as number);
    sums.add({ worker, ...partOf(activities, row, isTransfer) }, weight);
    if (!isTransfer && row !== NO_ROW) weights[row] = (weights[row] as number) + weight;
  }
  return { work: weights, ...sums.profile() };
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
    readonly edges: Grouped;
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

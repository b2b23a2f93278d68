// Times of the vertices of an explicit graph by dynamic programming: longest paths (Sager, ETH 2016, definition 3.12), latest times
// (slack), and earliest ones after a change (replay). They say what Algorithm 1 cannot.
import type { Activities } from '../activities.ts';
import { type ActivityGraph, edgeNs, isWait } from './activity-graph.ts';
import { NO_ROW, TRANSFER_EDGE } from './segment.ts';

/** The longest paths of a graph among those without waits; ns. */
interface LongestPaths {
  readonly longestNs: number;
  /** From the first instant to the last: what a critical path has if properties 3.9 to 3.11 hold. */
  readonly expectedNs: number;
  /** How many paths have that length; exact below 2^53, infinite above 1e308. */
  readonly criticalPaths: number;
}

export function longestPaths(graph: ActivityGraph): LongestPaths {
  const { incoming, order } = graph;
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

/** How much later each could end without delaying the end of the snapshot, ns; NaN for rows that are not in it. */
interface Slack {
  readonly work: Float64Array;
  readonly transfers: Float64Array;
}

/**
 * Slack on a snapshot: the latest end of an activity minus its end. The latest time of a vertex is the end for those from which
 * nothing leads on, else the least over what leads on of its latest end minus its weight; a wait weighs nothing.
 */
export function slackOf({ work, transfers }: Activities, graph: ActivityGraph): Slack {
  const latest = latestTimes(graph);
  const slack = {
    work: new Float64Array(work.startNs.length).fill(Number.NaN),
    transfers: new Float64Array(transfers.startNs.length).fill(Number.NaN),
  };
  for (let edge = 0; edge < graph.edgeTo.length; edge += 1) {
    const row = graph.edgeRow[edge] as number;
    if (row === NO_ROW) continue;
    const to = graph.edgeTo[edge] as number;
    // Of an activity that is cut the last piece says it: edges of a worker are in order of time.
    const column = graph.edgeKind[edge] === TRANSFER_EDGE ? slack.transfers : slack.work;
    column[row] = (latest[to] as number) - (graph.vertexNs[to] as number);
  }
  return slack;
}

/** The latest time of each vertex, ns. */
function latestTimes(graph: ActivityGraph): Float64Array {
  const { outgoing, order } = graph;
  const latest = new Float64Array(graph.vertexNs.length).fill(graph.lastNs);
  for (let index = order.length - 1; index >= 0; index -= 1) {
    const vertex = order[index] as number;
    for (let slot = outgoing.first[vertex] as number; slot < (outgoing.first[vertex + 1] as number); slot += 1) {
      const edge = outgoing.order[slot] as number;
      const weight = isWait(graph, edge) ? 0 : edgeNs(graph, edge);
      latest[vertex] = Math.min(latest[vertex] as number, (latest[graph.edgeTo[edge] as number] as number) - weight);
    }
  }
  return latest;
}

/** Rows whose slack is at most a share of the snapshot's length, those with the least slack first. Waits are none. */
export function nearCritical(
  { work }: Activities,
  slack: Slack,
  { graph, share, wait }: { readonly graph: ActivityGraph; readonly share: number; readonly wait: number },
): number[] {
  const limitNs = share * (graph.lastNs - graph.firstNs);
  const rows: number[] = [];
  for (let row = 0; row < slack.work.length; row += 1) {
    if (work.kind[row] !== wait && (slack.work[row] as number) <= limitNs) rows.push(row);
  }
  return rows.sort((a, b) => (slack.work[a] as number) - (slack.work[b] as number) || a - b);
}

interface Replay {
  /** How long an edge lasts, ns; it is not asked for waits. */
  readonly weightOf: (edge: number) => number;
  /** The least time of a vertex, by those of vertices before it in time. */
  readonly leastOf?: (vertex: number, earliestNs: Float64Array) => number;
  /** Called at each vertex with its time. */
  readonly reached?: (vertex: number, timeNs: number) => void;
  /** Of vertices, each after those from which edges lead to it; without it the graph's own. */
  readonly order?: Int32Array;
}

/**
 * How long the snapshot lasts if edges last as long as said, ns: each vertex comes at its earliest time, and a wait lasts until what it waits
 * for is there. Where the properties hold, measured weights give the snapshot's own length. What is ahead of time never waits for what it
 * does not wait for in the trace, so that it is an estimate; what it saves is at most what the weights take away.
 */
export function replayedNs(graph: ActivityGraph, { weightOf, leastOf, reached, order = graph.order }: Replay): number {
  const { vertexNs, edgeFrom, firstNs, incoming } = graph;
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
export function inTime({ vertexNs, order }: ActivityGraph): Int32Array {
  const place = new Int32Array(order.length);
  for (const [index, vertex] of order.entries()) place[vertex] = index;
  return Int32Array.from(order).sort(
    (a, b) => (vertexNs[a] as number) - (vertexNs[b] as number) || (place[a] as number) - (place[b] as number),
  );
}

/** The same with measured weights times a factor. */
export function scaledNs(graph: ActivityGraph, factor: (edge: number) => number): number {
  return replayedNs(graph, { weightOf: (edge) => edgeNs(graph, edge) * factor(edge) });
}

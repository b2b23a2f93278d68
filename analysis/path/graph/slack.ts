import type { Activities } from '../activities.ts';
import { type ActivityGraph, edgeNs, isWait } from './activity-graph.ts';
import { NO_ROW, TRANSFER_EDGE } from './segment.ts';
import type { Topology } from './topology.ts';

/** How much later each could end without delaying the end of the snapshot, ns; NaN for rows that are not in it. */
export interface Slack {
  readonly work: Float64Array;
  readonly transfers: Float64Array;
}

/**
 * Slack on a snapshot: the latest end of an activity minus its end. The latest time of a vertex is the end for those from which
 * nothing leads on, else the least over what leads on of its latest end minus its weight; a wait weighs nothing.
 */
export function slackOf({ work, transfers }: Activities, graph: ActivityGraph, topology: Topology): Slack {
  const latest = latestTimes(graph, topology);
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
function latestTimes(graph: ActivityGraph, { outgoing, order }: Topology): Float64Array {
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

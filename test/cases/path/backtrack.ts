import { type ActivityGraph, isWait } from '../../../analysis/path/graph/activity-graph.ts';
import { ON_THE_WIRE, TRANSFER_EDGE } from '../../../analysis/path/graph/segment.ts';

/** Edges of a critical path, oldest first, and at how many steps there was a choice. */
export interface BacktrackedPath {
  readonly edges: readonly number[];
  readonly ambiguousSteps: number;
}

/**
 * Algorithm 1 as it stands, on the explicit graph: from the edges that end in V_e the first, then the worker's own edge, else
 * the transfer sent last, then that of the lowest worker.
 */
export function backtrack(graph: ActivityGraph): BacktrackedPath {
  const { incoming } = graph;
  const edges: number[] = [];
  let ambiguousSteps = 0;
  let candidates: number[] = [];
  for (let edge = 0; edge < graph.edgeTo.length; edge += 1) {
    if (graph.vertexNs[graph.edgeTo[edge] as number] === graph.lastNs && !isWait(graph, edge)) candidates.push(edge);
  }
  let next = candidates[0];
  while (next !== undefined) {
    if (candidates.length > 1) ambiguousSteps += 1;
    edges.push(next);
    const vertex = graph.edgeFrom[next] as number;
    candidates = [...incoming.order.subarray(incoming.first[vertex], incoming.first[vertex + 1])].filter(
      (edge) => !isWait(graph, edge),
    );
    next = candidates.sort((a, b) => preference(graph, a, b))[0];
  }
  return { edges: edges.reverse(), ambiguousSteps };
}

function preference(graph: ActivityGraph, a: number, b: number): number {
  const { edgeKind, edgeFrom, vertexNs, vertexWorker } = graph;
  const own = Number(edgeKind[a] === TRANSFER_EDGE) - Number(edgeKind[b] === TRANSFER_EDGE);
  if (own !== 0) return own;
  const [from, other] = [edgeFrom[a] as number, edgeFrom[b] as number];
  const later = (vertexNs[other] as number) - (vertexNs[from] as number);
  const [worker, another] = [vertexWorker[from] as number, vertexWorker[other] as number];
  // What the border cuts is known to no worker here: it goes last.
  const lower = (worker === ON_THE_WIRE ? Infinity : worker) - (another === ON_THE_WIRE ? Infinity : another);
  return later || (Number.isNaN(lower) ? 0 : lower) || a - b;
}

import { badInput } from '../../../base/errors.ts';
import type { Slice } from '../activities.ts';
import { type Grouped, groupByKey } from '../arrange.ts';
import { TRANSFER_EDGE } from './segment.ts';

/**
 * Vertices are instants of workers, in order of worker and time, then the ends of transfers that the border cuts; edges are
 * activities, cut where something is sent or arrives, in order of worker and time, then transfers. Times in ns.
 */
export interface GraphEdges {
  readonly slice: Slice;
  /** The smallest and the largest time of a vertex: V_s and V_e are those that have it. */
  readonly firstNs: number;
  readonly lastNs: number;
  readonly vertexWorker: Int32Array;
  readonly vertexNs: Float64Array;
  readonly edgeFrom: Int32Array;
  readonly edgeTo: Int32Array;
  readonly edgeKind: Uint8Array;
  /** Row of `work`, or of `transfers`; `NO_ROW` where nothing is stored. */
  readonly edgeRow: Int32Array;
}

/** Edges of a graph by both ends, and its vertices so that each edge leads to a later one. */
export interface Topology {
  readonly incoming: Grouped;
  readonly outgoing: Grouped;
  readonly order: Int32Array;
}

/** Orders the vertices (Kahn, 1962). Errors: badInput for a cycle, which only transfers without length can make, named by its workers. */
export function topologyOf(graph: GraphEdges, workers: readonly string[]): Topology {
  const vertices = graph.vertexNs.length;
  const incoming = groupByKey(graph.edgeTo, vertices);
  const outgoing = groupByKey(graph.edgeFrom, vertices);
  const missing = new Int32Array(vertices);
  for (let vertex = 0; vertex < vertices; vertex += 1) {
    missing[vertex] = (incoming.first[vertex + 1] as number) - (incoming.first[vertex] as number);
  }
  const order = new Int32Array(vertices);
  let count = 0;
  for (let vertex = 0; vertex < vertices; vertex += 1) if (missing[vertex] === 0) order[count++] = vertex;
  for (let done = 0; done < count; done += 1) {
    const vertex = order[done] as number;
    for (let slot = outgoing.first[vertex] as number; slot < (outgoing.first[vertex + 1] as number); slot += 1) {
      const to = graph.edgeTo[outgoing.order[slot] as number] as number;
      missing[to] = (missing[to] as number) - 1;
      if (missing[to] === 0) order[count++] = to;
    }
  }
  if (count < vertices) throw cycle(graph, { missing, incoming, workers });
  return { incoming, outgoing, order };
}

/** Goes back from a vertex that was not reached until one comes twice: what lies between is a cycle. */
function cycle(
  { edgeFrom, edgeKind, vertexWorker, vertexNs }: GraphEdges,
  {
    missing,
    incoming,
    workers,
  }: { readonly missing: Int32Array; readonly incoming: Grouped; readonly workers: readonly string[] },
) {
  const seen = new Set<number>();
  let vertex = missing.findIndex((edges) => edges > 0);
  while (!seen.has(vertex)) {
    seen.add(vertex);
    const edges = incoming.order.subarray(incoming.first[vertex], incoming.first[vertex + 1]);
    const back = edges.find(
      (edge) => edgeKind[edge] === TRANSFER_EDGE && (missing[edgeFrom[edge] as number] as number) > 0,
    );
    const any = back ?? edges.find((edge) => (missing[edgeFrom[edge] as number] as number) > 0);
    vertex = edgeFrom[any ?? 0] as number;
  }
  const way = [...seen];
  const round = way.slice(way.indexOf(vertex)).reverse();
  const names = [...round, round[0] ?? 0].map((one) => workers[vertexWorker[one] as number] ?? '?').join(' -> ');
  return badInput(
    `At ${vertexNs[vertex]} ns zero-duration transfers form a cycle (workers ${names}). An activity graph must not have cycles: ` +
      'give the transfers their durations.',
  );
}

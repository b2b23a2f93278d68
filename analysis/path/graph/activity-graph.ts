import { lowerBound } from '../../../base/lists.ts';
// The activity graph of a snapshot, explicitly (Sager, ETH 2016, definitions 3.3 to 3.5).
import type { Activities, Slice } from '../activities.ts';
import { GrowingColumns } from '../growing-columns.ts';
import { NO_ROW, ON_THE_WIRE, TRANSFER_EDGE, UNKNOWN, WAIT, wholeSlice } from './segment.ts';
import { type GraphEdges, type Topology, topologyOf } from './topology.ts';

export type ActivityGraph = GraphEdges & Topology;

/**
 * The graph of a snapshot; of the whole trace without one: some 50 bytes for each vertex. Errors: badInput for a cycle, which only
 * transfers without length can make.
 */
export function activityGraph(activities: Activities, slice?: Slice): ActivityGraph {
  const edges = graphEdges(activities, slice);
  return { ...edges, ...topologyOf(edges, activities.workers) };
}

/**
 * Activities are cut at the borders and wherever something is sent or arrives; an edge that only touches the border is no part of
 * the graph.
 */
export function graphEdges(activities: Activities, slice: Slice = wholeSlice(activities)): GraphEdges {
  const { workers, transfers } = activities;
  const cut = new Cut();
  const inside = transfersOf(activities, slice);
  const target = targets(activities);
  const instants = transferInstants(activities, slice, { inside, target });
  const starts: number[] = [];
  for (let worker = 0; worker < workers.length; worker += 1) {
    starts.push(cut.vertices.length);
    cutWorker(activities, slice, { worker, instants: instants[worker] ?? new Float64Array(), cut });
  }
  starts.push(cut.vertices.length);
  const vertexAt = (worker: number, least: number) =>
    lowerBound(cut.vertices.of.ns, { from: starts[worker] as number, to: starts[worker + 1] as number, least });
  for (const row of inside) {
    const [sentNs, arrivedNs] = [transfers.startNs[row] as number, transfers.endNs[row] as number];
    const from =
      sentNs < slice.startNs
        ? cut.addVertex(ON_THE_WIRE, slice.startNs)
        : vertexAt(transfers.from[row] as number, sentNs);
    const to =
      arrivedNs > slice.endNs ? cut.addVertex(ON_THE_WIRE, slice.endNs) : vertexAt(target[row] as number, arrivedNs);
    cut.addEdge({ from, to, kind: TRANSFER_EDGE, row });
  }
  const [vertices, edges] = [cut.vertices.used(), cut.edges.used()];
  return {
    slice,
    firstNs: vertices.ns.reduce((least, ns) => Math.min(least, ns), Number.POSITIVE_INFINITY),
    lastNs: vertices.ns.reduce((most, ns) => Math.max(most, ns), Number.NEGATIVE_INFINITY),
    ...{ vertexWorker: vertices.worker, vertexNs: vertices.ns },
    ...{ edgeFrom: edges.from, edgeTo: edges.to, edgeKind: edges.kind, edgeRow: edges.row },
  };
}

/** The weight of an edge by definition 3.3, ns; of a wait too. */
export function edgeNs({ vertexNs, edgeFrom, edgeTo }: GraphEdges, edge: number): number {
  return (vertexNs[edgeTo[edge] as number] as number) - (vertexNs[edgeFrom[edge] as number] as number);
}

export function isWait({ edgeKind }: Pick<GraphEdges, 'edgeKind'>, edge: number): boolean {
  return edgeKind[edge] === WAIT;
}

/** Vertices and edges of a snapshot as they are found. */
class Cut {
  readonly vertices = new GrowingColumns({ worker: Int32Array, ns: Float64Array });
  readonly edges = new GrowingColumns({ from: Int32Array, to: Int32Array, kind: Uint8Array, row: Int32Array });

  addVertex(worker: number, ns: number): number {
    const vertex = this.vertices.add();
    const { of } = this.vertices;
    of.worker[vertex] = worker;
    of.ns[vertex] = ns;
    return vertex;
  }

  addEdge(added: { readonly from: number; readonly to: number; readonly kind: number; readonly row: number }): void {
    const edge = this.edges.add();
    const { of } = this.edges;
    of.from[edge] = added.from;
    of.to[edge] = added.to;
    of.kind[edge] = added.kind;
    of.row[edge] = added.row;
  }
}

/** Transfers with a part in the slice; one without length also where it is on the border. */
function transfersOf({ transfers }: Activities, { startNs, endNs }: Slice): number[] {
  const rows: number[] = [];
  for (let row = 0; row < transfers.startNs.length; row += 1) {
    const [sentNs, arrivedNs] = [transfers.startNs[row] as number, transfers.endNs[row] as number];
    const overlaps = sentNs < endNs && arrivedNs > startNs;
    if (overlaps || (sentNs === arrivedNs && sentNs >= startNs && sentNs <= endNs)) rows.push(row);
  }
  return rows;
}

/** Where each worker sends or gets something, ascending. */
function transferInstants(
  { transfers, workers }: Activities,
  { startNs, endNs }: Slice,
  { inside, target }: { readonly inside: readonly number[]; readonly target: Int32Array },
): Float64Array[] {
  const found = workers.map((): number[] => []);
  for (const row of inside) {
    const [sentNs, arrivedNs] = [transfers.startNs[row] as number, transfers.endNs[row] as number];
    if (sentNs >= startNs) found[transfers.from[row] as number]?.push(sentNs);
    if (arrivedNs <= endNs) found[target[row] as number]?.push(arrivedNs);
  }
  return found.map((times) => Float64Array.from(times).sort());
}

function targets({ transfers, workers }: Activities): Int32Array {
  const target = new Int32Array(transfers.startNs.length);
  for (let worker = 0; worker < workers.length; worker += 1) {
    target.fill(worker, transfers.first[worker] as number, transfers.first[worker + 1] as number);
  }
  return target;
}

interface OneWorker {
  readonly worker: number;
  readonly instants: Float64Array;
  readonly cut: Cut;
}

/** A worker's life in the slice, activities and what is between them, cut at its instants. */
function cutWorker(activities: Activities, slice: Slice, own: OneWorker): void {
  const { work, bornNs, goneNs } = activities;
  const { worker, instants, cut } = own;
  const fromNs = Math.max(slice.startNs, bornNs[worker] as number);
  const toNs = Math.min(slice.endNs, goneNs[worker] as number);
  let next = 0;
  let vertex = -1;
  const vertexAt = (atNs: number): number => {
    if (vertex < 0 || cut.vertices.of.ns[vertex] !== atNs) vertex = cut.addVertex(worker, atNs);
    return vertex;
  };
  // Instants at which the worker does not run are vertices without a worker's edge.
  const upTo = (limitNs: number): void => {
    for (; next < instants.length && (instants[next] as number) < limitNs; next += 1)
      vertexAt(instants[next] as number);
  };
  const piece = (kind: number, row: number, startNs: number, endNs: number): void => {
    let atNs = Math.max(startNs, fromNs);
    const untilNs = Math.min(endNs, toNs);
    while (atNs < untilNs) {
      while (next < instants.length && (instants[next] as number) <= atNs) next += 1;
      const cutNs = next < instants.length ? Math.min(untilNs, instants[next] as number) : untilNs;
      const from = vertexAt(atNs);
      cut.addEdge({ from, to: vertexAt(cutNs), kind, row });
      atNs = cutNs;
    }
  };
  if (fromNs < toNs) {
    upTo(fromNs);
    const to = work.first[worker + 1] as number;
    let doneNs = fromNs;
    let row = lowerBound(work.endNs, { from: work.first[worker] as number, to, least: fromNs });
    for (; row < to && (work.startNs[row] as number) < toNs; row += 1) {
      const [startNs, endNs] = [work.startNs[row] as number, work.endNs[row] as number];
      if (endNs === startNs || endNs <= fromNs) continue;
      piece(UNKNOWN, NO_ROW, doneNs, startNs);
      piece(work.kind[row] as number, row, startNs, endNs);
      doneNs = endNs;
    }
    piece(UNKNOWN, NO_ROW, doneNs, toNs);
    while (next < instants.length && (instants[next] as number) <= toNs) next += 1;
  }
  upTo(Number.POSITIVE_INFINITY);
}

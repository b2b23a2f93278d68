import type { Activities, Slice } from '../activities.ts';

import { lowerBound, NO_ROW, ON_THE_WIRE, TRANSFER_EDGE, UNKNOWN } from './segment.ts';

/** Vertices and edges of a snapshot as they are found. */
interface Cut {
  readonly vertices: { readonly worker: number[]; readonly ns: number[] };
  readonly edges: { readonly from: number[]; readonly to: number[]; readonly kind: number[]; readonly row: number[] };
}

/** Cuts activities at the borders and wherever something is sent or arrives, and joins the pieces with the transfers. */
export function cutEdges(activities: Activities, slice: Slice): Cut {
  const { workers, transfers } = activities;
  const cut: Cut = { vertices: { worker: [], ns: [] }, edges: { from: [], to: [], kind: [], row: [] } };
  const inside = transfersOf(activities, slice);
  const instants = transferInstants(activities, slice, inside);
  const starts: number[] = [];
  for (let worker = 0; worker < workers.length; worker += 1) {
    starts.push(cut.vertices.ns.length);
    cutWorker(activities, slice, { worker, instants: instants[worker] ?? new Float64Array(), cut });
  }
  starts.push(cut.vertices.ns.length);
  const ns = Float64Array.from(cut.vertices.ns);
  const vertexAt = (worker: number, atNs: number) =>
    lowerBound(ns, { from: starts[worker] as number, to: starts[worker + 1] as number, least: atNs });
  const target = targets(activities);
  for (const row of inside) {
    const [sentNs, arrivedNs] = [transfers.startNs[row] as number, transfers.endNs[row] as number];
    const from =
      sentNs < slice.startNs ? onTheWire(cut, slice.startNs) : vertexAt(transfers.from[row] as number, sentNs);
    const to = arrivedNs > slice.endNs ? onTheWire(cut, slice.endNs) : vertexAt(target[row] as number, arrivedNs);
    pushEdge(cut, { from, to, kind: TRANSFER_EDGE, row });
  }
  return cut;
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
function transferInstants(activities: Activities, { startNs, endNs }: Slice, rows: readonly number[]): Float64Array[] {
  const { transfers, workers } = activities;
  const target = targets(activities);
  const found = workers.map((): number[] => []);
  for (const row of rows) {
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
    if (vertex < 0 || cut.vertices.ns[vertex] !== atNs) vertex = pushVertex(cut, worker, atNs);
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
      pushEdge(cut, { from, to: vertexAt(cutNs), kind, row });
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

function onTheWire(cut: Cut, atNs: number): number {
  return pushVertex(cut, ON_THE_WIRE, atNs);
}

function pushVertex({ vertices }: Cut, worker: number, atNs: number): number {
  vertices.worker.push(worker);
  return vertices.ns.push(atNs) - 1;
}

function pushEdge(
  { edges }: Cut,
  edge: { readonly from: number; readonly to: number; readonly kind: number; readonly row: number },
): void {
  edges.from.push(edge.from);
  edges.to.push(edge.to);
  edges.kind.push(edge.kind);
  edges.row.push(edge.row);
}

// The activity graph of a snapshot, explicitly (Sager, ETH 2016, definitions 3.3 to 3.5).
import type { Activities, Slice } from '../activities.ts';

import { cutEdges } from './cut-edges.ts';
import { WAIT } from './segment.ts';
import { wholeSlice } from './slices.ts';

/**
 * Vertices are instants of workers, in order of worker and time, then the ends of transfers that the border cuts; edges are
 * activities, cut where something is sent or arrives, in order of worker and time, then transfers. Times in ns.
 */
export interface ActivityGraph {
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

/** The graph of a snapshot; of the whole trace without one. An edge that only touches the border is no part of it. */
export function activityGraph(activities: Activities, slice: Slice = wholeSlice(activities)): ActivityGraph {
  const { vertices, edges } = cutEdges(activities, slice);
  let [firstNs, lastNs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const time of vertices.ns) {
    if (time < firstNs) firstNs = time;
    if (time > lastNs) lastNs = time;
  }
  return {
    slice,
    firstNs,
    lastNs,
    vertexWorker: Int32Array.from(vertices.worker),
    vertexNs: Float64Array.from(vertices.ns),
    edgeFrom: Int32Array.from(edges.from),
    edgeTo: Int32Array.from(edges.to),
    edgeKind: Uint8Array.from(edges.kind),
    edgeRow: Int32Array.from(edges.row),
  };
}

/** The weight of an edge by definition 3.3, ns; of a wait too. */
export function edgeNs({ vertexNs, edgeFrom, edgeTo }: ActivityGraph, edge: number): number {
  return (vertexNs[edgeTo[edge] as number] as number) - (vertexNs[edgeFrom[edge] as number] as number);
}

export function isWait({ edgeKind }: ActivityGraph, edge: number): boolean {
  return edgeKind[edge] === WAIT;
}

import type { Slice } from '../../../analysis/path/activities.ts';
import { type ActivityGraph, edgeNs, graphEdges } from '../../../analysis/path/graph/activity-graph.ts';
import { checkProperties } from '../../../analysis/path/graph/check-properties.ts';
import { NO_ROW, ON_THE_WIRE, TRANSFER_EDGE } from '../../../analysis/path/graph/segment.ts';
import { type GraphEdges, topologyOf } from '../../../analysis/path/graph/topology.ts';
import { longestPaths } from '../../../analysis/path/graph/vertex-times.ts';
import { at } from '../../../base/lists.ts';
import { backtrack } from './backtrack.ts';
import type { GraphCase, GraphLabel } from './read-graph-case.ts';

type WorkerName = string | number;
/** A worker; or the border that cuts a transfer, with the number of the transfer's edge in the whole graph. */
type Place = WorkerName | readonly ['in' | 'out', number];

interface Property<Where> {
  readonly violations: number;
  readonly at: readonly Where[];
}

/** What an abstract graph says of one slice, in the words of its file. */
export interface GraphSliceResult {
  readonly start: number;
  readonly end: number;
  /** By Algorithm 1. */
  readonly length: number;
  /** From the first vertex of the slice to its last. */
  readonly expected: number;
  readonly longest_by_dp: number;
  readonly critical_paths: number;
  readonly ambiguous_steps: number;
  readonly profile: Readonly<Record<string, number>>;
  readonly properties: {
    readonly '3.9': Property<readonly [WorkerName, number]>;
    readonly '3.10': Property<readonly [number, number]>;
    readonly '3.11': Property<readonly [WorkerName, number]>;
  };
  readonly path: readonly {
    readonly type: string;
    readonly name: string | null;
    readonly src: Place;
    readonly start: number;
    readonly dst: Place;
    readonly end: number;
  }[];
}

/** All slices of an abstract graph. Errors: badInput for a cycle. */
export function graphCaseResult(graphCase: GraphCase): { readonly slices: readonly GraphSliceResult[] } {
  const whole = graphEdges(graphCase.activities);
  const ownEdges = whole.edgeKind.reduce((count, kind) => count + Number(kind !== TRANSFER_EDGE), 0);
  return { slices: graphCase.slices.map((slice) => sliceResult(graphCase, slice, ownEdges)) };
}

function sliceResult(graphCase: GraphCase, slice: Slice, ownEdges: number): GraphSliceResult {
  const { activities, workers } = graphCase;
  const graph = inFileOrder(graphEdges(activities, slice), graphCase);
  const { longestNs, expectedNs, criticalPaths } = longestPaths(graph);
  const { edges, ambiguousSteps } = backtrack(graph);
  const profile = new Map<string, number>();
  let length = 0;
  for (const edge of edges) {
    const { type } = labelOf(graphCase, graph, edge);
    profile.set(type, (profile.get(type) ?? 0) + edgeNs(graph, edge));
    length += edgeNs(graph, edge);
  }
  const violations = checkProperties(activities, slice);
  const instants = violations.minimumInDegree.map(({ worker, atNs }) => [at(workers, worker), atNs] as const);
  const ends = violations.waitStateTermination.map(({ worker, atNs }) => [at(workers, worker), atNs] as const);
  const silent = violations.communicationExistence.map(({ startNs, endNs }) => [startNs, endNs] as const);
  return {
    start: slice.startNs,
    end: slice.endNs,
    length,
    expected: expectedNs,
    longest_by_dp: longestNs,
    critical_paths: criticalPaths,
    ambiguous_steps: ambiguousSteps,
    profile: Object.fromEntries([...profile].sort(([a], [b]) => (a < b ? -1 : 1))),
    properties: { '3.9': listed(instants), '3.10': listed(silent), '3.11': listed(ends) },
    path: edges.map((edge) => {
      const { type, name, index } = labelOf(graphCase, graph, edge);
      const place = (vertex: number, border: 'in' | 'out'): Place => {
        const worker = at(graph.vertexWorker, vertex);
        if (worker !== ON_THE_WIRE) return at(workers, worker);
        return [border, ownEdges + (index ?? 0)];
      };
      const [from, to] = [at(graph.edgeFrom, edge), at(graph.edgeTo, edge)];
      const [start, end] = [at(graph.vertexNs, from), at(graph.vertexNs, to)];
      return { type, name, src: place(from, 'in'), start, dst: place(to, 'out'), end };
    }),
  };
}

function listed<Where>(where: readonly Where[]): Property<Where> {
  return { violations: where.length, at: where };
}

/** The same graph with its transfers in the order of the file, so that the first in it is the first to be chosen. */
function inFileOrder(graph: GraphEdges, graphCase: GraphCase): ActivityGraph {
  const places = Array.from(graph.edgeKind.keys(), (edge) => labelOf(graphCase, graph, edge).index ?? -1);
  const order = [...places.keys()].sort((a, b) => at(places, a) - at(places, b) || a - b);
  const ordered = {
    ...graph,
    edgeFrom: graph.edgeFrom.map((_, index) => at(graph.edgeFrom, at(order, index))),
    edgeTo: graph.edgeTo.map((_, index) => at(graph.edgeTo, at(order, index))),
    edgeKind: graph.edgeKind.map((_, index) => at(graph.edgeKind, at(order, index))),
    edgeRow: graph.edgeRow.map((_, index) => at(graph.edgeRow, at(order, index))),
  };
  return { ...ordered, ...topologyOf(ordered, graphCase.activities.workers) };
}

function labelOf({ activities, labels }: GraphCase, graph: GraphEdges, edge: number): GraphLabel {
  const row = at(graph.edgeRow, edge);
  if (row === NO_ROW) return { type: 'unknown', name: null };
  const names = graph.edgeKind[edge] === TRANSFER_EDGE ? activities.transfers.name : activities.work.name;
  return at(labels, at(names, row));
}

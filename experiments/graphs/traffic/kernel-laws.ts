import type { Algorithm } from '../benchmark-terms.ts';
import { findVertex } from '../check/read-vertices.ts';
import type { Dataset } from '../dataset.ts';
import { cdlp } from '../reference/neighbourhood.ts';
import { bfs } from '../reference/reachability.ts';
import { countLabels } from './count-labels.ts';
import { countPaths } from './count-paths.ts';
import { countTriangles } from './count-triangles.ts';
import { coverCut } from './cover-cut.ts';
import type { Traffic } from './exchange-traffic.ts';
import type { HashedGraph } from './partition.ts';

/** What a run does besides sending. */
export interface KernelRun {
  readonly supersteps: number;
  /** Ends of edges that all ranks read. */
  readonly edgesRead: number;
  /** Ends of edges that each rank works on; else those of its vertices. */
  readonly ends?: Float64Array;
}

/** How much a bundled kernel of Graphalytics (agents/graphalytics) sends on any number of ranks: nothing is fitted. */
export interface KernelLaw {
  /** Bytes of a value that goes from a vertex to its copies; 0 where a message only says which vertices. */
  readonly bytesPerValue: number;
  /** What is counted: the edges between ranks, or also what the algorithm finds, by a serial run of it. */
  readonly from: 'edges' | 'serial run';
  /** Of bytes, messages and supersteps. False: bytes within some percent. */
  readonly isExact: boolean;
  /** Of `edgesRead`: kernels that stop reading early read fewer. */
  readonly edgesAre: 'exact' | 'about' | 'at most';
  /** Exchanges of one superstep, each of which is ranks - 1 messages per rank. */
  readonly sends: string;
  /** Does what is the same on any number of ranks; then counts for one. */
  readonly prepare: (hashed: HashedGraph, parameters: Dataset['parameters']) => (traffic: Traffic) => KernelRun;
}

export const KERNEL_LAWS: Readonly<Record<Algorithm, KernelLaw>> = {
  bfs: {
    bytesPerValue: 0,
    from: 'serial run',
    isExact: true,
    edgesAre: 'at most',
    sends: 'the vertices of each level that lead on, once to each rank with a neighbour; a number to each rank',
    prepare: prepareSearch,
  },
  pr: {
    bytesPerValue: 4,
    from: 'edges',
    isExact: true,
    edgesAre: 'exact',
    sends:
      'in each iteration two values for one end of every edge between ranks: its own to the other rank, a sum back',
    prepare: prepareRanking,
  },
  wcc: {
    bytesPerValue: 12,
    from: 'serial run',
    isExact: true,
    edgesAre: 'at most',
    sends: 'the vertices outside the largest part of a rank; labels that fell; questions and replies about labels',
    prepare: ({ graph }) => {
      const edgesRead = graph.out.targets.length;
      return (traffic) => ({ supersteps: countLabels(traffic), edgesRead });
    },
  },
  cdlp: {
    bytesPerValue: 4,
    from: 'serial run',
    isExact: true,
    edgesAre: 'exact',
    sends: 'first every label, then those that changed, to each rank with a neighbour',
    prepare: preparePropagation,
  },
  lcc: {
    bytesPerValue: 8,
    from: 'edges',
    isExact: true,
    edgesAre: 'at most',
    sends: 'two values of every vertex, and lists of neighbours to the owners of those',
    prepare: () => countTriangles,
  },
  sssp: {
    bytesPerValue: 8,
    from: 'serial run',
    isExact: false,
    edgesAre: 'about',
    sends: 'distances that fell in a bin, to each rank with a neighbour',
    prepare: ({ graph }, { sssp }) => {
      const source = findVertex(graph.ids, sssp?.source ?? '');
      return (traffic) => countPaths(traffic, source);
    },
  },
};

function prepareSearch(
  { graph, degrees }: HashedGraph,
  parameters: Dataset['parameters'],
): (traffic: Traffic) => KernelRun {
  const source = findVertex(graph.ids, parameters.bfs?.source ?? '');
  const levels: number[][] = [];
  let edgesRead = 0;
  bfs(graph, source).forEach((depth, vertex) => {
    if (depth < 0) return;
    edgesRead += (graph.out.offsets[vertex + 1] ?? 0) - (graph.out.offsets[vertex] ?? 0);
    // A vertex whose one edge led to it leads nowhere.
    if (!graph.directed && degrees[vertex] === 1 && vertex !== source) return;
    levels[depth] ??= [];
    levels[depth].push(vertex);
  });
  return (traffic) => {
    levels.forEach((level, depth) => {
      traffic.tell(level, depth === 0 ? traffic.partition.owners[source] : undefined);
    });
    // No rank has found any more.
    traffic.tell([]);
    return { supersteps: levels.length, edgesRead };
  };
}

function prepareRanking({ graph }: HashedGraph, { pr }: Dataset['parameters']): (traffic: Traffic) => KernelRun {
  const supersteps = pr?.iterations ?? 0;
  return (traffic) => {
    const cover = coverCut(traffic.partition);
    for (let iteration = 0; iteration < supersteps; iteration += 1) {
      traffic.trade(cover, 4);
      traffic.gather();
    }
    return { supersteps, edgesRead: supersteps * graph.in.targets.length, ends: cover.ends };
  };
}

function preparePropagation(
  { graph }: HashedGraph,
  { cdlp: parameters }: Dataset['parameters'],
): (traffic: Traffic) => KernelRun {
  const changes: Uint32Array[] = [];
  let isDone = false;
  cdlp(graph, parameters?.iterations ?? 0, (after, before) => {
    if (isDone) return;
    const changed: number[] = [];
    after.forEach((label, vertex) => {
      if (label !== before[vertex]) changed.push(vertex);
    });
    changes.push(Uint32Array.from(changed));
    isDone = changed.length === 0;
  });
  const ends = graph.out.targets.length * (graph.directed ? 2 : 1);
  return (traffic) => {
    traffic.fill(4);
    for (const changed of changes) {
      traffic.spread(changed, 4);
      traffic.reduce(1);
    }
    return { supersteps: changes.length, edgesRead: changes.length * ends };
  };
}

import { EDGE_FACTOR } from './workloads/graph500.ts';

/** Bytes of memory per edge while a graph is made, on all hosts together. */
const BYTES_PER_EDGE = 100;

/**
 * Seconds of a cell beside its searches (setting and proving a level, starting ranks, collecting), and of a search beside its edges.
 * Measured with `predict sweep --nodes 4,25 --bw 50 --scales 20 --roots 8` on emulated hosts in a machine of two cores.
 */
const CELL = { fixedS: 2, perNodeS: 0.18, perSearchS: 0.05 };
/** Edges searched and validated in a second: by all emulated hosts of one machine (same sweep), and by a real host, at least. */
const EDGES_PER_S = { machine: 6e7, host: 3e7 };

const edgesOf = (scale: number): number => EDGE_FACTOR * 2 ** scale;

/** Memory of a Graph500 graph while it is made, bytes on all hosts together. */
export function graphBytes(scale: number): number {
  return edgesOf(scale) * BYTES_PER_EDGE;
}

/** The largest scale whose graph so many hosts of so much memory can make. */
export function largestScale({ nodes, memoryBytes }: { readonly nodes: number; readonly memoryBytes: number }): number {
  return Math.floor(Math.log2((nodes * memoryBytes) / graphBytes(0)));
}

/** About how many seconds a cell of Graph500 takes; `emulated`: the hosts live in one machine. */
export function graph500Seconds({
  nodes,
  scale,
  roots,
  emulated,
}: {
  readonly nodes: number;
  readonly scale: number;
  readonly roots: number;
  readonly emulated: boolean;
}): number {
  const search = CELL.perSearchS + edgesOf(scale) / (emulated ? EDGES_PER_S.machine : EDGES_PER_S.host * nodes);
  // One search warms up.
  return CELL.fixedS + CELL.perNodeS * nodes + (roots + 1) * search;
}

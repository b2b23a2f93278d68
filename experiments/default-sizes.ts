import { EDGE_FACTOR } from './workloads/graph500.ts';

/** What a sweep should take for which nobody said how large its graphs are, or how many searches to time. */
export const DEFAULT_SWEEP_S = 600;

/** As large and as many as without a reason to take less. */
const MOST = { scale: 20, roots: 64 };
const LEAST = { scale: 12, roots: 4 };

/** Bytes of memory per edge while a graph is made, on all hosts together. */
const BYTES_PER_EDGE = 100;
/** Of a host's memory for a graph. */
const SHARE = 0.5;

/**
 * Seconds of a cell beside its searches (setting and proving a level, starting ranks, collecting), and of a search beside its edges.
 * Measured with `predict sweep --nodes 4,25 --bw 50 --scales 20 --roots 8` on emulated hosts in a machine of two cores.
 */
const CELL = { fixedS: 2, perNodeS: 0.18, perSearchS: 0.05 };
/** Edges searched and validated in a second: by all emulated hosts of one machine (same sweep), and by a real host, at least. */
const EDGES_PER_S = { machine: 6e7, host: 3e7 };

interface DefaultSizesInput {
  /** Node count of each cell of the sweep, by size and searches all alike. */
  readonly nodes: readonly number[];
  /** The hosts live in one machine. */
  readonly emulated: boolean;
  /** Of the smallest host, where it is known. */
  readonly memoryBytes?: number | undefined;
  /** What was asked for, where it was. */
  readonly scale?: number | undefined;
  readonly roots?: number | undefined;
}

interface DefaultSizes {
  readonly scale: number;
  readonly roots: number;
  /** What the cells will take in all, by these figures. */
  readonly seconds: number;
}

/**
 * The largest scale, then the most searches, with which the graph fits half the memory of the smallest cluster and all cells take ten
 * minutes; the least of both where even that is longer.
 */
export function defaultSizes({ nodes, emulated, memoryBytes, ...asked }: DefaultSizesInput): DefaultSizes {
  const smallest = Math.min(...nodes);
  const edges = (scale: number): number => EDGE_FACTOR * 2 ** scale;
  const fits = (scale: number): boolean =>
    memoryBytes === undefined || edges(scale) * BYTES_PER_EDGE <= SHARE * memoryBytes * smallest;
  const seconds = (scale: number, roots: number): number =>
    nodes.reduce((sum, count) => {
      const search = CELL.perSearchS + edges(scale) / (emulated ? EDGES_PER_S.machine : EDGES_PER_S.host * count);
      // One search warms up.
      return sum + CELL.fixedS + CELL.perNodeS * count + (roots + 1) * search;
    }, 0);
  const isShort = (scale: number, roots: number): boolean => seconds(scale, roots) <= DEFAULT_SWEEP_S;
  const least = asked.roots ?? LEAST.roots;
  const scale = asked.scale ?? largest(LEAST.scale, MOST.scale, (each) => fits(each) && isShort(each, least));
  const roots = asked.roots ?? largest(LEAST.roots, MOST.roots, (each) => isShort(scale, each));
  return { scale, roots, seconds: seconds(scale, roots) };
}

/** The largest number for which something holds; the least one where it holds for none. */
function largest(least: number, most: number, holds: (value: number) => boolean): number {
  for (let value = most; value > least; value -= 1) if (holds(value)) return value;
  return least;
}

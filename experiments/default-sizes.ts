import { graph500Seconds, graphBytes } from './cell-cost.ts';

/** What a sweep should take for which nobody said how large its graphs are, or how many searches to time. */
export const DEFAULT_SWEEP_S = 600;

/** As large and as many as without a reason to take less. */
const MOST = { scale: 20, roots: 64 };
const LEAST = { scale: 12, roots: 4 };

/** Of a host's memory for a graph. */
const SHARE = 0.5;

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
  const fits = (scale: number): boolean =>
    memoryBytes === undefined || graphBytes(scale) <= SHARE * memoryBytes * smallest;
  const seconds = (scale: number, roots: number): number =>
    nodes.reduce((sum, count) => sum + graph500Seconds({ nodes: count, scale, roots, emulated }), 0);
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

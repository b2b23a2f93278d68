/** The six algorithms of LDBC Graphalytics (thesis, section 3.3.3), by the names that properties files use. */
export const ALGORITHMS = ['bfs', 'pr', 'wcc', 'cdlp', 'lcc', 'sssp'] as const;

export type Algorithm = (typeof ALGORITHMS)[number];

/** Depth of a vertex that a breadth-first search does not reach: 2^63 - 1. */
export const UNREACHED = '9223372036854775807';

/** Where the reference output of an algorithm lies beside its dataset. */
export function referenceName(dataset: string, algorithm: Algorithm): string {
  return `${dataset}-${algorithm.toUpperCase()}`;
}

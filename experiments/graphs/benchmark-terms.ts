import { badInput } from '../../base/errors.ts';

/** The six algorithms of LDBC Graphalytics (thesis, section 3.3.3), by the names that properties files use. */
export const ALGORITHMS = ['bfs', 'pr', 'wcc', 'cdlp', 'lcc', 'sssp'] as const;

export type Algorithm = (typeof ALGORITHMS)[number];

/** Depth of a vertex that a breadth-first search does not reach: 2^63 - 1. */
export const UNREACHED = '9223372036854775807';

/** Where the reference output of an algorithm lies beside its dataset. */
export function referenceName(dataset: string, algorithm: Algorithm): string {
  return `${dataset}-${algorithm.toUpperCase()}`;
}

/** Scale of a graph as the benchmark counts it: log10(V + E), rounded to one decimal (thesis, section 3.3.4). */
export function scaleOf(vertices: number, edges: number): number {
  return Math.round(Math.log10(vertices + edges) * 10) / 10;
}

/** The benchmark's T-shirt size of a graph (thesis, table 3.2): half a unit of scale each, from 2XS below 7 to 2XL from 9.5 on. */
export function classOf(vertices: number, edges: number): string {
  const scale = scaleOf(vertices, edges);
  const classes = ['XS', 'S', 'M', 'L', 'XL'] as const;
  if (scale < 7) return '2XS';
  return classes[Math.floor((scale - 7) * 2)] ?? '2XL';
}

/**
 * The exponent that a Graph500 graph with as many edges would have, log2(E / 16), rounded to two decimals: it stands where models
 * have a Graph500 graph's scale. Errors: badInput for a graph without edges.
 */
export function sizeOf({ name, edges }: { readonly name: string; readonly edges: number }): number {
  if (edges < 1) throw badInput(`The graph '${name}' has no edges, so it has no size: choose another graph.`);
  return Math.round(Math.log2(edges / 16) * 100) / 100;
}

/** What graphs of one generator that differ in size only have in common: graph500-22 and graph500-26 are graph500. */
export function familyOf(name: string): string {
  if (/^graph500-\d+$/.test(name)) return 'graph500';
  const [, kind] = /^datagen-\d+_\d+-(.+)$/.exec(name) ?? [];
  return kind === undefined ? name : `datagen-${kind}`;
}

import { expectedCoveredValues, expectedValues } from './expected-values.ts';

/** What a host sends by number of nodes, ascending, up to a constant. */
export interface ToldVolumes {
  readonly nodes: readonly number[];
  readonly volumes: readonly number[];
}

/** Kernels that send values of most vertices; the others send a few, which depend on more than degrees. */
const LAWS: ReadonlyMap<unknown, typeof expectedValues> = new Map([
  ['pr', expectedCoveredValues],
  ['cdlp', expectedValues],
  ['lcc', expectedValues],
  ['sssp', expectedValues],
]);
/** Numbers of ranks that a law is asked for: 2, 3, 4, 6, 8, 12, ... 4096. */
const RANKS = Array.from({ length: 23 }, (_, index) => (index % 2 === 0 ? 2 : 3) * 2 ** Math.floor(index / 2));
/** More neighbours than this count as so many: on a usual number of ranks all have a copy. */
const MOST_NEIGHBOURS = 1e6;

/** Values per rank by kernel and degrees: the cells of a graph have the same. */
const known = new Map<string, readonly number[]>();

/**
 * What a host sends to others on any number of nodes, by what a bundled kernel of Graphalytics prints of its graph: `degrees`, such as
 * `1:1200 2:640`, vertices by number of neighbours. Undefined where it says nothing, or for a kernel that degrees do not tell.
 */
export function toldVolumes(
  degrees: unknown,
  { algorithm, ranksPerNode }: { readonly algorithm: unknown; readonly ranksPerNode: number },
): ToldVolumes | undefined {
  const law = LAWS.get(algorithm);
  if (typeof degrees !== 'string' || law === undefined) return undefined;
  const key = `${algorithm} ${degrees}`;
  const values = known.get(key) ?? valuesBy(law, degrees);
  known.set(key, values);
  const places = RANKS.map((ranks, index) => ({
    n: ranks / ranksPerNode,
    // Of a rank's values those for ranks of other hosts.
    volume: ((values[index] ?? NaN) * (ranks - ranksPerNode)) / (ranks - 1),
  })).filter(({ n, volume }) => n > 1 && volume > 0);
  if (places.length < 2) return undefined;
  return { nodes: places.map(({ n }) => n), volumes: places.map(({ volume }) => volume) };
}

function valuesBy(law: typeof expectedValues, text: string): readonly number[] {
  const degrees = new Map<number, number>();
  for (const [, neighbours, vertices] of text.matchAll(/(?<!\S)([\d.]{1,12}):(\d{1,12})(?!\S)/g)) {
    const degree = Math.min(MOST_NEIGHBOURS, Math.round(Number(neighbours)));
    if (degree > 0) degrees.set(degree, (degrees.get(degree) ?? 0) + Number(vertices));
  }
  return RANKS.map((ranks) => law(degrees, ranks));
}

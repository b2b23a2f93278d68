/** The six algorithms word by word from their definitions, over sets: small graphs only. Vertices are decimal texts. */
export interface SmallGraph {
  readonly vertices: readonly bigint[];
  /** Both directions of an undirected edge. */
  readonly edges: ReadonlyMap<string, number>;
}

const key = (u: bigint, v: bigint): string => `${u} ${v}`;
const has = ({ edges }: SmallGraph, u: bigint, v: bigint): boolean => edges.has(key(u, v));
const outOf = (graph: SmallGraph, v: bigint): bigint[] => graph.vertices.filter((u) => has(graph, v, u));
const into = (graph: SmallGraph, v: bigint): bigint[] => graph.vertices.filter((u) => has(graph, u, v));
const around = (graph: SmallGraph, v: bigint): bigint[] => [...new Set([...outOf(graph, v), ...into(graph, v)])];

export function smallGraph(
  list: readonly (readonly [bigint, bigint, number])[],
  { directed, others = [] }: { readonly directed: boolean; readonly others?: readonly bigint[] },
): SmallGraph {
  const edges = new Map<string, number>();
  const vertices = new Set<bigint>(others);
  for (const [u, v, weight] of list) {
    vertices.add(u).add(v);
    if (u === v || edges.has(key(u, v))) continue;
    edges.set(key(u, v), weight);
    if (!directed) edges.set(key(v, u), weight);
  }
  return { vertices: [...vertices].sort((a, b) => (a < b ? -1 : 1)), edges };
}

/** Bellman and Ford's rounds: hops with lengths of 1. */
export function distances(graph: SmallGraph, source: bigint, length = (weight: number): number => weight): number[] {
  const found = new Map(graph.vertices.map((v) => [v, v === source ? 0 : Infinity]));
  for (const _ of graph.vertices) {
    for (const [edge, weight] of graph.edges) {
      const [u = 0n, v = 0n] = edge.split(' ').map(BigInt);
      found.set(v, Math.min(found.get(v) ?? 0, (found.get(u) ?? 0) + length(weight)));
    }
  }
  return [...found.values()];
}

export function ranks(graph: SmallGraph, d: number, iterations: number): number[] {
  const { vertices } = graph;
  let rank = new Map(vertices.map((v) => [v, 1 / vertices.length]));
  for (let i = 0; i < iterations; i += 1) {
    const of = (v: bigint): number => rank.get(v) ?? 0;
    const dangling = vertices.filter((v) => outOf(graph, v).length === 0).reduce((sum, v) => sum + of(v), 0);
    rank = new Map(
      vertices.map((v) => {
        const sum = into(graph, v).reduce((all, u) => all + of(u) / outOf(graph, u).length, 0);
        return [v, (1 - d) / vertices.length + d * (sum + dangling / vertices.length)];
      }),
    );
  }
  return [...rank.values()];
}

export function components(graph: SmallGraph): bigint[] {
  const label = new Map(graph.vertices.map((v) => [v, v]));
  for (let changed = true; changed; ) {
    changed = false;
    for (const v of graph.vertices) {
      for (const u of around(graph, v)) {
        if ((label.get(v) ?? 0n) <= (label.get(u) ?? 0n)) continue;
        label.set(v, label.get(u) ?? 0n);
        changed = true;
      }
    }
  }
  return [...label.values()];
}

export function communities(graph: SmallGraph, directed: boolean, iterations: number): bigint[] {
  let labels = new Map(graph.vertices.map((v) => [v, v]));
  for (let i = 0; i < iterations; i += 1) {
    labels = new Map(
      graph.vertices.map((v) => {
        const near = directed ? [...into(graph, v), ...outOf(graph, v)] : outOf(graph, v);
        const counts = new Map<bigint, number>();
        for (const u of near) counts.set(labels.get(u) ?? 0n, (counts.get(labels.get(u) ?? 0n) ?? 0) + 1);
        const most = Math.max(...counts.values());
        const best = [...counts].filter(([, count]) => count === most).map(([label]) => label);
        best.sort((a, b) => Number(a - b));
        return [v, best[0] ?? labels.get(v) ?? v];
      }),
    );
  }
  return [...labels.values()];
}

export function clustering(graph: SmallGraph): number[] {
  return graph.vertices.map((v) => {
    const near = around(graph, v);
    const closed = near.flatMap((u) => near.filter((w) => has(graph, u, w))).length;
    return near.length < 2 ? 0 : closed / (near.length * (near.length - 1));
  });
}

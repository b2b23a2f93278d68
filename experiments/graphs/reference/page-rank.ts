import type { Graph } from '../load-graph.ts';

/** PageRank with the rank of vertices without out-edges spread over all (thesis, A.2). */
export function pageRank(
  { in: incoming, out, vertices }: Graph,
  { dampingFactor: d, iterations }: { readonly dampingFactor: number; readonly iterations: number },
): Float64Array {
  let rank = new Float64Array(vertices).fill(1 / vertices);
  let next = new Float64Array(vertices);
  const outDegree = (vertex: number): number => (out.offsets[vertex + 1] ?? 0) - (out.offsets[vertex] ?? 0);
  for (let iteration = 0; iteration < iterations; iteration += 1) {
    let dangling = 0;
    for (let vertex = 0; vertex < vertices; vertex += 1) if (outDegree(vertex) === 0) dangling += rank[vertex] ?? 0;
    for (let vertex = 0; vertex < vertices; vertex += 1) {
      let sum = 0;
      const end = incoming.offsets[vertex + 1] ?? 0;
      for (let edge = incoming.offsets[vertex] ?? 0; edge < end; edge += 1) {
        const from = incoming.targets[edge] ?? 0;
        sum += (rank[from] ?? 0) / outDegree(from);
      }
      next[vertex] = (1 - d) / vertices + d * (sum + dangling / vertices);
    }
    [rank, next] = [next, rank];
  }
  return rank;
}

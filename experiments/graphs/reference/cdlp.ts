import type { Adjacency } from '../adjacency.ts';
import type { Graph } from '../load-graph.ts';

/**
 * Communities by label propagation, all vertices at once (thesis, A.4): the most frequent label among the neighbours, the smallest of
 * several. A neighbour in both directions counts twice; a vertex without neighbours keeps its label. Labels are vertices.
 */
export function cdlp({ in: incoming, out, vertices }: Graph, iterations: number): Uint32Array {
  let labels = Uint32Array.from({ length: vertices }, (_, vertex) => vertex);
  let next = new Uint32Array(vertices);
  const frequency = new Uint32Array(vertices);
  const seen = new Uint32Array(vertices);
  let kinds = 0;
  const count = ({ offsets, targets }: Adjacency, vertex: number): void => {
    const end = offsets[vertex + 1] ?? 0;
    for (let edge = offsets[vertex] ?? 0; edge < end; edge += 1) {
      const label = labels[targets[edge] ?? 0] ?? 0;
      if (frequency[label] === 0) {
        seen[kinds] = label;
        kinds += 1;
      }
      frequency[label] = (frequency[label] ?? 0) + 1;
    }
  };
  for (let iteration = 0; iteration < iterations; iteration += 1) {
    for (let vertex = 0; vertex < vertices; vertex += 1) {
      kinds = 0;
      count(out, vertex);
      if (incoming !== out) count(incoming, vertex);
      let best = labels[vertex] ?? 0;
      let most = 0;
      for (let kind = 0; kind < kinds; kind += 1) {
        const label = seen[kind] ?? 0;
        const times = frequency[label] ?? 0;
        frequency[label] = 0;
        if (times < most || (times === most && label > best)) continue;
        best = label;
        most = times;
      }
      next[vertex] = best;
    }
    [labels, next] = [next, labels];
  }
  return labels;
}

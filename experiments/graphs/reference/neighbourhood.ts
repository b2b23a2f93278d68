import type { Adjacency } from '../adjacency.ts';
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

/**
 * Communities by label propagation, all vertices at once (thesis, A.4): the most frequent label among the neighbours, the smallest of
 * several. A neighbour in both directions counts twice; a vertex without neighbours keeps its label. Labels are vertices. `onIteration`
 * sees the labels after and before each iteration.
 */
export function cdlp(
  { in: incoming, out, vertices }: Graph,
  iterations: number,
  onIteration: (after: Uint32Array, before: Uint32Array) => void = () => undefined,
): Uint32Array {
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
    onIteration(next, labels);
    [labels, next] = [next, labels];
  }
  return labels;
}

/**
 * Local clustering coefficients (thesis, A.5): edges between the neighbours of a vertex, by the ordered pairs of them. Each triangle
 * is found once, from the end of least degree, and tells each corner how many edges its other two have between them.
 */
export function lcc(graph: Graph): Float64Array {
  const { vertices } = graph;
  const { degrees, upward, between } = upwardNeighbours(graph);
  const triangles = new Float64Array(vertices);
  /** Edges between the vertex at hand and each other one above it. */
  const marked = new Uint8Array(vertices);
  const add = (vertex: number, edges: number): void => {
    triangles[vertex] = (triangles[vertex] ?? 0) + edges;
  };
  for (let v = 0; v < vertices; v += 1) {
    const [start, end] = [upward.offsets[v] ?? 0, upward.offsets[v + 1] ?? 0];
    for (let edge = start; edge < end; edge += 1) marked[upward.targets[edge] ?? 0] = between[edge] ?? 0;
    for (let edge = start; edge < end; edge += 1) {
      const u = upward.targets[edge] ?? 0;
      const last = upward.offsets[u + 1] ?? 0;
      for (let other = upward.offsets[u] ?? 0; other < last; other += 1) {
        const w = upward.targets[other] ?? 0;
        const closing = marked[w] ?? 0;
        if (closing === 0) continue;
        add(v, between[other] ?? 0);
        add(u, closing);
        add(w, between[edge] ?? 0);
      }
    }
    for (let edge = start; edge < end; edge += 1) marked[upward.targets[edge] ?? 0] = 0;
  }
  return triangles.map((found, vertex) => {
    const degree = degrees[vertex] ?? 0;
    return degree < 2 ? 0 : found / (degree * (degree - 1));
  });
}

/**
 * Neighbours in either direction that have a larger degree (or number), each once, and beside them the edges between the two: two
 * when there is one each way, as in an undirected graph.
 */
function upwardNeighbours(graph: Graph): {
  readonly degrees: Uint32Array;
  readonly upward: Pick<Adjacency, 'offsets' | 'targets'>;
  readonly between: Uint8Array;
} {
  const { vertices } = graph;
  const degrees = new Uint32Array(vertices);
  const offsets = new Uint32Array(vertices + 1);
  for (let vertex = 0; vertex < vertices; vertex += 1) {
    forNeighbours(graph, vertex, () => {
      degrees[vertex] = (degrees[vertex] ?? 0) + 1;
    });
  }
  const isAbove = (a: number, b: number): boolean => {
    const more = (degrees[a] ?? 0) - (degrees[b] ?? 0);
    return more > 0 || (more === 0 && a > b);
  };
  let sum = 0;
  for (let vertex = 0; vertex < vertices; vertex += 1) {
    offsets[vertex] = sum;
    forNeighbours(graph, vertex, (other) => {
      if (isAbove(other, vertex)) sum += 1;
    });
  }
  offsets[vertices] = sum;
  const targets = new Uint32Array(sum);
  const between = new Uint8Array(sum);
  let place = 0;
  for (let vertex = 0; vertex < vertices; vertex += 1) {
    forNeighbours(graph, vertex, (other, edges) => {
      if (!isAbove(other, vertex)) return;
      targets[place] = other;
      between[place] = edges;
      place += 1;
    });
  }
  return { degrees, upward: { offsets, targets }, between };
}

/** Each neighbour of a vertex in either direction once, ascending, with the number of edges between the two: both rows are merged. */
export function forNeighbours(
  { in: incoming, out }: Graph,
  vertex: number,
  visit: (neighbour: number, edges: number) => void,
): void {
  let a = out.offsets[vertex] ?? 0;
  const endA = out.offsets[vertex + 1] ?? 0;
  if (incoming === out) {
    for (; a < endA; a += 1) visit(out.targets[a] ?? 0, 2);
    return;
  }
  let b = incoming.offsets[vertex] ?? 0;
  const endB = incoming.offsets[vertex + 1] ?? 0;
  while (a < endA || b < endB) {
    const fromA = a < endA ? (out.targets[a] ?? 0) : Infinity;
    const fromB = b < endB ? (incoming.targets[b] ?? 0) : Infinity;
    visit(Math.min(fromA, fromB), fromA === fromB ? 2 : 1);
    if (fromA <= fromB) a += 1;
    if (fromB <= fromA) b += 1;
  }
}

import type { Adjacency } from '../adjacency.ts';
import type { Graph } from '../load-graph.ts';

/**
 * The smallest vertex of each vertex's weakly connected component: where the labels of the thesis's A.3 end. Found by a search from
 * each vertex in turn, because labels need as many rounds as a path is long.
 */
export function wcc({ in: incoming, out, vertices }: Graph): Int32Array {
  const component = new Int32Array(vertices).fill(-1);
  const queue = new Uint32Array(vertices);
  let tail = 0;
  const reach = ({ offsets, targets }: Adjacency, vertex: number, label: number): void => {
    const end = offsets[vertex + 1] ?? 0;
    for (let edge = offsets[vertex] ?? 0; edge < end; edge += 1) {
      const next = targets[edge] ?? 0;
      if (component[next] !== -1) continue;
      component[next] = label;
      queue[tail] = next;
      tail += 1;
    }
  };
  for (let first = 0; first < vertices; first += 1) {
    if (component[first] !== -1) continue;
    component[first] = first;
    queue[0] = first;
    tail = 1;
    for (let head = 0; head < tail; head += 1) {
      const vertex = queue[head] ?? 0;
      reach(out, vertex, first);
      if (incoming !== out) reach(incoming, vertex, first);
    }
  }
  return component;
}

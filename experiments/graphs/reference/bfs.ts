import type { Graph } from '../load-graph.ts';

/** Hops from the source to each vertex, -1 where there is no way (thesis, A.1). */
export function bfs({ out, vertices }: Graph, source: number): Int32Array {
  const depth = new Int32Array(vertices).fill(-1);
  const queue = new Uint32Array(vertices);
  queue[0] = source;
  depth[source] = 0;
  let tail = 1;
  for (let head = 0; head < tail; head += 1) {
    const vertex = queue[head] ?? 0;
    const end = out.offsets[vertex + 1] ?? 0;
    for (let edge = out.offsets[vertex] ?? 0; edge < end; edge += 1) {
      const next = out.targets[edge] ?? 0;
      if (depth[next] !== -1) continue;
      depth[next] = (depth[vertex] ?? 0) + 1;
      queue[tail] = next;
      tail += 1;
    }
  }
  return depth;
}

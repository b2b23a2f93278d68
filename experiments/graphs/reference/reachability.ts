import { badInput } from '../../../base/errors.ts';
import type { Adjacency } from '../adjacency.ts';
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

/** Lengths of the shortest paths from the source, Infinity where there is no path (thesis, A.6: Dijkstra's algorithm with a heap). */
export function sssp({ out, vertices }: Graph, source: number): Float64Array {
  const { offsets, targets, weights } = out;
  if (weights === null) throw badInput('SSSP needs weights, but the graph has none.');
  const distance = new Float64Array(vertices).fill(Infinity);
  const heap = new VertexHeap(distance);
  distance[source] = 0;
  heap.insert(source);
  while (heap.size > 0) {
    const vertex = heap.deleteMinimum();
    const end = offsets[vertex + 1] ?? 0;
    for (let edge = offsets[vertex] ?? 0; edge < end; edge += 1) {
      const next = targets[edge] ?? 0;
      const length = (distance[vertex] ?? 0) + (weights[edge] ?? 0);
      if (!((distance[next] ?? 0) > length)) continue;
      distance[next] = length;
      heap.insert(next);
    }
  }
  return distance;
}

/** A binary heap of vertices by their distance, each at most once. */
class VertexHeap {
  readonly #distance: Float64Array;
  readonly #heap: Uint32Array;
  /** Place in the heap plus one, 0 for a vertex outside. */
  readonly #place: Uint32Array;
  size = 0;

  constructor(distance: Float64Array) {
    this.#distance = distance;
    this.#heap = new Uint32Array(distance.length);
    this.#place = new Uint32Array(distance.length);
  }

  /** Puts a vertex in, or moves it up to its smaller distance. */
  insert(vertex: number): void {
    let place = (this.#place[vertex] ?? 0) - 1;
    if (place < 0) {
      place = this.size;
      this.size += 1;
    }
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = this.#heap[above] ?? 0;
      if ((this.#distance[parent] ?? 0) <= (this.#distance[vertex] ?? 0)) break;
      this.#put(parent, place);
      place = above;
    }
    this.#put(vertex, place);
  }

  deleteMinimum(): number {
    const least = this.#heap[0] ?? 0;
    this.#place[least] = 0;
    this.size -= 1;
    if (this.size === 0) return least;
    const moved = this.#heap[this.size] ?? 0;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= this.size) break;
      if (child + 1 < this.size && this.#at(child + 1) < this.#at(child)) child += 1;
      if (this.#at(child) >= (this.#distance[moved] ?? 0)) break;
      this.#put(this.#heap[child] ?? 0, place);
      place = child;
    }
    this.#put(moved, place);
    return least;
  }

  #at(place: number): number {
    return this.#distance[this.#heap[place] ?? 0] ?? 0;
  }

  #put(vertex: number, place: number): void {
    this.#heap[place] = vertex;
    this.#place[vertex] = place + 1;
  }
}

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

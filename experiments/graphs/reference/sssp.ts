import { badInput } from '../../../base/errors.ts';
import type { Graph } from '../load-graph.ts';

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

import { badInput } from '../../../base/errors.ts';

/** Tasks and edges, by their places in the lists that they came in. */
export interface DagShape {
  readonly vertices: readonly { readonly id: string }[];
  readonly edges: readonly { readonly id: string; readonly from: string; readonly to: string }[];
}

/** A graph made ready for judging. */
export interface DagGraph {
  readonly vertexIds: readonly string[];
  readonly edgeIds: readonly string[];
  /** Places of the ends of each edge. */
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** Vertices so that each comes after all that can be reached from it. */
  readonly order: Int32Array;
  /** Edges in the order of the vertices that they leave. */
  readonly edgeOrder: Int32Array;
}

/**
 * Orders the graph from its ends (algorithm 1, line 1). Errors: `badInput` for a cycle,
 * which is named, for an edge from or to a vertex that is not there and for ids that come twice.
 */
export function createDagGraph({ vertices, edges }: DagShape): DagGraph {
  const vertexIds = vertices.map(({ id }) => id);
  const edgeIds = edges.map(({ id }) => id);
  const places = placesOf(vertexIds, 'vertices');
  placesOf(edgeIds, 'edges');
  const endOf = (edge: DagShape['edges'][number], end: 'from' | 'to'): number => {
    const place = places.get(edge[end]);
    if (place !== undefined) return place;
    throw badInput(
      `Edge '${edge.id}' goes ${end} '${edge[end]}', which is not a vertex of the job: add it, or correct the edge.`,
    );
  };
  const from = Int32Array.from(edges, (edge) => endOf(edge, 'from'));
  const to = Int32Array.from(edges, (edge) => endOf(edge, 'to'));
  const outgoing: number[][] = vertices.map(() => []);
  for (const [edge, vertex] of from.entries()) outgoing[vertex]?.push(edge);
  const order = reverseOrder({ vertexIds, outgoing, to });
  const edgeOrder = Int32Array.from([...order].flatMap((vertex) => outgoing[vertex] ?? []));
  return { vertexIds, edgeIds, from, to, order, edgeOrder };
}

function placesOf(ids: readonly string[], what: string): Map<string, number> {
  const places = new Map<string, number>();
  for (const [place, id] of ids.entries()) {
    if (places.has(id)) throw badInput(`Two ${what} have the id '${id}': give each its own.`);
    places.set(id, place);
  }
  return places;
}

/** Depth first, without recursion: a vertex is placed when all behind it are. */
function reverseOrder({
  vertexIds,
  outgoing,
  to,
}: {
  readonly vertexIds: readonly string[];
  readonly outgoing: readonly (readonly number[])[];
  readonly to: Int32Array;
}): Int32Array {
  const [NEW, OPEN, DONE] = [0, 1, 2];
  const state = new Uint8Array(vertexIds.length);
  const order = new Int32Array(vertexIds.length);
  let count = 0;
  for (let root = 0; root < vertexIds.length; root += 1) {
    if (state[root] !== NEW) continue;
    const way = [{ vertex: root, next: 0 }];
    state[root] = OPEN;
    for (let top = way.at(-1); top !== undefined; top = way.at(-1)) {
      const edge = outgoing[top.vertex]?.[top.next++];
      if (edge === undefined) {
        state[top.vertex] = DONE;
        order[count++] = top.vertex;
        way.pop();
        continue;
      }
      const vertex = to[edge] as number;
      if (state[vertex] === OPEN)
        throw cycleError(
          way.map((step) => vertexIds[step.vertex] ?? ''),
          vertexIds[vertex] ?? '',
        );
      if (state[vertex] === NEW) {
        state[vertex] = OPEN;
        way.push({ vertex, next: 0 });
      }
    }
  }
  return order;
}

function cycleError(way: readonly string[], again: string) {
  const round = [...way.slice(way.indexOf(again)), again].map((id) => `'${id}'`).join(' -> ');
  return badInput(
    `The edges form a cycle, ${round}: a dataflow job must not have cycles, so remove one of these edges.`,
  );
}

/** All vertices that ways from a vertex lead to, without itself (vsucc* of algorithm 2). O(V + E): edges are taken along the ways. */
export function reachableFrom({ from, to, edgeOrder }: DagGraph, start: number): ReadonlySet<number> {
  const reached = new Set([start]);
  for (const edge of edgeOrder.toReversed()) {
    if (reached.has(from[edge] as number)) reached.add(to[edge] as number);
  }
  reached.delete(start);
  return reached;
}

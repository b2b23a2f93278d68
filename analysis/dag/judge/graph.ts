import { badInput } from '../../../base/errors.ts';
import { at } from '../../../base/lists.ts';

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
  for (const [edge, vertex] of from.entries()) at(outgoing, vertex).push(edge);
  const order = reverseOrder({ vertexIds, outgoing, from, to });
  const edgeOrder = Int32Array.from([...order].flatMap((vertex) => at(outgoing, vertex)));
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

/** A vertex is placed as soon as all that its edges lead to are (Kahn, 1962). */
function reverseOrder({
  vertexIds,
  outgoing,
  from,
  to,
}: Pick<DagGraph, 'vertexIds' | 'from' | 'to'> & { readonly outgoing: readonly (readonly number[])[] }): Int32Array {
  const left = Int32Array.from(outgoing, ({ length }) => length);
  const incoming: number[][] = vertexIds.map(() => []);
  for (const [edge, vertex] of to.entries()) at(incoming, vertex).push(edge);
  const order = [...left.keys()].filter((vertex) => left[vertex] === 0);
  for (const vertex of order) {
    for (const edge of at(incoming, vertex)) {
      const before = at(from, edge);
      left[before] = at(left, before) - 1;
      if (left[before] === 0) order.push(before);
    }
  }
  const stuck = left.findIndex((count) => count > 0);
  if (stuck < 0) return Int32Array.from(order);
  // From what was not placed every way along such vertices goes round in the end.
  const way: number[] = [];
  let vertex = stuck;
  while (!way.includes(vertex)) {
    way.push(vertex);
    const next = at(outgoing, vertex).find((edge) => at(left, at(to, edge)) > 0);
    vertex = at(to, next ?? -1);
  }
  const round = [...way.slice(way.indexOf(vertex)), vertex].map((one) => `'${vertexIds[one]}'`).join(' -> ');
  throw badInput(
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

/** Edges on the longest way from a source to each vertex. */
export function computeDepths(
  vertices: number,
  edges: readonly { readonly from: number; readonly to: number }[],
): readonly number[] {
  const depths = Array<number>(vertices).fill(0);
  let isSettled = false;
  while (!isSettled) {
    isSettled = true;
    for (const { from, to } of edges) {
      const least = at(depths, from) + 1;
      // In a cycle depths would grow for ever; the judge names it.
      if (least <= at(depths, to) || least > vertices) continue;
      depths[to] = least;
      isSettled = false;
    }
  }
  return depths;
}

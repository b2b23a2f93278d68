import type { EdgeList } from './edge-list.ts';

/** Compressed sparse rows: the neighbours of vertex v are `targets[offsets[v]]` up to `targets[offsets[v + 1]]`, without the last. */
export interface Adjacency {
  readonly offsets: Uint32Array;
  readonly targets: Uint32Array;
  /** Beside the targets; null in a graph without weights. */
  readonly weights: Float64Array | null;
}

/** Rows of the vertices that edges lead to, with where they come from, in the order of the list. */
export function rowsByTarget(list: EdgeList, vertices: number): Adjacency {
  const counts = new Uint32Array(vertices + 1);
  for (const { to, length } of list.chunks) {
    for (let edge = 0; edge < length; edge += 1) counts[to[edge] ?? 0] = (counts[to[edge] ?? 0] ?? 0) + 1;
  }
  const { next, rows } = emptyRows(counts, list.weighted);
  for (const { from, to, weight, length } of list.chunks) {
    for (let edge = 0; edge < length; edge += 1) {
      const target = to[edge] ?? 0;
      const place = next[target] ?? 0;
      next[target] = place + 1;
      rows.targets[place] = from[edge] ?? 0;
      if (rows.weights !== null && weight !== null) rows.weights[place] = weight[edge] ?? 0;
    }
  }
  return rows;
}

/** Rows of both ends of every edge. From a list in order, rows are ascending. */
export function rowsOfBothEnds(list: EdgeList, vertices: number): Adjacency {
  const counts = new Uint32Array(vertices + 1);
  for (const { from, to, length } of list.chunks) {
    for (let edge = 0; edge < length; edge += 1) {
      counts[from[edge] ?? 0] = (counts[from[edge] ?? 0] ?? 0) + 1;
      counts[to[edge] ?? 0] = (counts[to[edge] ?? 0] ?? 0) + 1;
    }
  }
  const { next, rows } = emptyRows(counts, list.weighted);
  const put = (row: number, target: number, weight: number): void => {
    const place = next[row] ?? 0;
    next[row] = place + 1;
    rows.targets[place] = target;
    if (rows.weights !== null) rows.weights[place] = weight;
  };
  for (const { from, to, weight, length } of list.chunks) {
    for (let edge = 0; edge < length; edge += 1) {
      const [a, b, w] = [from[edge] ?? 0, to[edge] ?? 0, weight?.[edge] ?? 0];
      put(a, b, w);
      put(b, a, w);
    }
  }
  return rows;
}

/** The same edges seen from their other ends; rows are ascending, equal edges stay in their order. */
export function transpose({ offsets, targets, weights }: Adjacency): Adjacency {
  const vertices = offsets.length - 1;
  const counts = new Uint32Array(vertices + 1);
  for (let edge = 0; edge < targets.length; edge += 1)
    counts[targets[edge] ?? 0] = (counts[targets[edge] ?? 0] ?? 0) + 1;
  const { next, rows } = emptyRows(counts, weights !== null);
  for (let row = 0; row < vertices; row += 1) {
    const end = offsets[row + 1] ?? 0;
    for (let edge = offsets[row] ?? 0; edge < end; edge += 1) {
      const target = targets[edge] ?? 0;
      const place = next[target] ?? 0;
      next[target] = place + 1;
      rows.targets[place] = row;
      if (rows.weights !== null && weights !== null) rows.weights[place] = weights[edge] ?? 0;
    }
  }
  return rows;
}

/** The edges of a list by their first and then their second end: a radix sort whose digits are vertices. Empties the list on its way. */
export function sortedRows(list: EdgeList, vertices: number): Adjacency {
  const byTarget = rowsByTarget(list, vertices);
  list.clear();
  return transpose(byTarget);
}

/** Where rows begin by their lengths, and room for what is in them. */
function emptyRows(counts: Uint32Array, weighted: boolean): { readonly next: Uint32Array; readonly rows: Adjacency } {
  const offsets = new Uint32Array(counts.length);
  let sum = 0;
  for (let row = 0; row < counts.length; row += 1) {
    offsets[row] = sum;
    sum += counts[row] ?? 0;
  }
  // What follows needs the counts no more.
  counts.set(offsets);
  const weights = weighted ? new Float64Array(sum) : null;
  return { next: counts, rows: { offsets, targets: new Uint32Array(sum), weights } };
}

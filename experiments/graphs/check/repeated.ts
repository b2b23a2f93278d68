import { sortedRows } from '../adjacency.ts';
import { EdgeList } from '../edge-list.ts';

/**
 * Places, ascending, of edges that have the same ends as an earlier one, other than the line right before them: what reading
 * in order does not see. An undirected edge is the same both ways.
 */
export function repeatedOutOfOrder(
  list: EdgeList,
  { vertices, directed }: { readonly vertices: number; readonly directed: boolean },
): readonly number[] {
  const places = new EdgeList(true);
  let place = 0;
  let [lastFrom, lastTo] = [-1, -1];
  const isBesideEqual = new Uint8Array(list.length);
  for (const { from, to, length } of list.chunks) {
    for (let edge = 0; edge < length; edge += 1) {
      const [a, b] = [from[edge] ?? 0, to[edge] ?? 0];
      const isTurned = !directed && a > b;
      places.add(isTurned ? b : a, isTurned ? a : b, place);
      if (a === lastFrom && b === lastTo) isBesideEqual[place] = 1;
      [lastFrom, lastTo] = [a, b];
      place += 1;
    }
  }
  const { offsets, targets, weights } = sortedRows(places, vertices);
  const found: number[] = [];
  for (let row = 0; row < vertices; row += 1) {
    const end = offsets[row + 1] ?? 0;
    for (let edge = (offsets[row] ?? 0) + 1; edge < end; edge += 1) {
      const at = weights?.[edge] ?? 0;
      if (targets[edge] === targets[edge - 1] && isBesideEqual[at] === 0) found.push(at);
    }
  }
  return found.sort((a, b) => a - b);
}

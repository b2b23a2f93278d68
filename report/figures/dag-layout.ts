import { at } from '../../base/lists.ts';

/** A graph to be laid out, by places. */
interface LayoutGraph {
  readonly vertices: number;
  readonly edges: readonly { readonly from: number; readonly to: number }[];
}

/** Where things are, in units of columns and rows from the top left. */
interface DagLayout {
  readonly columns: number;
  readonly rows: number;
  /** Of each vertex. */
  readonly column: readonly number[];
  readonly row: readonly number[];
  /** Of each edge, the rows at which it passes the columns between its ends. */
  readonly passes: readonly (readonly number[])[];
}

/**
 * Layers by the longest way from a source, each ordered by the mean place of what comes before (Sugiyama et al., 1981, without a second
 * pass). A long edge has a place of its own in every layer that it passes. The graph has no cycles.
 */
export function layoutDag({ vertices, edges }: LayoutGraph): DagLayout {
  const column = columnsOf({ vertices, edges });
  // Vertices first; `before` holds places in this list.
  const slots = column.map((layer) => ({ layer, before: [] as number[] }));
  const passing = edges.map(({ from, to }) => {
    const own: number[] = [];
    for (let layer = at(column, from) + 1; layer < at(column, to); layer += 1) {
      slots.push({ layer, before: [own.at(-1) ?? from] });
      own.push(slots.length - 1);
    }
    at(slots, to).before.push(own.at(-1) ?? from);
    return own;
  });
  const layers = Array.from({ length: Math.max(-1, ...column) + 1 }, (_, layer) =>
    [...slots.keys()].filter((place) => at(slots, place).layer === layer),
  );
  const rows = Math.max(1, ...layers.map(({ length }) => length));
  const rowOf: number[] = [];
  for (const layer of layers) {
    const wish = (place: number): number => {
      const { before } = at(slots, place);
      return before.reduce((sum, one) => sum + at(rowOf, one), 0) / Math.max(1, before.length);
    };
    // A layer with fewer slots is centred.
    const top = (rows - layer.length) / 2;
    const ordered = layer.map((place) => ({ place, wish: wish(place) })).sort((a, b) => a.wish - b.wish);
    for (const [row, { place }] of ordered.entries()) rowOf[place] = top + row;
  }
  return {
    ...{ columns: layers.length, rows, column },
    row: rowOf.slice(0, vertices),
    passes: passing.map((own) => own.map((place) => at(rowOf, place))),
  };
}

function columnsOf({ vertices, edges }: LayoutGraph): number[] {
  const column = Array.from({ length: vertices }, () => 0);
  // The longest way has fewer edges than there are vertices.
  for (let round = 0; round < vertices; round += 1) {
    let moved = false;
    for (const { from, to } of edges) {
      const least = at(column, from) + 1;
      if (at(column, to) >= least) continue;
      column[to] = least;
      moved = true;
    }
    if (!moved) break;
  }
  return column;
}

import { at } from '../../base/index.ts';

/** A graph to be laid out, by places. */
export interface LayoutGraph {
  readonly vertices: number;
  readonly edges: readonly { readonly from: number; readonly to: number }[];
}

/** Where things are, in units of columns and rows from the top left. */
export interface DagLayout {
  readonly columns: number;
  readonly rows: number;
  /** Of each vertex. */
  readonly column: readonly number[];
  readonly row: readonly number[];
  /** Of each edge, the rows at which it passes the columns between its ends. */
  readonly passes: readonly (readonly number[])[];
}

interface Slot {
  readonly key: string;
  /** Keys of what comes before it. */
  readonly before: string[];
}

/**
 * Layers by the longest way from a source, each ordered by the mean place of what comes before (Sugiyama et al., 1981, without a second
 * pass). A long edge has a place of its own in every layer that it passes. The graph has no cycles.
 */
export function layoutDag({ vertices, edges }: LayoutGraph): DagLayout {
  const column = columnsOf({ vertices, edges });
  const layers = new Map<number, Slot[]>();
  const slotOf = new Map<string, Slot>();
  const put = (layer: number, key: string): Slot => {
    const slot = { key, before: [] };
    layers.set(layer, [...(layers.get(layer) ?? []), slot]);
    slotOf.set(key, slot);
    return slot;
  };
  for (let vertex = 0; vertex < vertices; vertex += 1) put(at(column, vertex), `v${vertex}`);
  for (const [edge, { from, to }] of edges.entries()) {
    let last = `v${from}`;
    for (let layer = at(column, from) + 1; layer < at(column, to); layer += 1) {
      put(layer, `e${edge} ${layer}`).before.push(last);
      last = `e${edge} ${layer}`;
    }
    slotOf.get(`v${to}`)?.before.push(last);
  }
  const columns = layers.size;
  const most = Math.max(1, ...[...layers.values()].map((slots) => slots.length));
  const rowOf = new Map<string, number>();
  for (let layer = 0; layer < columns; layer += 1) {
    const slots = layers.get(layer) ?? [];
    const wish = ({ before }: Slot): number => {
      return before.reduce((sum, key) => sum + (rowOf.get(key) ?? 0), 0) / Math.max(1, before.length);
    };
    const ordered = slots.map((slot, index) => ({ slot, index, wish: wish(slot) }));
    ordered.sort((a, b) => a.wish - b.wish || a.index - b.index);
    // A layer with fewer slots is centred.
    const top = (most - slots.length) / 2;
    for (const [row, { slot }] of ordered.entries()) rowOf.set(slot.key, top + row);
  }
  return {
    ...{ columns, rows: most, column },
    row: Array.from({ length: vertices }, (_, vertex) => rowOf.get(`v${vertex}`) ?? 0),
    passes: edges.map(({ from, to }, edge) => {
      const between = Array.from({ length: at(column, to) - at(column, from) - 1 }, (_, index) => index);
      return between.map((index) => rowOf.get(`e${edge} ${at(column, from) + 1 + index}`) ?? 0);
    }),
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

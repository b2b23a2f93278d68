import { at } from '../../base/index.ts';
import type { Coordinates, Rows } from '../rows.ts';

/**
 * Rows of equal (scale, nodes, bw) as one cell: their number, mean (s) and M2 = sum of squared deviations from it (s²).
 * Sum over rows of (ct - f)² = sum over cells of M2 + count (mean - f)², so nothing that a fit needs is lost.
 */
export interface Cells extends Coordinates {
  readonly count: Float64Array;
  readonly mean: Float64Array;
  readonly m2: Float64Array;
}

interface Cell {
  readonly scale: number;
  readonly nodes: number;
  readonly bw: number;
  count: number;
  mean: number;
  m2: number;
}

/** Cells in order of scale, nodes, bw; cells stay as they are. Means by Welford's update, stable for any number of rows. */
export function collapse(rows: Rows | Cells): Cells {
  if ('mean' in rows) return rows;
  const found = new Map<number, Map<number, Map<number, Cell>>>();
  let cell: Cell | undefined;
  for (let index = 0; index < rows.length; index += 1) {
    const [scale, nodes, bw, ct] = [
      at(rows.scale, index),
      at(rows.nodes, index),
      at(rows.bw, index),
      at(rows.ct, index),
    ];
    // Rows of one cell mostly follow each other.
    if (!cell || cell.bw !== bw || cell.nodes !== nodes || cell.scale !== scale) {
      cell = cellOf(found, { scale, nodes, bw });
    }
    const delta = ct - cell.mean;
    cell.count += 1;
    cell.mean += delta / cell.count;
    cell.m2 += delta * (ct - cell.mean);
  }
  const cells = [...found.values()].flatMap((byNodes) => [...byNodes.values()].flatMap((byBw) => [...byBw.values()]));
  cells.sort((a, b) => a.scale - b.scale || a.nodes - b.nodes || a.bw - b.bw);
  return columnsOf(cells.length, (name, index) => at(cells, index)[name]);
}

/** The cells at these places, in this order. */
export function pickCells(cells: Cells, indices: readonly number[]): Cells {
  return columnsOf(indices.length, (name, index) => at(cells[name], at(indices, index)));
}

function cellOf(
  found: Map<number, Map<number, Map<number, Cell>>>,
  { scale, nodes, bw }: { scale: number; nodes: number; bw: number },
): Cell {
  const byNodes = found.get(scale) ?? new Map<number, Map<number, Cell>>();
  const byBw = byNodes.get(nodes) ?? new Map<number, Cell>();
  const cell = byBw.get(bw) ?? { scale, nodes, bw, count: 0, mean: 0, m2: 0 };
  found.set(scale, byNodes);
  byNodes.set(nodes, byBw);
  byBw.set(bw, cell);
  return cell;
}

function columnsOf(length: number, read: (name: keyof Cell, index: number) => number): Cells {
  const column = (name: keyof Cell): Float64Array => Float64Array.from({ length }, (_, index) => read(name, index));
  return {
    length,
    scale: column('scale'),
    nodes: column('nodes'),
    bw: column('bw'),
    count: column('count'),
    mean: column('mean'),
    m2: column('m2'),
  };
}

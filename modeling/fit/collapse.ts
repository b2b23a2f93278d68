import { median } from 'simple-statistics';
import { at } from '../../base/lists.ts';
import { type Coordinates, indicesWhere, type Rows, VARIABLES, type Variable } from '../rows.ts';

/**
 * Rows of equal (scale, nodes, bw, threads) as one cell: their number, mean (s) and M2 = sum of squared deviations from it (s²).
 * Sum over rows of (ct - f)² = sum over cells of M2 + count (mean - f)², so nothing that a fit needs is lost. Rows that
 * took far longer or shorter than the others of their cell are none of what is typical: they are counted, and left out.
 */
export interface Cells extends Coordinates {
  readonly count: Float64Array;
  readonly mean: Float64Array;
  readonly m2: Float64Array;
  /** Rows left out. */
  readonly outliers: Float64Array;
  /** Share of the time that was communication, mean over the rows that tell; NaN where none does. */
  readonly share: Float64Array;
}

interface Cell {
  readonly scale: number;
  readonly nodes: number;
  readonly bw: number;
  readonly threads: number;
  readonly index: number;
  /** Rows, outliers among them. */
  rows: number;
  /** The cell of the row that came after its last one. */
  next: Cell | undefined;
}

/** Fewer rows than this have no majority that tells which of them is odd. */
const FEWEST = 4;
/** Robust standard deviations beyond which a row is an outlier: of a normal scatter two in a thousand million are. */
const FAR = 6;
/** And at least this factor off the median, however small the scatter. */
const LEAST_FACTOR = 1.5;

/** Cells in order of scale, nodes, bw, threads; cells stay as they are. The order of the rows does not matter. */
export function collapse(rows: Rows | Cells): Cells {
  if ('mean' in rows) return rows;
  const { cells, cellOfRow } = group(rows);
  const times = sortedTimes(rows, cells, cellOfRow);
  const shares = meanShares(rows, cells, cellOfRow);
  const spreads = times.map((own) => (own.length < FEWEST ? null : spreadOf(own)));
  const known = spreads.filter((spread) => spread !== null);
  // Of all cells: the scatter of few rows may be small by chance.
  const common = known.length === 0 ? 0 : median(known);
  const made = cells.map(({ scale, nodes, bw, threads, index }) => {
    const own = at(times, index);
    const spread = at(spreads, index);
    const typical = spread === null ? own : within(own, FAR * Math.max(common, spread));
    const mean = typical.reduce((sum, value) => sum + value, 0) / typical.length;
    const m2 = typical.reduce((sum, value) => sum + (value - mean) ** 2, 0);
    return {
      ...{ scale, nodes, bw, threads },
      count: typical.length,
      mean,
      m2,
      outliers: own.length - typical.length,
      share: at(shares, index),
    };
  });
  made.sort((a, b) => a.scale - b.scale || a.nodes - b.nodes || a.bw - b.bw || a.threads - b.threads);
  return columnsOf(made.length, (name, index) => at(made, index)[name]);
}

/** Completion times per cell, ascending. */
function sortedTimes({ ct }: Rows, cells: readonly Cell[], cellOfRow: Uint32Array): Float64Array[] {
  const times = cells.map((cell) => new Float64Array(cell.rows));
  const filled = new Uint32Array(cells.length);
  for (let row = 0; row < ct.length; row += 1) {
    const cell = cellOfRow[row] ?? NaN;
    const place = filled[cell] ?? NaN;
    const own = times[cell];
    if (own) own[place] = ct[row] ?? NaN;
    filled[cell] = place + 1;
  }
  for (const own of times) own.sort();
  return times;
}

function meanShares({ ct, communication }: Rows, cells: readonly Cell[], cellOfRow: Uint32Array): Float64Array {
  const [sums, told] = [new Float64Array(cells.length), new Float64Array(cells.length)];
  for (let row = 0; row < ct.length; row += 1) {
    const share = (communication[row] ?? NaN) / (ct[row] ?? NaN);
    if (Number.isNaN(share)) continue;
    const cell = cellOfRow[row] ?? NaN;
    sums[cell] = (sums[cell] ?? NaN) + share;
    told[cell] = (told[cell] ?? NaN) + 1;
  }
  return sums.map((sum, cell) => sum / at(told, cell));
}

/** Standard deviation of ln CT by the median absolute deviation: half of the rows may be anything. */
function spreadOf(sorted: Float64Array): number {
  const middle = middleOf(sorted);
  // Both ends of the half that lies nearest to the middle: outwards, whichever of the next two is nearer.
  let high = sorted.length >> 1;
  let low = high - 1;
  let factor = 1;
  for (let taken = 0; taken <= sorted.length >> 1; taken += 1) {
    // Beyond either end nothing is near.
    const [below, above] = [middle / (sorted[low] ?? 0), (sorted[high] ?? Number.POSITIVE_INFINITY) / middle];
    factor = Math.min(below, above);
    if (below < above) low -= 1;
    else high += 1;
  }
  return 1.4826 * Math.log(factor);
}

function middleOf(sorted: Float64Array): number {
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? at(sorted, half) : (at(sorted, half - 1) + at(sorted, half)) / 2;
}

/** What lies within so far (ln) of the median, or within the least factor. */
function within(sorted: Float64Array, far: number): Float64Array {
  const middle = middleOf(sorted);
  const factor = Math.max(Math.exp(far), LEAST_FACTOR);
  // Sorted: only its ends can be far.
  const low = sorted.findIndex((value) => middle <= factor * value);
  const high = sorted.findLastIndex((value) => value <= factor * middle);
  return sorted.subarray(low, high + 1);
}

/** The cells at these places, in this order. */
export function pickCells(cells: Cells, indices: readonly number[]): Cells {
  return columnsOf(indices.length, (name, index) => at(cells[name], at(indices, index)));
}

/** Cells of both, which have none in common, in order. */
export function joinCells(some: Cells, others: Cells): Cells {
  const places = [some, others].flatMap((cells) => Array.from(cells.mean, (_, index) => ({ cells, index })));
  const value = (place: (typeof places)[number], name: Column): number => at(place.cells[name], place.index);
  places.sort((a, b) => VARIABLES.reduce((found, name) => found || value(a, name) - value(b, name), 0));
  return columnsOf(places.length, (name, index) => value(at(places, index), name));
}

/** The cells on these node counts, and those on others. */
export function splitByNodes(cells: Cells, nodes: readonly number[]): { readonly on: Cells; readonly others: Cells } {
  const part = (isOn: boolean): Cells =>
    pickCells(
      cells,
      indicesWhere(cells, (cell) => nodes.includes(at(cells.nodes, cell)) === isOn),
    );
  return { on: part(true), others: part(false) };
}

/** The cells in the order in which their first rows come, and the cell of each row. */
function group(rows: Rows): { readonly cells: Cell[]; readonly cellOfRow: Uint32Array } {
  const found = new Map<string, Cell>();
  const cells: Cell[] = [];
  const cellOfRow = new Uint32Array(rows.length);
  const find = (scale: number, nodes: number, bw: number, threads: number): Cell => {
    const key = `${scale} ${nodes} ${bw} ${threads}`;
    const cell = found.get(key) ?? { scale, nodes, bw, threads, index: cells.length, rows: 0, next: undefined };
    if (cell.index === cells.length) cells.push(cell);
    found.set(key, cell);
    return cell;
  };
  let cell: Cell | undefined;
  for (let row = 0; row < rows.length; row += 1) {
    const [scale, nodes] = [rows.scale[row] ?? NaN, rows.nodes[row] ?? NaN];
    const [bw, threads] = [rows.bw[row] ?? NaN, rows.threads[row] ?? NaN];
    const isOf = (one: Cell): boolean =>
      one.bw === bw && one.nodes === nodes && one.scale === scale && one.threads === threads;
    // Rows of one cell mostly follow each other, or those of all cells come round and round.
    if (!cell || !isOf(cell)) {
      const before: Cell | undefined = cell;
      cell = before?.next;
      if (!cell || !isOf(cell)) cell = find(scale, nodes, bw, threads);
      if (before) before.next = cell;
    }
    cell.rows += 1;
    cellOfRow[row] = cell.index;
  }
  return { cells, cellOfRow };
}

type Column = Variable | 'count' | 'mean' | 'm2' | 'outliers' | 'share';

function columnsOf(length: number, read: (name: Column, index: number) => number): Cells {
  const column = (name: Column): Float64Array => Float64Array.from({ length }, (_, index) => read(name, index));
  return {
    length,
    scale: column('scale'),
    nodes: column('nodes'),
    bw: column('bw'),
    threads: column('threads'),
    count: column('count'),
    mean: column('mean'),
    m2: column('m2'),
    outliers: column('outliers'),
    share: column('share'),
  };
}

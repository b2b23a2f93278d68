import { at } from '../../base/lists.ts';

/** Rows of each key together: those of key k are `order[first[k]]` up to before `order[first[k + 1]]`. */
export interface Grouped {
  readonly order: Int32Array;
  readonly first: Uint32Array;
}

/** Rows by their key, 0 up to before `keys`; within a key as they come. */
export function groupByKey(key: Int32Array, keys: number): Grouped {
  const first = new Uint32Array(keys + 1);
  for (const own of key) first[own + 1] = (first[own + 1] as number) + 1;
  for (let index = 0; index < keys; index += 1)
    first[index + 1] = (first[index + 1] as number) + (first[index] as number);
  const next = first.slice();
  const order = new Int32Array(key.length);
  for (let row = 0; row < key.length; row += 1) {
    const own = key[row] as number;
    order[next[own] as number] = row;
    next[own] = (next[own] as number) + 1;
  }
  return { order, first };
}

/** By so many places each may rows be moved on average before they are sorted as a whole. */
const MOST_MOVES = 8;

/** The rows of each key in ascending order of a value; what is nearly in order costs little more than one look. Rows alike stay as they are. */
export function byFirst(grouped: Grouped, value: ArrayLike<number>): Grouped {
  const { order, first } = grouped;
  for (let key = 0; key + 1 < first.length; key += 1) {
    const rows = order.subarray(first[key] as number, first[key + 1] as number);
    if (!movedIntoOrder(rows, value)) rows.sort((a, b) => (value[a] as number) - (value[b] as number));
  }
  return grouped;
}

/** Moves each row before those of greater value; false where that takes too many moves. */
function movedIntoOrder(rows: Int32Array, value: ArrayLike<number>): boolean {
  let left = MOST_MOVES * rows.length;
  for (let index = 1; index < rows.length; index += 1) {
    const row = rows[index] as number;
    const own = value[row] as number;
    let place = index;
    for (; place > 0 && (value[rows[place - 1] as number] as number) > own; place -= 1) {
      rows[place] = rows[place - 1] as number;
    }
    rows[place] = row;
    left -= index - place;
    if (left < 0) return false;
  }
  return true;
}

/** Values in the order of rows. */
export function arrange<T extends Float64Array | Int32Array | Uint8Array>(
  Column: new (length: number) => T,
  values: ArrayLike<number>,
  order: Int32Array | Uint32Array,
): T {
  const column = new Column(order.length);
  for (let index = 0; index < order.length; index += 1) column[index] = values[order[index] as number] as number;
  return column;
}

/** The first index of a list from which on something is so; its length where it never is. */
export function firstWhere<T>(list: readonly T[], isSo: (item: T) => boolean): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isSo(at(list, middle))) high = middle;
    else low = middle + 1;
  }
  return low;
}

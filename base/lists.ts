/**
 * The element at an index that is meant to exist, of an array or typed array. Errors: RangeError for any other, a fault in the
 * program. Loops over slices index directly: shared by columns of every kind, this costs some 10 ns a call.
 */
export function at<T>(column: ArrayLike<T>, index: number): T {
  const value = column[index];
  if (value === undefined) throw new RangeError(`there is no element ${index} among ${column.length}`);
  return value;
}

/** The last element of a column that must have one. */
export function last<T>(column: ArrayLike<T>): T {
  return at(column, column.length - 1);
}

/** Each value once, ascending. */
export function ascending(values: Iterable<number>): number[] {
  return [...new Set(values)].sort((a, b) => a - b);
}

/** Items of one key together, groups in the order of their first items. */
export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return [...groups.values()];
}

/** Sums by key, in the order in which keys come. */
export function sumBy<T>(
  items: Iterable<T>,
  keyOf: (item: T) => string,
  partOf: (item: T) => number,
): Map<string, number> {
  const sums = new Map<string, number>();
  for (const item of items) sums.set(keyOf(item), (sums.get(keyOf(item)) ?? 0) + partOf(item));
  return sums;
}

/** What a record has under a name from outside; undefined for `constructor` and whatever else all objects inherit. */
export function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** First index in [from, to) whose value is at least `least`; `to` if there is none. The values ascend. */
export function lowerBound(
  values: Float64Array,
  { from, to, least }: { readonly from: number; readonly to: number; readonly least: number },
): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] as number) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The numbers 0..length-1 in an order that depends on the seed alone (Fisher-Yates). */
export function shuffledIndices(length: number, seed: number): Uint32Array {
  const random = mulberry32(seed);
  const order = Uint32Array.from({ length }, (_, index) => index);
  for (let last = length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    const held = at(order, last);
    order[last] = at(order, other);
    order[other] = held;
  }
  return order;
}

/** Tommy Ettinger's mulberry32: uniform in [0, 1), 32 bits of state. */
export function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Places `from` up to and without `to`. */
interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** The longest stretches of 0 to `count` in which each place is like the one before. */
export function* stretchesOf(count: number, isLike: (place: number, before: number) => boolean): Generator<Stretch> {
  let from = 0;
  for (let place = 1; place <= count; place += 1) {
    if (place < count && isLike(place, place - 1)) continue;
    yield { from, to: place };
    from = place;
  }
}

/** The same for equal values of a list; places count from its beginning. */
export function* equalStretches<T>(values: ArrayLike<T>): Generator<Stretch & { readonly value: T }> {
  for (const stretch of stretchesOf(values.length, (place, before) => values[place] === values[before])) {
    yield { ...stretch, value: at(values, stretch.from) };
  }
}

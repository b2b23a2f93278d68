import { at } from '../../../base/lists.ts';
import { compareText } from '../../../base/text.ts';

/** Rows sorted by their paths. */
export function rowsInOrder(paths: readonly string[]): Uint32Array {
  return Uint32Array.from(paths.keys()).sort((a, b) => compareText(at(paths, a), at(paths, b)));
}

interface Key {
  /** Place in the list of indices. */
  readonly slot: number;
  /** The path in quotes, and a colon. */
  readonly text: string;
}

/** Keys of JSON objects for lists of indices, such as the metrics that a leaf uses: sorted by path. */
export function sortedKeys(paths: readonly string[]): (indices: Uint32Array) => readonly Key[] {
  const rank = new Uint32Array(paths.length);
  for (const [place, index] of rowsInOrder(paths).entries()) rank[index] = place;
  // Phases share their lists, so each is put in order once.
  const known = new Map<Uint32Array, readonly Key[]>();
  return (indices) => {
    const found = known.get(indices);
    if (found !== undefined) return found;
    const keys = Array.from(indices, (index, slot) => ({ slot, rank: at(rank, index), path: at(paths, index) }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ slot, path }) => ({ slot, text: `${JSON.stringify(path)}:` }));
    known.set(indices, keys);
    return keys;
  };
}

/** An object with these keys. */
export function objectText(keys: readonly Key[], write: (slot: number) => string): string {
  let text = '{';
  for (const key of keys) text += `${text.length > 1 ? ',' : ''}${key.text}${write(key.slot)}`;
  return `${text}}`;
}

/** Texts are handed on when they reach this length: large enough to be few, small enough to be made in passing. */
const PIECE_LENGTH = 1 << 16;

/** `open`, what `write` makes of each value (JSON already) with commas between, and `close`; in pieces of bounded length. */
export function* listed<T>(
  [open, close]: readonly [string, string],
  values: Iterable<T>,
  write: (value: T) => string,
): Generator<string> {
  let piece = open;
  let separator = '';
  for (const value of values) {
    piece += separator + write(value);
    separator = ',';
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = '';
  }
  yield piece + close;
}

// The loops below run over slices: they index directly (see `at`).

/** Finite numbers as a list. Neighbours are often equal: text is made once for each run of them, which is three times as fast. */
export function numberList(values: Float64Array, from = 0, to = values.length): string {
  let text = '';
  for (let start = from; start < to; ) {
    let end = start + 1;
    while (end < to && values[end] === values[start]) end += 1;
    text += `,${values[start]}`.repeat(end - start);
    start = end;
  }
  return `[${text.slice(1)}]`;
}

/** States as run lengths in quotes: 0 0 0 2 with the letters N, L, G is "3N1G"; no states are an empty text. */
export function runLengths(
  states: Uint8Array,
  { from, to, letters }: { readonly from: number; readonly to: number; readonly letters: string },
): string {
  let text = '"';
  for (let start = from; start < to; ) {
    let end = start + 1;
    while (end < to && states[end] === states[start]) end += 1;
    text += `${end - start}${letters[states[start] ?? 0]}`;
    start = end;
  }
  return `${text}"`;
}

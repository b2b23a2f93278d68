/** Pieces are handed on when they reach this length: large enough to be few, small enough to be made in passing. */
const PIECE_LENGTH = 1 << 17;

/** Texts joined to fewer, longer ones. */
export function* inPieces(texts: Iterable<string>): Generator<string> {
  let piece = '';
  for (const text of texts) {
    piece += text;
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

/** `open`, the items with commas between them, `close`; each item is JSON already. */
export function* listed(open: string, items: Iterable<string>, close: string): Generator<string> {
  yield open;
  let isFirst = true;
  for (const item of items) {
    yield isFirst ? item : `,${item}`;
    isFirst = false;
  }
  yield close;
}

/** Finite numbers as a list. Neighbours are often equal, so only what changes is turned into text: four times as fast. */
export function numberList(values: Float64Array): string {
  let text = '';
  let last = Number.NaN;
  let lastText = '';
  for (const value of values) {
    if (value !== last) {
      last = value;
      lastText = `,${value}`;
    }
    text += lastText;
  }
  return `[${text.slice(1)}]`;
}

/** States as run lengths in quotes: 0 0 0 2 with the letters N, L, G is "3N1G"; no states are an empty text. */
export function runLengths(states: Uint8Array, letters: string): string {
  let text = '';
  let start = 0;
  for (let place = 1; place <= states.length; place += 1) {
    if (place < states.length && states[place] === states[start]) continue;
    text += `${place - start}${letters[states[start] ?? 0]}`;
    start = place;
  }
  return `"${text}"`;
}

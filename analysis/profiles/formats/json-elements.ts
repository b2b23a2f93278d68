import type { ProfileFile } from './profile-file.ts';

const [QUOTE, ESCAPE, COMMA] = [0x22, 0x5c, 0x2c];
const OPENING: readonly number[] = [0x5b, 0x7b];
const CLOSING: readonly number[] = [0x5d, 0x7d];

/**
 * The values of a list in JSON one after another, so that a file may be longer than any text. `from` is where its `[` ends; returns
 * where its `]` stands. Errors: badInput with the line where a value is damaged or the file cut off.
 */
export function* jsonElements(file: ProfileFile, from: number): Generator<unknown, number> {
  const { bytes } = file;
  let start = from;
  let depth = 0;
  for (let place = from; place < bytes.length; place += 1) {
    const byte = bytes[place] ?? 0;
    if (byte === QUOTE) place = endOfText(bytes, place);
    else if (OPENING.includes(byte)) depth += 1;
    else if (CLOSING.includes(byte)) {
      depth -= 1;
      if (depth >= 0) continue;
      if (start !== from || !isBlank(bytes, start, place)) yield file.jsonBetween(start, place);
      return place;
    } else if (byte === COMMA && depth === 0) {
      yield file.jsonBetween(start, place);
      start = place + 1;
    }
  }
  throw file.refuse(file.lineAt(bytes.length - 1), 'the file is truncated there');
}

/** Where the text that begins at a quote ends. */
function endOfText(bytes: Buffer, quote: number): number {
  for (let place = quote + 1; place < bytes.length; place += 1) {
    if (bytes[place] === ESCAPE) place += 1;
    else if (bytes[place] === QUOTE) return place;
  }
  return bytes.length;
}

function isBlank(bytes: Buffer, from: number, to: number): boolean {
  for (let place = from; place < to; place += 1) if ((bytes[place] ?? 0) > 0x20) return false;
  return true;
}

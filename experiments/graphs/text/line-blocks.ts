import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { badInput, messageOf } from '../../../base/errors.ts';
import { isGzip, unpacked } from '../../../base/unpack.ts';
import type { Scanner } from './scanner.ts';

/**
 * Visits the lines of a text file, plain or gzip: the scanner stands at the start of the line, whose number from 1 is given, and may be
 * left anywhere up to its newline. How many lines there are, and whether the last one is ended by a newline. Errors: badInput.
 */
export async function forEachLine(
  file: string,
  scanner: Scanner,
  visit: (line: number) => void,
): Promise<{ readonly lines: number; readonly isEnded: boolean }> {
  let lines = 0;
  let isEnded = true;
  for await (const bytes of lineBlocks(file)) {
    scanner.bytes = bytes;
    scanner.at = 0;
    while (scanner.at < bytes.length) {
      lines += 1;
      visit(lines);
      if (bytes[scanner.at] !== NEWLINE) scanner.at = scanner.lineEnd();
      scanner.at += 1;
    }
    isEnded = bytes[bytes.length - 1] === NEWLINE;
  }
  return { lines, isEnded };
}

const NEWLINE = 10;
/** Bytes that are read at once: a small file needs no more than it has. */
const [LEAST_CHUNK, LARGEST_CHUNK] = [1 << 12, 1 << 22];
/** Bytes of a line; no line of a graph is longer. */
const LONGEST_LINE = 1 << 20;

/**
 * A text file, plain or gzip, in blocks of whole lines: each ends with a newline, but for the last of a file whose last line has
 * none. Errors: badInput for what cannot be read or unpacked, or has a line beyond all bounds.
 */
export async function* lineBlocks(file: string): AsyncGenerator<Uint8Array> {
  let rest: Uint8Array = new Uint8Array(0);
  try {
    for await (const chunk of chunksOf(file)) {
      const end = chunk.lastIndexOf(NEWLINE) + 1;
      if (end === 0) {
        rest = joined(rest, chunk);
        if (rest.length > LONGEST_LINE)
          throw badInput(`${file} is not a list in lines: one line has more than a million bytes.`);
        continue;
      }
      yield joined(rest, chunk.subarray(0, end));
      rest = chunk.slice(end);
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw badInput(`${file} cannot be read (${messageOf(error)}).`, error);
  }
  if (rest.length > 0) yield rest;
}

/**
 * A file of binary records in blocks of whole ones, each at the start of memory of its own. Errors: badInput for what cannot be read
 * and for a file that ends within a record.
 */
export async function* fileBlocks(file: string, record: number): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let rest: Uint8Array = new Uint8Array(0);
  for await (const chunk of createReadStream(file, { highWaterMark: LARGEST_CHUNK })) {
    const bytes = joined(rest, chunk);
    const end = bytes.length - (bytes.length % record);
    yield bytes.slice(0, end);
    rest = bytes.slice(end);
  }
  if (rest.length > 0) throw badInput(`${file} ends in the middle of a record: it is truncated.`);
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  if (first.length === 0) return second;
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

async function* chunksOf(file: string): AsyncGenerator<Uint8Array> {
  const found = await stat(file);
  // A pipe could be read once only.
  if (!found.isFile()) throw badInput(`${file} cannot be read: it is not a file.`);
  const highWaterMark = Math.min(Math.max(found.size + 1, LEAST_CHUNK), LARGEST_CHUNK);
  const source = createReadStream(file, { highWaterMark })[Symbol.asyncIterator]();
  const first = await source.next();
  if (first.done) return;
  const all = async function* (): AsyncGenerator<Uint8Array> {
    try {
      yield first.value;
      for (let next = await source.next(); !next.done; next = await source.next()) yield next.value;
    } finally {
      // Closes the file, whoever has read enough.
      await source.return?.();
    }
  };
  yield* isGzip(first.value) ? unpacked(all(), { path: file }) : all();
}

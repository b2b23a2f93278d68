import { open } from 'node:fs/promises';
import { badInput, messageOf } from '../../../base/errors.ts';
import { isGzip, unpacked } from '../../../base/unpack.ts';

/** So many are read at once. */
export const CHUNK_BYTES = 1 << 21;
/** Some editors put it before a text in UTF-8. */
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
/** The name that stands for standard input. */
export const STDIN = '-';

/**
 * The bytes of a file, a FIFO or standard input (`-`), unpacked where they are gzip, whatever the name says, and without a byte
 * order mark. Whoever stops early closes it. Errors: badInput where it cannot be opened or unpacked, or unpacks to more than
 * `mostUnpacked` bytes (`unpacked`).
 */
export async function* openBytes(
  path: string,
  { mostUnpacked: most }: { readonly mostUnpacked?: number } = {},
): AsyncGenerator<Buffer> {
  const source = path === STDIN ? process.stdin : (await opened(path)).createReadStream({ highWaterMark: CHUNK_BYTES });
  try {
    const pieces: AsyncIterator<Buffer> = source[Symbol.asyncIterator]();
    const first = await nextPiece(pieces, path);
    if (first === null) return;
    const all = restored(first, pieces, path);
    yield* withoutMark(isGzip(first) ? unpacked(all, { path, most }) : all);
  } finally {
    source.destroy();
  }
}

async function* withoutMark(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isFirst = true;
  for await (const piece of pieces) {
    yield isFirst ? unmarked(piece) : piece;
    isFirst = false;
  }
}

/** The first piece of a text without its byte order mark. */
export function unmarked(piece: Buffer): Buffer {
  const isMarked = piece.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  return isMarked ? piece.subarray(BYTE_ORDER_MARK.length) : piece;
}

/** Errors: badInput where it cannot be opened. */
export async function opened(path: string) {
  try {
    return await open(path, 'r');
  } catch (error) {
    throw badInput(`${path} cannot be opened (${messageOf(error)}).`, error);
  }
}

async function nextPiece(pieces: AsyncIterator<Buffer>, path: string): Promise<Buffer | null> {
  try {
    const { value, done } = await pieces.next();
    return done === true ? null : value;
  } catch (error) {
    throw badInput(`${path} cannot be read (${messageOf(error)}).`, error);
  }
}

async function* restored(first: Buffer, pieces: AsyncIterator<Buffer>, path: string): AsyncGenerator<Buffer> {
  let piece: Buffer | null = first;
  while (piece !== null) {
    yield piece;
    piece = await nextPiece(pieces, path);
  }
}

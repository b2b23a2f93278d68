import { open } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import { badInput, messageOf } from '../../../base/index.ts';

/** So many are read at once. */
export const CHUNK_BYTES = 1 << 21;
const GZIP = [0x1f, 0x8b] as const;
/** Some editors put it before a text in UTF-8. */
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
/** The name that stands for standard input. */
export const STDIN = '-';

/**
 * The bytes of a file, a FIFO or standard input (`-`), unpacked where they are gzip, whatever the name says, and without a byte
 * order mark. Whoever stops early closes it. Errors: badInput where it cannot be opened or unpacked.
 */
export async function* openBytes(path: string): AsyncGenerator<Buffer> {
  const source = path === STDIN ? process.stdin : (await opened(path)).createReadStream({ highWaterMark: CHUNK_BYTES });
  try {
    const pieces: AsyncIterator<Buffer> = source[Symbol.asyncIterator]();
    const first = await nextPiece(pieces, path);
    if (first === null) return;
    const all = restored(first, pieces, path);
    yield* withoutMark(isGzip(first) ? unpacked(all, path) : all);
  } finally {
    source.destroy();
  }
}

export function isGzip(bytes: Buffer): boolean {
  return bytes[0] === GZIP[0] && bytes[1] === GZIP[1];
}

async function* unpacked(pieces: AsyncIterable<Buffer>, path: string): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  const feeding = feed(gunzip, pieces);
  try {
    for await (const piece of gunzip) yield piece as Buffer;
    await feeding;
  } catch (error) {
    throw badInput(
      `${path} cannot be unpacked (${messageOf(error)}): write it again, or unpack what is left of it.`,
      error,
    );
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

async function feed(gunzip: ReturnType<typeof createGunzip>, pieces: AsyncIterable<Buffer>): Promise<void> {
  try {
    for await (const piece of pieces) {
      if (!gunzip.write(piece)) await new Promise((resolve) => gunzip.once('drain', resolve));
    }
    gunzip.end();
  } catch (error) {
    gunzip.destroy(error instanceof Error ? error : new Error(String(error)));
  }
}

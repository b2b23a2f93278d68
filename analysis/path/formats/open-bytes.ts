// Where traces come from: files, FIFOs and standard input, as bytes and as lines. Whoever stops early closes them, and memory is
// bounded whatever a line's length. What the bytes mean is for the readers to say.
import { watch } from 'node:fs';
import { open } from 'node:fs/promises';
import { badInput, messageOf } from '../../../base/errors.ts';
import { linesIn } from '../../../base/line-reader.ts';
import { isGzip, unpacked } from '../../../base/unpack.ts';

/** So many are read at once. */
const CHUNK_BYTES = 1 << 21;
/** Some editors put it before a text in UTF-8. */
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
/** The name that stands for standard input. */
export const STDIN = '-';
/** A line of more bytes is damage: no row of a trace is. */
export const LONGEST_LINE = 1 << 20;

/**
 * The bytes of a file, a FIFO or standard input (`-`), unpacked where they are gzip, whatever the name says, and without a byte
 * order mark. Errors: badInput where it cannot be opened or unpacked, or unpacks to more than `mostUnpacked` bytes (`unpacked`).
 */
export async function* openBytes(
  path: string,
  { mostUnpacked: most }: { readonly mostUnpacked?: number } = {},
): AsyncGenerator<Buffer> {
  const source = path === STDIN ? process.stdin : (await opened(path)).createReadStream({ highWaterMark: CHUNK_BYTES });
  try {
    const pieces = readable(source, path);
    const first = await pieces.next();
    if (first.done === true) return;
    const all = joined(first.value, pieces);
    yield* withoutMark(isGzip(first.value) ? unpacked(all, { path, most }) : all);
  } finally {
    source.destroy();
  }
}

/**
 * The bytes of a regular file as it grows, until `signal`: what is there, then what is written behind it. `isAll` says that no
 * more is there for now. Of a FIFO and of standard input every piece, to their end. Errors: badInput where it cannot be opened.
 */
export async function* followBytes(
  path: string,
  signal: AbortSignal,
): AsyncGenerator<{ readonly piece: Buffer; readonly isAll: boolean }> {
  const file = path === STDIN ? null : await opened(path);
  if (file === null || !(await file.stat()).isFile()) {
    const source = file?.createReadStream({ highWaterMark: CHUNK_BYTES, signal }) ?? process.stdin;
    try {
      for await (const piece of withoutMark(source)) yield { piece, isAll: true };
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    return;
  }
  const growth = watchGrowth(path, signal);
  try {
    const buffer = Buffer.alloc(CHUNK_BYTES);
    let isFirst = true;
    while (!signal.aborted) {
      const seen = growth.changes();
      const { bytesRead } = await file.read(buffer, 0, buffer.length);
      if (isFirst && isGzip(buffer)) {
        throw badInput(`--follow: ${path} is compressed: follow the uncompressed file that is being written.`);
      }
      const bytes = buffer.subarray(0, bytesRead);
      const piece = Buffer.from(isFirst ? unmarked(bytes) : bytes);
      isFirst &&= bytesRead === 0;
      if (bytesRead > 0) yield { piece, isAll: bytesRead < buffer.length };
      else await growth.after(seen);
    }
  } finally {
    growth.close();
    await file.close();
  }
}

/**
 * The lines of a text, without their ends (also CRLF), as many at once as a piece ends; the last one may lack its end. Of a line
 * that is too long only the beginning is there, so that it takes no more memory.
 */
export async function* linesOf(pieces: AsyncIterable<Buffer>): AsyncGenerator<readonly string[]> {
  for await (const lines of linesIn(pieces, LONGEST_LINE)) {
    yield lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  }
}

/** Errors: badInput where it cannot be opened. */
async function opened(path: string) {
  try {
    return await open(path, 'r');
  } catch (error) {
    throw badInput(`${path} cannot be opened (${messageOf(error)}).`, error);
  }
}

async function* readable(source: AsyncIterable<Buffer>, path: string): AsyncGenerator<Buffer, void> {
  try {
    yield* source;
  } catch (error) {
    throw badInput(`${path} cannot be read (${messageOf(error)}).`, error);
  }
}

async function* joined(first: Buffer, pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* pieces;
}

async function* withoutMark(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isFirst = true;
  for await (const piece of pieces) {
    yield isFirst ? unmarked(piece) : piece;
    isFirst = false;
  }
}

/** The first piece of a text without its byte order mark. */
function unmarked(piece: Buffer): Buffer {
  const isMarked = piece.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  return isMarked ? piece.subarray(BYTE_ORDER_MARK.length) : piece;
}

/** Counts the changes of a file; `after` ends with the next one that is not counted in `seen`, or with `signal`. */
function watchGrowth(path: string, signal: AbortSignal) {
  let count = 0;
  let wake = (): void => {};
  const watcher = watch(path, () => {
    count += 1;
    wake();
  });
  signal.addEventListener('abort', () => wake(), { once: true });
  return {
    changes: () => count,
    after: async (seen: number): Promise<void> => {
      if (count > seen || signal.aborted) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    },
    close: () => watcher.close(),
  };
}

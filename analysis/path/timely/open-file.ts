import { watch } from 'node:fs';
import { open } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import { badInput, messageOf } from '../../../base/index.ts';

const CHUNK_BYTES = 1 << 21;
const GZIP = [0x1f, 0x8b] as const;
/** The name that stands for standard input. */
export const STDIN = '-';

/**
 * The bytes of a file, a FIFO or standard input (`-`), unpacked where they are gzip, whatever the name says. Errors: badInput
 * where it cannot be opened or unpacked.
 */
export async function* openBytes(path: string): AsyncGenerator<Buffer> {
  const source = path === STDIN ? process.stdin : (await opened(path)).createReadStream({ highWaterMark: CHUNK_BYTES });
  const pieces: AsyncIterator<Buffer> = source[Symbol.asyncIterator]();
  const first = await nextPiece(pieces, path);
  if (first === null) return;
  const all = restored(first, pieces, path);
  if (first[0] !== GZIP[0] || first[1] !== GZIP[1]) {
    yield* all;
    return;
  }
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  const feeding = feed(gunzip, all);
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
      for await (const piece of source) yield { piece: piece as Buffer, isAll: true };
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
      if (isFirst && buffer[0] === GZIP[0] && buffer[1] === GZIP[1]) {
        throw badInput(`--follow: ${path} is packed: follow the file that is being written.`);
      }
      isFirst = false;
      if (bytesRead > 0) yield { piece: Buffer.from(buffer.subarray(0, bytesRead)), isAll: bytesRead < buffer.length };
      else await growth.after(seen);
    }
  } finally {
    growth.close();
    await file.close();
  }
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

async function opened(path: string) {
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

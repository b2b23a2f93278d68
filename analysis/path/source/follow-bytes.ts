import { watch } from 'node:fs';
import { badInput } from '../../../base/errors.ts';
import { isGzip } from '../../../base/unpack.ts';
import { CHUNK_BYTES, opened, STDIN, unmarked } from './open-bytes.ts';

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
    let isFirst = true;
    try {
      for await (const piece of source) {
        yield { piece: isFirst ? unmarked(piece as Buffer) : (piece as Buffer), isAll: true };
        isFirst = false;
      }
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

// Format: https://www.rfc-editor.org/rfc/rfc1952
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { badInput, messageOf, PredictError } from './errors.ts';
import { formatBytes } from './units.ts';

/** Unpacked bytes for a packed one: rows of traces and graphs have 3 to 25, a file that is made to fill a memory 1000. */
const MOST_TIMES = 50;
/** What any file may have, however small it is packed. */
const ALWAYS = 2 ** 22;
/** So many bytes are unpacked at once. */
const CHUNK = 2 ** 20;

/** gzip is told by its first two bytes, whatever a name says. */
export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/**
 * The unpacked bytes of gzip, piece by piece: whatever of others is unpacked is unpacked here. Whoever stops early closes `pieces`.
 * Errors: badInput where they are damaged and where there are more than `most`, without it far more than they are packed; those of
 * `pieces` as they are.
 */
export async function* unpacked(
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  { path, most }: { readonly path: string; readonly most?: number | undefined },
): AsyncGenerator<Buffer> {
  let [packed, bytes] = [0, 0];
  const counted = async function* (): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      packed += piece.length;
      yield piece;
    }
  };
  // Errors of any part end the iteration.
  const stream = pipeline(Readable.from(counted()), createGunzip({ chunkSize: CHUNK }), () => undefined);
  try {
    for await (const piece of stream) {
      bytes += (piece as Buffer).length;
      if (bytes > (most ?? Math.max(ALWAYS, MOST_TIMES * packed))) {
        const bound = most === undefined ? `${MOST_TIMES} times its size` : formatBytes(most);
        throw badInput(`${path} decompresses to more than ${bound}, so it is rejected: use gunzip if you trust it.`);
      }
      yield piece as Buffer;
    }
  } catch (error) {
    if (error instanceof PredictError) throw error;
    throw badInput(
      `${path} cannot be decompressed (${messageOf(error)}): write it again, or recover what is left of it.`,
      error,
    );
  }
}

import { createHash } from 'node:crypto';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { badInput } from '../../base/errors.ts';
import { shortened } from '../../base/text.ts';
import { formatBytes } from '../../base/units.ts';
import { FILES } from '../../experiments/store/campaign-folders.ts';
import { issueOf } from '../../experiments/store/damage.ts';
import { canonicalJson, newDigest } from '../../experiments/store/digest.ts';
import { openRegular } from '../../experiments/store/regular.ts';

// The archive of a cell: a line of canonical JSON that names its files with size and SHA-256, then their bytes in that order. Its digest is that
// of the line, and so of every byte. It has no place for paths, links or modes.

/** Bytes of a piece. */
export const PIECE = 1 << 20;
/** Bytes of an archive. */
export const MOST_BYTES = 256 << 20;
/** Bytes of its first line. */
const MOST_HEAD = 1 << 14;

const headSchema = z.strictObject({
  schema: z.literal(1),
  files: z
    .array(
      z.strictObject({
        name: z.string(),
        bytes: z.int().nonnegative(),
        sha256: z.string().regex(/^[0-9a-f]{64}$/),
      }),
    )
    .min(1),
});
type Head = z.infer<typeof headSchema>;

export interface CellArchive {
  readonly sha256: string;
  readonly bytes: number;
  readonly head: Head;
}

/** What the archive of a stored cell is: the same files give the same one. Errors: what `openRegular` throws, for a link too. */
export async function describeArchive(folder: string): Promise<CellArchive> {
  const names = (await readdir(folder)).filter((name) => !name.startsWith('.')).sort();
  const files: Head['files'] = [];
  for (const name of names) files.push({ name, ...(await newDigest(join(folder, name))) });
  const head: Head = { schema: 1, files };
  const line = lineOf(head);
  const bytes = files.reduce((sum, file) => sum + file.bytes, line.length);
  return { sha256: digestOf(line), bytes, head };
}

/** The archive in pieces of `PIECE` bytes, the last one shorter. */
export async function* packCell(folder: string, { head }: CellArchive): AsyncGenerator<Buffer> {
  let piece = Buffer.alloc(PIECE);
  let used = lineOf(head).copy(piece);
  for (const { name } of head.files) {
    const file = await openRegular(join(folder, name));
    try {
      for (;;) {
        const { bytesRead } = await file.read(piece, used, PIECE - used);
        if (bytesRead === 0) break;
        used += bytesRead;
        if (used < PIECE) continue;
        yield piece;
        [piece, used] = [Buffer.alloc(PIECE), 0];
      }
    } finally {
      await file.close();
    }
  }
  if (used > 0) yield piece.subarray(0, used);
}

/**
 * Writes the files of an archive into an empty folder. Errors: `badInput`, a sentence, where anything is not as the digest says or is not
 * a file of a cell; what was written until then is for the caller to remove.
 */
export async function unpackCell(pieces: AsyncIterable<Buffer>, sha256: string, folder: string): Promise<void> {
  const stream = new PieceReader(pieces);
  try {
    const line = await stream.line(MOST_HEAD);
    if (line === null) throw wrong('has no list of its files');
    if (digestOf(line) !== sha256) throw wrong('has another digest than was announced');
    for (const { name, bytes, sha256: wanted } of checkedFiles(line)) {
      const hash = createHash('sha256');
      const file = await open(join(folder, name), 'wx', 0o644);
      try {
        for (let left = bytes; left > 0; ) {
          const chunk = await stream.some(left);
          if (chunk.length === 0) throw wrong(`ends within ${name}`);
          hash.update(chunk);
          await file.writeFile(chunk);
          left -= chunk.length;
        }
      } finally {
        await file.close();
      }
      if (hash.digest('hex') !== wanted) throw wrong(`has a damaged ${name}`);
    }
    if ((await stream.some(1)).length > 0) throw wrong('goes on behind its last file');
  } finally {
    await stream.close();
  }
}

const NAMES: readonly string[] = Object.values(FILES);

function checkedFiles(line: Buffer): Head['files'] {
  let data: unknown;
  try {
    data = JSON.parse(line.toString('utf8'));
  } catch {
    throw wrong('has a list of files that is not JSON');
  }
  const head = headSchema.safeParse(data);
  if (!head.success) throw wrong(`has a list of files that is not valid${issueOf(head.error)}`);
  const { files } = head.data;
  const stranger = files.find(({ name }) => !NAMES.includes(name));
  if (stranger) throw wrong(`names '${shortened(stranger.name)}', which is not a file of a cell`);
  const twice = files.find(({ name }, index) => files.findIndex((other) => other.name === name) < index);
  if (twice) throw wrong(`has ${twice.name} twice`);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes > MOST_BYTES) throw wrong(`has ${formatBytes(bytes)}, more than ${formatBytes(MOST_BYTES)}`);
  return files;
}

function wrong(what: string): Error {
  return badInput(`The archive of a cell ${what}.`);
}

const lineOf = (head: Head): Buffer => Buffer.from(`${canonicalJson(head)}\n`);
const digestOf = (line: Buffer): string => createHash('sha256').update(line).digest('hex');

/** The bytes of pieces as they are asked for. */
class PieceReader {
  readonly #pieces: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(pieces: AsyncIterable<Buffer>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  /** As many as there are of one piece, at most so many; none at the end. */
  async some(most: number): Promise<Buffer> {
    while (this.#rest.length === 0) {
      const next = await this.#pieces.next();
      if (next.done === true) return this.#rest;
      this.#rest = next.value;
    }
    const found = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(found.length);
    return found;
  }

  /** The first line of the first piece with its end; null where that is longer. */
  async line(most: number): Promise<Buffer | null> {
    const found = await this.some(most);
    const end = found.indexOf('\n') + 1;
    this.#rest = Buffer.concat([found.subarray(end), this.#rest]);
    return end === 0 ? null : found.subarray(0, end);
  }

  async close(): Promise<void> {
    await this.#pieces.return?.();
  }
}

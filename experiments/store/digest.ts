import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { perContent } from './identity.ts';
import { openRegular } from './regular.ts';

/** What a file is known by. */
export interface FileDigest {
  readonly bytes: number;
  readonly sha256: string;
}

const CHUNK = 1 << 20;

/** Of a file that was written before, read once per process. */
export const knownDigest = perContent(readDigest);

/** Of a file that was just written. */
export async function newDigest(path: string): Promise<FileDigest> {
  const file = await openRegular(path);
  try {
    return await readDigest(file);
  } finally {
    await file.close();
  }
}

/** Data with a `digest`: the SHA-256 of the canonical JSON of everything else in it, so that a change of any value is seen. */
export function seal<T extends object>(data: T): T & { readonly digest: string } {
  return { ...data, digest: digestOf(data) };
}

/** Whether data that was read is what `seal` made. */
export function isSealed(data: unknown): boolean {
  if (typeof data !== 'object' || data === null || !('digest' in data)) return false;
  const { digest, ...rest } = data;
  return digest === digestOf(rest);
}

/** As it is read back: JSON has no undefined, no NaN and no negative zero. */
function digestOf(data: object): string {
  return contentDigest(JSON.parse(JSON.stringify(data)));
}

async function readDigest(file: FileHandle): Promise<FileDigest> {
  const hash = createHash('sha256');
  const { size } = await file.stat();
  const buffer = Buffer.allocUnsafe(Math.max(1, Math.min(size, CHUNK)));
  let bytes = 0;
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, bytes);
    if (bytesRead === 0) return { bytes, sha256: hash.digest('hex') };
    hash.update(buffer.subarray(0, bytesRead));
    bytes += bytesRead;
  }
}

/** JSON with sorted keys, no spaces and no undefined members: equal data gives equal text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
    return `{${members.join(',')}}`;
  }
  return JSON.stringify(value);
}

/** The SHA-256 of the canonical JSON in hex digits: a digest that survives key order and spaces. */
function contentDigest(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}

/** The first 16 digits of the content's digest: an identity that survives restarts. */
export function contentHash(value: unknown): string {
  return contentDigest(value).slice(0, 16);
}

import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { canonicalJson } from '../canonical-json.ts';
import { readCache, writeCache } from './cache-file.ts';
import type { VerifiedCells } from './verified-cells.ts';

/** What is to be made of a whole campaign. */
export interface Keeping<T> {
  /** Names it in the campaign's cache, one file for each. */
  readonly kind: string;
  /** All that the value depends on beside the campaign and this program, as text. */
  readonly settings: string;
  /** Makes the value. It is plain data; one that JSON would change is made again each time. */
  readonly make: () => Promise<T>;
}

/** Digits of a line's name in a cache file. */
const NAME_DIGITS = 16;
/** Values of one kind, each by other settings, that are kept; the oldest go first. */
const MOST_KEPT = 32;

/** A value made of a whole campaign, once for as long as no cell changes, comes or goes. Errors are those of `make`. */
export async function kept<T>(
  dir: string,
  { campaign, cells }: VerifiedCells,
  { kind, settings, make }: Keeping<T>,
): Promise<T> {
  const digests = [...cells].map(([id, { digest }]) => [id, digest]);
  // Cells without a digest may change unseen.
  if (digests.some(([, digest]) => digest === null)) return await make();
  const head = hashOf(canonicalJson({ campaign, digests }));
  const name = hashOf(settings).slice(0, NAME_DIGITS);
  const found = await readCache(dir, kind);
  const lines = found !== null && found.head === head ? found.lines : new Map<string, Buffer>();
  const line = lines.get(name);
  // Only this program writes what `readCache` lets through.
  if (line !== undefined) return JSON.parse(line.toString('utf8'));
  const value = await make();
  const text = JSON.stringify(value);
  if (isDeepStrictEqual(JSON.parse(text), value)) {
    const newest = [...lines, [name, Buffer.from(text)] as const].slice(-MOST_KEPT);
    await writeCache(dir, kind, { head, lines: new Map(newest) });
  }
  return value;
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

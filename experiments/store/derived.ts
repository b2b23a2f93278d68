import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { readCache, writeCache } from './cache-file.ts';
import { cellFolder } from './campaign-folders.ts';
import { canonicalJson } from './digest.ts';
import { isSame } from './identity.ts';
import type { VerifiedCell, VerifiedCells } from './verified-cells.ts';

/** What is to be made of each of some cells. */
export interface Derivation<T> {
  /** Names it in the campaign's cache, one file for each. */
  readonly kind: string;
  /** All that a value depends on beside the cell's own files and this program, as text. */
  readonly settings: string;
  readonly ids: readonly string[];
  /** Makes the values of cells that have none yet, by id. Values are plain data; one that JSON would change is made again each time. */
  readonly make: (missing: readonly string[]) => Promise<ReadonlyMap<string, T>>;
}

interface Kept<T> {
  /** Of the record that it was made of. */
  readonly digest: string;
  readonly value: T;
}

/** The value of each cell, made once for as long as its content and the settings stay what they are. Errors are those of `make`. */
export async function derived<T>(
  dir: string,
  cells: ReadonlyMap<string, VerifiedCell>,
  { kind, settings, ids, make }: Derivation<T>,
): Promise<ReadonlyMap<string, T>> {
  const found = await readCache(dir, kind);
  const lines = found !== null && found.head === settings ? found.lines : new Map<string, Buffer>();
  const values = new Map<string, T>();
  for (const id of ids) {
    const [line, digest] = [lines.get(id), cells.get(id)?.digest ?? null];
    if (line === undefined || digest === null) continue;
    // Only this program writes what `readCache` lets through.
    const kept: Kept<T> = JSON.parse(line.toString('utf8'));
    if (kept.digest === digest) values.set(id, kept.value);
  }
  const missing = ids.filter((id) => !values.has(id));
  if (missing.length === 0) return values;
  const made = await make(missing);
  const fresh = new Map<string, Buffer>();
  for (const [id, value] of made) {
    values.set(id, value);
    const line = lineOf(value, cells.get(id));
    // What was made of files that somebody changed meanwhile is of no content that has a digest.
    if (line !== null && isStill(dir, id, cells.get(id))) fresh.set(id, line);
  }
  if (fresh.size > 0) {
    const kept = [...lines].filter(([id]) => cells.has(id));
    await writeCache(dir, kind, { head: settings, lines: new Map([...kept, ...fresh]) });
  }
  return values;
}

function lineOf<T>(value: T, cell: VerifiedCell | undefined): Buffer | null {
  if (!cell?.digest) return null;
  const kept: Kept<T> = { digest: cell.digest, value };
  const text = JSON.stringify(kept);
  return isDeepStrictEqual(JSON.parse(text), kept) ? Buffer.from(text) : null;
}

function isStill(dir: string, id: string, cell: VerifiedCell | undefined): boolean {
  return cell !== undefined && cell.files !== null && isSame(cellFolder(dir, id), cell.files);
}

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

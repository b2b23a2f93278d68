import { type BigIntStats, lstatSync, readdirSync } from 'node:fs';
import { type FileHandle, lstat } from 'node:fs/promises';
import { openRegular } from './regular.ts';

/** A file's number, size and times: the kernel moves ctime with every change, also with one that puts mtime back. */
export function identityOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}

/** Changes within one tick of a file system's clock have the same time. No clock ticks as slowly as this. */
const TICK_MS = 2000;

/** The identity of what lies at a path; null for nothing, and where a change after `nowMs` might leave it as it is. */
export function settledIdentity(path: string, nowMs: number): string | null {
  const is = statOrNull(path);
  if (is === null) return null;
  const latest = is.mtimeNs > is.ctimeNs ? is.mtimeNs : is.ctimeNs;
  return latest < BigInt(Math.floor(nowMs) - TICK_MS) * 1_000_000n ? identityOf(is) : null;
}

/** A folder (named '') and each visible file in it, with its identity. What comes, goes or is renamed changes the folder's. */
export type Identities = readonly (readonly [name: string, identity: string])[];

/**
 * Identities of a folder and its files, to be taken before anything in it is read; null where one has not settled. Plain calls
 * of the system: a promise for each file costs five times as much.
 */
export function readFileIdentities(folder: string, nowMs: number): Identities | null {
  const found: [string, string][] = [];
  const add = (name: string): boolean => {
    const identity = settledIdentity(pathOf(folder, name), nowMs);
    if (identity !== null) found.push([name, identity]);
    return identity !== null;
  };
  // The folder before its names: one that is added in between moves the folder's time.
  return add('') && namesIn(folder).every(add) ? found : null;
}

/** Whether a folder and its files are those of before. */
export function isSame(folder: string, before: Identities): boolean {
  return before.every(([name, identity]) => {
    const is = statOrNull(pathOf(folder, name));
    return is !== null && identityOf(is) === identity;
  });
}

/** What lies at a path, links not followed; null for nothing, and for what cannot be looked at. */
export function statOrNull(path: string): BigIntStats | null {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

function pathOf(folder: string, name: string): string {
  return name === '' ? folder : `${folder}/${name}`;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => !name.startsWith('.'));
  } catch {
    return [];
  }
}

/**
 * What `derive` finds in a file, found once per process for as long as the file stays the same by its number, size and times
 * (the kernel moves ctime with every change). Errors are those of `openRegular` and of `derive`.
 */
export function perContent<T>(derive: (file: FileHandle) => Promise<T>): (path: string) => Promise<T> {
  const found = new Map<string, { readonly version: string; readonly value: Promise<T> }>();
  return async (path) => {
    const before = found.get(path);
    if (before !== undefined && before.version === versionOf(await lstat(path, { bigint: true })))
      return await before.value;
    const file = await openRegular(path);
    try {
      const version = versionOf(await file.stat({ bigint: true }));
      const value = derive(file);
      found.set(path, { version, value });
      value.catch(() => found.delete(path));
      return await value;
    } finally {
      await file.close();
    }
  };
}

function versionOf(is: BigIntStats): string {
  return `${is.dev} ${identityOf(is)}`;
}

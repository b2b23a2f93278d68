import type { BigIntStats } from 'node:fs';
import { type FileHandle, lstat } from 'node:fs/promises';
import { identityOf } from './identity.ts';
import { openRegular } from './regular.ts';

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

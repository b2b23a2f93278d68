import type { FileHandle } from 'node:fs/promises';
import { openRegular } from './regular.ts';

/**
 * What `derive` finds in a file, found once per process for as long as the file stays the same by its number, size and times
 * (the kernel moves ctime with every change). Errors are those of `openRegular` and of `derive`.
 */
export function perContent<T>(derive: (file: FileHandle, path: string) => Promise<T>): (path: string) => Promise<T> {
  const found = new Map<string, { readonly version: string; readonly value: Promise<T> }>();
  return async (path) => {
    const file = await openRegular(path);
    try {
      const { dev, ino, size, mtimeNs, ctimeNs } = await file.stat({ bigint: true });
      const version = [dev, ino, size, mtimeNs, ctimeNs].join(' ');
      const before = found.get(path);
      if (before?.version === version) return await before.value;
      const value = derive(file, path);
      found.set(path, { version, value });
      value.catch(() => found.delete(path));
      return await value;
    } finally {
      await file.close();
    }
  };
}

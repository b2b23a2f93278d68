import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { PredictError, unwritable } from '../../base/index.ts';

const PARTIAL = /^\..+\.(?:partial|old)$/;

/** Writes a file so that a reader, and a crash at any moment, sees the old one or the new one, never a part. */
export async function writeFileWhole(path: string, text: string | Uint8Array): Promise<void> {
  const partial = join(dirname(path), `.${basename(path)}.partial`);
  await guarded({ path, partial }, async () => {
    await writeAndSync(partial, text);
    await rename(partial, path);
    await syncPath(dirname(path));
  });
}

/**
 * Fills a hidden folder `.<name>.partial` beside its place, syncs it and renames it: the folder is there whole or not
 * at all. With `replace`, an older folder of that name makes room; without, it is an error.
 */
export async function writeFolderWhole(
  path: string,
  fill: (folder: string) => Promise<void>,
  { replace = false }: { readonly replace?: boolean } = {},
): Promise<void> {
  const parent = dirname(path);
  const partial = join(parent, `.${basename(path)}.partial`);
  const old = join(parent, `.${basename(path)}.old`);
  await guarded({ path, partial }, async () => {
    await rm(partial, { recursive: true, force: true });
    await mkdir(partial, { recursive: true });
    await fill(partial);
    for (const name of await readdir(partial)) await syncPath(join(partial, name));
    await syncPath(partial);
    if (replace) await rename(path, old).catch(ignoreMissing);
    await rename(partial, path);
    await syncPath(parent);
    if (replace) await rm(old, { recursive: true, force: true });
  });
}

/** Removes what a killed writer left in a folder. Only for the one process that writes there. */
export async function removePartials(folder: string): Promise<void> {
  for (const path of await partialsIn(folder)) await rm(path, { recursive: true, force: true });
}

/** What a writer is still filling in a folder, or what a killed one left there. */
export async function partialsIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => PARTIAL.test(name)).map((name) => join(folder, name));
}

/** A file written and forced to the disk. */
export async function writeAndSync(path: string, text: string | Uint8Array): Promise<void> {
  await syncPath(path, 'w', (file) => file.writeFile(text));
}

/** Forces a file or folder to the disk, after `fill` where one is given. */
export async function syncPath(path: string, flags = 'r', fill?: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(path, flags);
  try {
    await fill?.(file);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function guarded({ path, partial }: { path: string; partial: string }, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    await rm(partial, { recursive: true, force: true }).catch(() => {});
    if (error instanceof PredictError) throw error;
    throw unwritable(path, error);
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { badInput, PredictError, unwritable } from '../../base/errors.ts';
import { printable } from '../../base/text.ts';
import { attemptsFolder, campaignCacheFolder, cellsFolder } from './campaign-folders.ts';
import { kindOf } from './regular.ts';

/** The name of standard output, where a file may be meant. */
const STANDARD_OUTPUT = '-';

/**
 * Writes a file so that a reader, and a crash at any moment, sees the old one or the new one, never a part. A FIFO, a terminal or
 * the like, also behind a link (/dev/stdout), is written to as it is, and so is standard output for `-`; anything else that is no file
 * is refused. Errors: `unwritable`.
 */
export async function writeFileWhole(path: string, text: string | Uint8Array): Promise<void> {
  if (path === STANDARD_OUTPUT) return await writeToOutput(text);
  const partial = join(dirname(path), `.${basename(path)}.${randomBytes(8).toString('hex')}.partial`);
  await guarded({ path, partial }, async () => {
    if (await isStream(path)) return await writeFile(path, text);
    await syncPath(partial, 'wx', (file) => file.writeFile(text));
    await rename(partial, path);
    await syncPath(dirname(path));
  });
}

/**
 * Fills a hidden folder `.<name>.partial` beside its place, syncs it and renames it: the folder is there whole or not
 * at all. Each file is forced to the disk once, when all are there; what `fill` removes again never is. One that is there already
 * is an error.
 */
export async function writeFolderWhole(path: string, fill: (folder: string) => Promise<void>): Promise<void> {
  const parent = dirname(path);
  const partial = join(parent, `.${basename(path)}.partial`);
  await guarded({ path, partial }, async () => {
    await rm(partial, { recursive: true, force: true });
    await mkdir(partial, { recursive: true });
    await fill(partial);
    for (const name of await readdir(partial)) await syncPath(join(partial, name));
    await syncPath(partial);
    await rename(partial, path);
    await syncPath(parent);
  });
}

/** What a folder is known by to others, wherever it is moved: a random number in a hidden file of it, made where it is not there. */
export async function folderId(folder: string): Promise<string> {
  const path = join(folder, '.fleet');
  const known = await readFile(path, 'utf8').catch(() => '');
  if (/^[0-9a-f]{32}$/.test(known)) return known;
  const id = randomBytes(16).toString('hex');
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    throw unwritable(`The folder ${folder}`, error);
  }
  await writeFileWhole(path, id);
  return id;
}

/** What a terminal gets is printable. */
async function writeToOutput(text: string | Uint8Array): Promise<void> {
  const { stdout } = process;
  if (stdout.isTTY && typeof text !== 'string') {
    throw badInput(
      'The output is binary and not for a terminal: redirect standard output to a file or another command.',
    );
  }
  if (!stdout.write(stdout.isTTY ? printable(String(text)) : text)) await once(stdout, 'drain');
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

/** Whether what lies at a path takes a text as it comes; false for a file, or nothing. Others are an error that says what is there. */
async function isStream(path: string): Promise<boolean> {
  const found = await lstat(path).catch(ignoreMissing);
  if (found === null || found.isFile()) return false;
  const behind = await stat(path).catch(ignoreMissing);
  if (behind !== null && takesText(behind)) return true;
  throw new Error(`it is ${kindOf(found)}, not a file`);
}

function takesText(found: Stats): boolean {
  return found.isFIFO() || found.isCharacterDevice();
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

function ignoreMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

// What our own writers call what they are still filling: a campaign's folder may hold hidden files of others.
const FILES = /^\.(?:campaign\.json|report\.html)(?:\.[0-9a-f]{16})?\.partial$/;
const CACHES = /^\.[.\w-]+\.[0-9a-f]{16}\.partial$/;
const FOLDERS = /^\.(?:[0-9a-f]{16}(?:-\d+)?|output(?:-[0-9a-f]{16})?)\.partial$/;

/** What writers are still filling in a campaign, or what killed ones left there. */
export async function findPartials(dir: string): Promise<readonly string[]> {
  const found = [
    partialsIn(dir, FILES),
    partialsIn(cellsFolder(dir), FOLDERS),
    partialsIn(attemptsFolder(dir), FOLDERS),
    partialsIn(campaignCacheFolder(dir), CACHES),
  ];
  return (await Promise.all(found)).flat();
}

/** Removes what killed writers left in a campaign. Only for the one process that writes there. */
export async function removePartials(dir: string): Promise<void> {
  for (const path of await findPartials(dir)) await rm(path, { recursive: true, force: true });
}

async function partialsIn(folder: string, ours: RegExp): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => ours.test(name)).map((name) => join(folder, name));
}

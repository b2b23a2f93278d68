import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { attemptsFolder, campaignCacheFolder, cellsFolder } from './campaign-folders.ts';

// What our own writers call what they are still filling: a campaign's folder may hold hidden files of others.
const FILES = /^\.(?:campaign\.json|report\.html)(?:\.[0-9a-f]{16})?\.partial$/;
const CACHES = /^\.[.\w-]+\.[0-9a-f]{16}\.partial$/;
const FOLDERS = /^\.(?:[0-9a-f]{16}(?:-\d+)?|output)\.partial$/;

/** What writers are still filling in a campaign, or what killed ones left there. */
export async function partialsOf(dir: string): Promise<readonly string[]> {
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
  for (const path of await partialsOf(dir)) await rm(path, { recursive: true, force: true });
}

async function partialsIn(folder: string, ours: RegExp): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => ours.test(name)).map((name) => join(folder, name));
}

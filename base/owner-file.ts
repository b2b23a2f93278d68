import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf, unwritable } from './errors.ts';

/** Between two looks at a lock that another process holds. */
const LOOK_MS = 100;

/** A file that names the process that holds a lock, and is worth nothing once that process is gone. */
export interface OwnerFile {
  release(): void;
}

/** Makes the file with this process in it; null where a living process of this machine has held it for `waitS` seconds. */
export async function takeOwnerFile(path: string, waitS: number): Promise<OwnerFile | null> {
  const until = performance.now() + waitS * 1000;
  for (;;) {
    if (makes(path)) return { release: () => rmSync(path, { force: true }) };
    const holder = readOwner(path);
    if (holder !== null && !isAlive(holder)) removeOf(path, holder);
    else if (performance.now() >= until) return null;
    else await delay(LOOK_MS);
  }
}

function makes(path: string): boolean {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw unwritable(path, error);
  }
}

/** Null where the file is gone, or its writer has not come to write yet. */
function readOwner(path: string): number | null {
  try {
    const id = Number(readFileSync(path, 'utf8'));
    return Number.isInteger(id) && id > 0 ? id : null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new Error(`${path} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

/** Takes away the file of a process that is gone, unless another one has put its own there since. */
function removeOf(path: string, holder: number): void {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  if (readOwner(aside) === holder) rmSync(aside, { force: true });
  else renameSync(aside, path);
}

function isAlive(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

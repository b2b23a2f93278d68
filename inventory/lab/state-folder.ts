import { constants, existsSync, fstatSync, lstatSync, mkdirSync, openSync, rmdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { infrastructure, messageOf, PredictError } from '../../base/errors.ts';
import { closeLocked, lockFile } from '../../base/lock-file.ts';
import { judgePath, pathParts } from '../../base/paths.ts';
import { isRootless, labStateFolder, labsFolder } from './spec.ts';

/** Longer than a lab takes to start or to end. */
const WAIT_S = 60;

/**
 * Does `task` while no other process starts or ends this lab: an flock on a file beside its state folder. Errors: `busy` when
 * another one takes too long.
 */
export async function alone<T>(name: string, task: () => Promise<T>): Promise<T> {
  const path = `${labStateFolder(name)}.lock`;
  const file = await openLocked(path, name);
  try {
    return await task();
  } finally {
    rmSync(path, { force: true });
    closeLocked(file);
    removeParent();
  }
}

async function openLocked(path: string, name: string): Promise<number> {
  for (;;) {
    const file = inParent(() => openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600));
    try {
      if (!(await lockFile(file, path, { waitS: WAIT_S }))) {
        throw new PredictError(`Another command has been using the lab '${name}' for ${WAIT_S} s: try again later.`, {
          kind: 'busy',
        });
      }
      // Who held it before has removed it.
      if (fstatSync(file).nlink > 0) return file;
    } catch (error) {
      closeLocked(file);
      throw error;
    }
    closeLocked(file);
  }
}

/** Makes the lab's state folder, which must not be there. The folders above it are root's (or this user's) alone, or this is refused. */
export function makeStateFolder(name: string): string {
  const folder = labStateFolder(name);
  // A user of the lab's own reaches his work folder through it, and sees nothing of what else is in it.
  inParent(() => mkdirSync(folder, { mode: 0o711 }));
  for (const child of ['root', 'keys', 'log', 'cgroup', 'lib', 'work', 'etc']) mkdirSync(`${folder}/${child}`);
  return folder;
}

/** Removes what `makeStateFolder` made for this lab with all that is in it. A link or a folder of others is refused. */
export function removeStateFolder(name: string): void {
  const folder = labStateFolder(name);
  if (isThere(folder)) {
    refuse(folder);
    rmSync(folder, { recursive: true, force: true });
  }
  removeParent();
}

/** Makes something in the folder of all labs, which is root's (or this user's) alone, or this is refused. */
function inParent<T>(make: () => T): T {
  const folder = labsFolder();
  // Another lab's end may remove it in between, when it is empty.
  for (let left = 20; ; left -= 1) {
    makeParent(folder);
    refuse(folder);
    try {
      return make();
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' || left === 0) throw error;
    }
  }
}

function removeParent(): void {
  try {
    rmdirSync(labsFolder());
  } catch (error) {
    if (!['ENOENT', 'ENOTEMPTY', 'ENOTDIR'].includes(codeOf(error) ?? '')) throw error;
  }
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    // Above it is a file.
    if (codeOf(error) === 'ENOTDIR') return false;
    throw error;
  }
}

function makeParent(folder: string, left = 10): void {
  try {
    if (isRootless()) mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
    mkdirSync(folder, { mode: 0o755 });
  } catch (error) {
    if (codeOf(error) === 'EEXIST' && existsSync(folder)) return;
    // The end of another lab removed it in between.
    if (codeOf(error) === 'EEXIST' && !isThere(folder) && left > 0) {
      makeParent(folder, left - 1);
      return;
    }
    const other = isRootless() ? ' Set XDG_STATE_HOME to a folder of your own.' : '';
    throw infrastructure(`The folder of labs ${folder} cannot be made: ${messageOf(error)}.${other}`, { cause: error });
  }
}

function refuse(path: string): void {
  const why = judgePath(pathParts(path), { uid: process.getuid?.() ?? 0 });
  if (why !== null)
    throw infrastructure(`${path} is not a safe location for a lab: ${why}. Check what it is and remove it.`);
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

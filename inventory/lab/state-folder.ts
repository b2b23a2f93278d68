import { lstatSync, mkdirSync, rmdirSync, rmSync } from 'node:fs';
import { infrastructure, judgePath, pathParts } from '../../base/index.ts';
import { LABS_FOLDER, labStateFolder } from './spec.ts';

/** Makes the lab's state folder, which must not be there. The folders above it are root's alone, or this is refused. */
export function makeStateFolder(name: string): string {
  const folder = labStateFolder(name);
  // Another lab's end may remove the empty parent in between.
  for (let left = 20; ; left -= 1) {
    make(LABS_FOLDER, 0o755);
    refuse(LABS_FOLDER);
    try {
      mkdirSync(folder, { mode: 0o700 });
      break;
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' || left === 0) throw error;
    }
  }
  for (const child of ['keys', 'log', 'cgroup', 'lib', 'work']) mkdirSync(`${folder}/${child}`);
  return folder;
}

/** Removes what `makeStateFolder` made for this lab with all that is in it. A link or a folder of others is refused. */
export function removeStateFolder(name: string): void {
  const folder = labStateFolder(name);
  if (isThere(folder)) {
    refuse(folder);
    rmSync(folder, { recursive: true, force: true });
  }
  try {
    rmdirSync(LABS_FOLDER);
  } catch (error) {
    if (!['ENOENT', 'ENOTEMPTY', 'ENOTDIR'].includes(codeOf(error) ?? '')) throw error;
  }
}

function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

function make(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

function refuse(path: string): void {
  const why = judgePath(pathParts(path), { uid: 0 });
  if (why !== null) throw infrastructure(`${path} is no safe place for a lab: ${why}. Look what it is and remove it.`);
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

import { lstatSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { unwritable } from '../../base/errors.ts';
import { setAsideFolder } from './campaign-folders.ts';
import type { Damage } from './damage.ts';
import { folderProblem } from './inspect-cells.ts';
import { syncPath } from './whole.ts';

export interface SetAside {
  readonly from: string;
  readonly to: string;
}

/**
 * Moves what is wrong into set-aside/<name>-<n>, where n is the first that is free: nothing is deleted or overwritten. Only for the
 * one process that writes in the campaign. Errors: `unwritable`.
 */
export async function setAside(dir: string, problems: readonly Damage[]): Promise<readonly SetAside[]> {
  const parts = new Set(problems.flatMap(({ part }) => (part === null ? [] : [part])));
  const moved: SetAside[] = [];
  for (const from of parts) {
    // What lies in a folder that goes goes with it.
    if (parts.has(dirname(from))) continue;
    const to = freePlace(dir, from);
    try {
      await mkdir(setAsideFolder(dir), { recursive: true });
      const problem = await folderProblem(setAsideFolder(dir));
      if (problem !== null) throw new Error(`${setAsideFolder(dir)} ${problem}`);
      await rename(from, to);
      await syncPath(dirname(to));
      await syncPath(dirname(from));
    } catch (error) {
      throw unwritable(to, error);
    }
    moved.push({ from, to });
  }
  return moved;
}

/** cells/ID -> ID-1, cells/ID/notes.txt -> ID-notes.txt-1, events.jsonl -> events.jsonl-1. */
function freePlace(dir: string, from: string): string {
  const [first = '', ...rest] = relative(dir, from).split(sep);
  const name = (first === 'cells' && rest.length > 0 ? rest : [first, ...rest]).join('-');
  const place = (n: number): string => join(setAsideFolder(dir), `${name}-${n}`);
  let n = 1;
  while (lstatSync(place(n), { throwIfNoEntry: false }) !== undefined) n += 1;
  return place(n);
}

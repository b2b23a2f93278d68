import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';

/**
 * A name that comes from elsewhere (a file, the network, a flag) and becomes a part of a path: one step, never hidden, never `..`, never
 * a flag; no character that means something in a list, a key or a shell.
 */
export const PATH_NAME = /^[A-Za-z0-9_][A-Za-z0-9._+-]{0,99}$/;

/** What to do about another name. */
export const PATH_NAME_RULE = "use letters, digits, '.', '_', '+' and '-', 100 at most, with no dot or dash in front";

/** The path that a file gives for another one, seen from a folder; null where it leads out of that folder, by itself or by a link. */
export function pathInside(folder: string, path: string): string | null {
  const found = resolve(folder, path);
  try {
    const below = relative(realPath(resolve(folder)), realPath(found));
    return below === '' || below === '..' || below.startsWith(`..${sep}`) ? null : found;
  } catch {
    return null;
  }
}

/** With all links resolved, also where the last steps are not there yet. Throws for a link that leads nowhere. */
function realPath(path: string): string {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return realpathSync(path);
  return join(realPath(dirname(path)), basename(path));
}

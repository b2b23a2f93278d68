import { lstatSync } from 'node:fs';
import { dirname } from 'node:path';

/** What lies at one step of a path from `/` down, links not followed. */
export interface PathPart {
  readonly path: string;
  readonly type: 'directory' | 'file' | 'link' | 'other';
  readonly uid: number;
  /** Permission bits, the sticky bit among them. */
  readonly mode: number;
}

const OTHERS_WRITE = 0o022;
const STICKY = 0o1000;
const MOST_CHARACTERS = 400;

/**
 * Why a folder on hosts cannot have this path, or null where it can. Launchers, loaders, make(1) and sudo's rules split names at
 * blanks, colons and quotes, each in its own way, so that only names that all of them leave alone are taken.
 */
export function oddPath(path: string): string | null {
  if (!path.startsWith('/')) return 'it is not absolute';
  if (path.length > MOST_CHARACTERS) return `it has ${path.length} characters, more than ${MOST_CHARACTERS}`;
  const odd = /[^A-Za-z0-9._@+=~,/-]/.exec(path)?.[0];
  if (odd !== undefined) return `it has the character ${JSON.stringify(odd)}; use letters, digits and . _ @ + = ~ , -`;
  const names = path.split('/').filter((name) => name !== '');
  if (names.length === 0) return 'it is the root of the file system';
  return names.some((name) => name === '.' || name === '..') ? "it contains '.' or '..'" : null;
}

/**
 * Why somebody else than `uid` and root could put his own things at the end of a path, or null where nobody can: each
 * part must belong to `uid` or root and be writable by its owner alone. In a sticky folder such as /scratch (1777) nobody
 * can rename what is another's, so users, but not root, may have a folder of their own there. `links` are what was followed on the
 * way, where that is allowed: each must belong to `uid` or root too.
 */
export function judgePath(
  parts: readonly PathPart[],
  {
    uid,
    end = 'directory',
    links = false,
  }: { readonly uid: number; readonly end?: 'directory' | 'file'; readonly links?: boolean },
): string | null {
  for (const [index, part] of parts.entries()) {
    const last = index === parts.length - 1;
    const wanted = last ? end : 'directory';
    const followed = links && part.type === 'link';
    if (part.type !== wanted && !followed)
      return `${part.path} is not a ${wanted}${part.type === 'link' ? ' but a symlink' : ''}`;
    const mode = part.mode.toString(8).padStart(4, '0');
    if (part.uid !== 0 && part.uid !== uid) return `${part.path} belongs to user ${part.uid} (mode ${mode})`;
    if (followed || (part.mode & OTHERS_WRITE) === 0) continue;
    const sticky = (part.mode & STICKY) !== 0 && part.type === 'directory';
    if (uid !== 0 && !last && sticky && parts[index + 1]?.uid === uid) continue;
    return `${part.path} is writable by others than its owner (mode ${mode})`;
  }
  return null;
}

/** Every step of an absolute path on this machine, from `/` down. Throws what lstat throws. */
export function pathParts(path: string): PathPart[] {
  const above = dirname(path);
  const stats = lstatSync(path);
  const type = stats.isDirectory() ? 'directory' : stats.isFile() ? 'file' : stats.isSymbolicLink() ? 'link' : 'other';
  const part: PathPart = { path, type, uid: stats.uid, mode: stats.mode & 0o7777 };
  return above === path ? [part] : [...pathParts(above), part];
}

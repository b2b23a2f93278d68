import { accessSync, constants, existsSync, lstatSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, delimiter, dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { infrastructure, messageOf } from './errors.ts';

/** The folder of package.json, from the sources and from the built files alike. */
export function projectRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    if (folder === dirname(folder))
      throw new Error('The installation of predict is incomplete: its package.json is missing. Install it again.');
    folder = dirname(folder);
  }
  return folder;
}

/** Where a program is on the PATH of this machine; undefined where it is not. */
export function findProgram(
  name: string,
  { PATH = '' }: Readonly<NodeJS.ProcessEnv> = process.env,
): string | undefined {
  return PATH.split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return statSync(path).isFile();
      } catch {
        return false;
      }
    });
}

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
export function realPath(path: string): string {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return realpathSync(path);
  return join(realPath(dirname(path)), basename(path));
}

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

/**
 * A folder (mode 0700) on this machine for what this user's controllers keep while they run: below /run/predict for root,
 * $XDG_RUNTIME_DIR/predict for users, ~/.cache/predict where that is not set. Made if it is not there; one that is no
 * folder, or that others own or may write, here or above, is an `infrastructure` error.
 */
export function privateFolder(
  name: string,
  uid = process.getuid?.() ?? 0,
  environment: Readonly<NodeJS.ProcessEnv> = process.env,
): string {
  const { XDG_RUNTIME_DIR: runtime, HOME: home = homedir() } = environment;
  const base = uid === 0 ? '/run' : runtime || join(home, '.cache');
  try {
    if (uid !== 0 && !runtime) make(base, 0o700);
    const above = realpathSync(base);
    // Root's folder also holds the state of this machine's links, which its users may read.
    const ours = folderIn(above, 'predict', { uid, mode: uid === 0 ? 0o755 : 0o700 });
    return folderIn(ours, name, { uid, mode: 0o700 });
  } catch (error) {
    const unset = uid !== 0 && runtime ? ', or unset XDG_RUNTIME_DIR' : '';
    throw infrastructure(
      `No private folder can be created in ${base}: ${messageOf(error)}. Remove or correct it${unset}.`,
      {
        cause: error,
      },
    );
  }
}

/**
 * A folder (mode 0700) of this user's for what can be made again: below $XDG_CACHE_HOME/predict, or ~/.cache/predict. Made if it is
 * not there; one that others own or may write, here or above, is an `infrastructure` error.
 */
export function cacheFolder(
  name: string,
  uid = process.getuid?.() ?? 0,
  environment: Readonly<NodeJS.ProcessEnv> = process.env,
): string {
  const { XDG_CACHE_HOME: given, HOME: home = homedir() } = environment;
  const base = given || join(home, '.cache');
  try {
    mkdirSync(base, { recursive: true, mode: 0o700 });
    return folderIn(folderIn(realpathSync(base), 'predict', { uid, mode: 0o700 }), name, { uid, mode: 0o700 });
  } catch (error) {
    throw infrastructure(
      `No cache folder can be created in ${base}: ${messageOf(error)}. Set XDG_CACHE_HOME to a folder of your own.`,
      { cause: error },
    );
  }
}

function folderIn(above: string, name: string, { uid, mode }: { readonly uid: number; readonly mode: number }): string {
  const folder = join(above, name);
  // Before anything is made there; afterwards nobody else can change it.
  refuse(judgePath(pathParts(above), { uid }));
  make(folder, mode);
  refuse(judgePath(pathParts(folder), { uid }));
  return folder;
}

function make(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function refuse(why: string | null): void {
  if (why !== null) throw new Error(why);
}

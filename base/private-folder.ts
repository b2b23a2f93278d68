import { mkdirSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { infrastructure, messageOf } from './errors.ts';
import { judgePath, pathParts } from './judge-path.ts';

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

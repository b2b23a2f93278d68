import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { identityOf, statOrNull } from './identity.ts';

/** Folders of this program whose code, or whose models, decide what is made of a campaign. */
const ROOMS = ['base', 'throttle', 'inventory', 'experiments', 'modeling', 'analysis'];

let known: string | undefined;

/**
 * A digest of the identities of this program's own files: what another build of it made is not believed, so nobody has to count
 * versions of what is kept. Some 5 ms, once per process.
 */
export function programVersion(root = join(import.meta.dirname, '..', '..')): string {
  known ??= versionOf(root);
  return known;
}

function versionOf(root: string): string {
  const hash = createHash('sha256');
  const rooms = ROOMS.map((room) => join(root, room)).filter((room) => statOrNull(room) !== null);
  // Bundled into one folder there are no rooms.
  for (const folder of rooms.length > 0 ? rooms : [import.meta.dirname]) addFolder(folder, hash);
  return hash.digest('hex');
}

function addFolder(folder: string, hash: ReturnType<typeof createHash>): void {
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name);
    const is = statOrNull(path);
    if (is?.isDirectory()) addFolder(path, hash);
    else if (is !== null) hash.update(`${path} ${identityOf(is)}\n`);
  }
}

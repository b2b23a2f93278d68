import { createHash, type Hash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { projectRoot } from '../../base/paths.ts';
import { identityOf, statOrNull } from './identity.ts';

/** Folders of this program whose code decides what is made of a campaign. */
const ROOMS = ['base', 'throttle', 'inventory', 'experiments', 'modeling', 'analysis', 'report', 'orchestrator'];

let known: string | undefined;

/**
 * A digest of the identities of this program's own files: what another build of it made is not believed, so nobody has to count
 * versions of what is kept. Some 5 ms, once per process.
 */
export function programVersion(): string {
  known ??= versionOf(codeFolders());
  return known;
}

function codeFolders(): readonly string[] {
  const own = import.meta.dirname;
  const rooms = ROOMS.map((room) => join(own, '..', '..', room));
  // Bundled into one folder there are no rooms. Models of programs are read from where they lie in the sources.
  return [...(basename(own) === 'store' ? rooms : [own]), join(projectRoot(), 'analysis', 'platform', 'shipped')];
}

function versionOf(folders: readonly string[]): string {
  const hash = createHash('sha256');
  for (const folder of folders) addFolder(folder, hash);
  return hash.digest('hex');
}

function addFolder(folder: string, hash: Hash): void {
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name);
    const is = statOrNull(path);
    if (is?.isDirectory()) addFolder(path, hash);
    else if (is !== null) hash.update(`${path} ${identityOf(is)}\n`);
  }
}

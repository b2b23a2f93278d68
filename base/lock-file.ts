import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { infrastructure, messageOf } from './errors.ts';
import { type OwnerFile, takeOwnerFile } from './owner-file.ts';

/** What `flock` answers where somebody else holds the lock. */
const TAKEN = 75;
/** Owner files of open files that are locked that way, by descriptor. */
const owned = new Map<number, OwnerFile>();

/**
 * Takes the exclusive flock(2) of the open file at `path`; false where somebody else has held it for `waitS` seconds. The kernel
 * ends it when the file is closed (`closeLocked`) or with this process, however that ends. `name` is what a refusal calls the file.
 *
 * Node has no flock(2), but a lock belongs to the open file, which a child shares: flock(1) takes the lock and ends, and it stays
 * with us. Where there is no flock(1) (macOS), a file beside it names the process that holds the lock.
 */
export async function lockFile(
  file: number,
  path: string,
  { name = path, waitS = 0 }: { readonly name?: string; readonly waitS?: number } = {},
): Promise<boolean> {
  const wait = waitS === 0 ? ['--nonblock'] : ['--timeout', String(waitS)];
  const child = spawn('flock', ['--exclusive', ...wait, '--conflict-exit-code', String(TAKEN), '3'], {
    stdio: ['ignore', 'ignore', 'pipe', file],
  });
  const said = child.stderr === null ? Promise.resolve('') : text(child.stderr);
  const code = await once(child, 'close').then(
    ([exit]) => exit as number | null,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return 'no flock' as const;
      throw infrastructure(`flock cannot be run (${messageOf(error)}).`, { cause: error });
    },
  );
  if (code === 'no flock') {
    const owner = await takeOwnerFile(`${path}.pid`, waitS);
    if (owner !== null) owned.set(file, owner);
    return owner !== null;
  }
  if (code === 0 || code === TAKEN) return code === 0;
  throw infrastructure(`${name} cannot be locked (${(await said).trim()}): choose a file system that supports locks.`);
}

/** Closes a file whose lock may be held, and with it ends the lock. */
export function closeLocked(file: number): void {
  owned.get(file)?.release();
  owned.delete(file);
  closeSync(file);
}

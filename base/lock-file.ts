import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { infrastructure, messageOf, unwritable } from './errors.ts';

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

/** Between two looks at a lock that another process holds. */
const LOOK_MS = 100;

/** A file that names the process that holds a lock, and is worth nothing once that process is gone. */
interface OwnerFile {
  release(): void;
}

/** Makes the file with this process in it; null where a living process of this machine has held it for `waitS` seconds. */
async function takeOwnerFile(path: string, waitS: number): Promise<OwnerFile | null> {
  const until = performance.now() + waitS * 1000;
  for (;;) {
    if (makes(path)) return { release: () => rmSync(path, { force: true }) };
    const holder = readOwner(path);
    if (holder !== null && !isAlive(holder)) removeOf(path, holder);
    else if (performance.now() >= until) return null;
    else await delay(LOOK_MS);
  }
}

function makes(path: string): boolean {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw unwritable(path, error);
  }
}

/** Null where the file is gone, or its writer has not come to write yet. */
function readOwner(path: string): number | null {
  try {
    const id = Number(readFileSync(path, 'utf8'));
    return Number.isInteger(id) && id > 0 ? id : null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new Error(`${path} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

/** Takes away the file of a process that is gone, unless another one has put its own there since. */
function removeOf(path: string, holder: number): void {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  if (readOwner(aside) === holder) rmSync(aside, { force: true });
  else renameSync(aside, path);
}

function isAlive(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

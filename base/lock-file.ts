import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { infrastructure, messageOf } from './errors.ts';

/** What `flock` answers where somebody else holds the lock. */
const TAKEN = 75;

/**
 * Takes the exclusive flock(2) of an open file; false where somebody else has held it for `waitS` seconds. The kernel ends it
 * when the file is closed or with this process, however that ends. `name` is what a refusal calls the file.
 *
 * Node has no flock(2), but a lock belongs to the open file, which a child shares: flock(1) takes the lock and ends, and it stays
 * with us.
 */
export async function lockFile(file: number, name: string, waitS = 0): Promise<boolean> {
  const wait = waitS === 0 ? ['--nonblock'] : ['--timeout', String(waitS)];
  const child = spawn('flock', ['--exclusive', ...wait, '--conflict-exit-code', String(TAKEN), '3'], {
    stdio: ['ignore', 'ignore', 'pipe', file],
  });
  const said = child.stderr === null ? Promise.resolve('') : text(child.stderr);
  const [code] = await once(child, 'close').catch((error: Error) => {
    throw infrastructure(`flock cannot be run (${messageOf(error)}): install util-linux.`, { cause: error });
  });
  if (code === 0 || code === TAKEN) return code === 0;
  throw infrastructure(
    `${name} cannot be locked (${(await said).trim()}): choose a place whose file system has locks.`,
  );
}

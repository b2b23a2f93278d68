import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, ftruncateSync, writeSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { infrastructure, messageOf, PredictError, unwritable } from '../../base/index.ts';
import { lockPath } from './layout.ts';
import { openToWriteSync, readRegular } from './regular.ts';

export interface CampaignLock {
  release(): void;
}

/** What `flock` answers where somebody else holds the lock. */
const TAKEN = 75;

/**
 * Makes this process the one writer of a campaign folder, which is made where it is missing: an flock on DIR/.lock, which is also
 * seen from other machines where their file system carries it. The kernel ends it with the process, however that ends. `holder`
 * says who we are. Errors: `busy` naming who holds it, `unwritable`, `infrastructure`.
 */
export async function lockCampaign(dir: string, holder: string): Promise<CampaignLock> {
  const path = lockPath(dir);
  const file = await openLock(dir);
  try {
    if (!(await takeLock(file, dir))) {
      const message = `The campaign folder ${dir} is in use by ${await holderOf(path)}: wait for it to end, or choose another folder.`;
      throw new PredictError(message, { kind: 'busy' });
    }
    ftruncateSync(file);
    writeSync(file, `${holder} since ${new Date().toISOString()}`, 0);
  } catch (error) {
    closeSync(file);
    throw error instanceof PredictError ? error : unwritable(path, error);
  }
  return {
    release: () => {
      ftruncateSync(file);
      closeSync(file);
    },
  };
}

async function openLock(dir: string): Promise<number> {
  try {
    await mkdir(dir, { recursive: true });
    return openToWriteSync(lockPath(dir));
  } catch (error) {
    throw unwritable(`The campaign folder ${dir}`, error);
  }
}

/**
 * Node has no flock(2), but a lock belongs to the open file, which a child shares: flock(1) takes the lock and ends, and it stays
 * with us.
 */
async function takeLock(file: number, dir: string): Promise<boolean> {
  const child = spawn('flock', ['--exclusive', '--nonblock', '--conflict-exit-code', String(TAKEN), '3'], {
    stdio: ['ignore', 'ignore', 'pipe', file],
  });
  const said = child.stderr === null ? Promise.resolve('') : text(child.stderr);
  const [code] = await once(child, 'close').catch((error: Error) => {
    throw infrastructure(`flock cannot be run (${messageOf(error)}): install util-linux.`, { cause: error });
  });
  if (code === 0 || code === TAKEN) return code === 0;
  throw infrastructure(
    `The campaign folder ${dir} cannot be locked (${(await said).trim()}): choose one whose file system has locks.`,
  );
}

/** Who holds the lock; the name follows the lock at once. */
async function holderOf(path: string): Promise<string> {
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const name = (await readRegular(path)).toString('utf8').slice(0, 400);
    if (name !== '') return name;
    await delay(20);
  }
  return 'somebody who left no name';
}

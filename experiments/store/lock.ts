import { ftruncateSync, readFileSync, writeSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { PredictError, unwritable } from '../../base/errors.ts';
import { closeLocked, lockFile } from '../../base/lock-file.ts';
import { lockPath } from './campaign-folders.ts';
import { openToWriteSync, readRegular } from './regular.ts';

export interface CampaignLock {
  release(): void;
}

/**
 * Makes this process the one writer of a campaign folder, which is made where it is missing: an flock on DIR/.lock, which is also
 * seen from other machines where their file system carries it. The kernel ends it with the process, however that ends. `holder`
 * says who we are. Errors: `busy` naming who holds it, `unwritable`, `infrastructure`.
 */
export async function lockCampaign(dir: string, holder: string): Promise<CampaignLock> {
  const path = lockPath(dir);
  const file = await openLock(dir);
  try {
    if (!(await lockFile(file, path, { name: `The campaign folder ${dir}` }))) {
      const message = `The campaign folder ${dir} is in use by ${await holderOf(path)}: wait for it to end, or choose another folder.`;
      throw new PredictError(message, { kind: 'busy' });
    }
    ftruncateSync(file);
    writeSync(file, `${holder} since ${new Date().toISOString()}`, 0);
  } catch (error) {
    closeLocked(file);
    throw error instanceof PredictError ? error : unwritable(path, error);
  }
  return {
    release: () => {
      ftruncateSync(file);
      closeLocked(file);
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
 * Whether nobody holds a campaign's lock, or a process of this machine that is gone (`NAME@HOST pid N` in what it said). Of one on another
 * machine that is unknown, and it counts as there.
 */
export function isHolderGone(dir: string): boolean {
  let text: string;
  try {
    text = readFileSync(lockPath(dir), 'utf8');
  } catch {
    return true;
  }
  const end = text.indexOf(' pid ');
  const host = text.slice(text.lastIndexOf('@', end) + 1, Math.max(0, end));
  const id = Number.parseInt(text.slice(end + ' pid '.length), 10);
  if (host !== hostname() || !(id > 0)) return text === '';
  try {
    process.kill(id, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** Who holds the lock; the name follows the lock at once. */
async function holderOf(path: string): Promise<string> {
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const name = (await readRegular(path)).toString('utf8').slice(0, 400);
    if (name !== '') return name;
    await delay(20);
  }
  return 'an unknown process';
}

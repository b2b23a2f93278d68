import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type Ran, runPredict } from '../run-predict.ts';

/** Labs need root and Debian's sshd. */
export const noLab = process.getuid?.() !== 0 || !existsSync('/usr/sbin/sshd');
export const NEEDS = 'on a lab (needs root)';

/** A command in this process; predict.ts starts one as users do. */
export const predict = (words: readonly string[]): Promise<Ran> => runPredict(words);

export const predictJson = async <T>(words: readonly string[]): Promise<T> => {
  const { exitCode, stdout, stderr } = await predict(words);
  if (exitCode !== 0) throw new Error(`predict ${words.join(' ')}: ${exitCode}: ${stderr}`);
  return JSON.parse(stdout) as T;
};

/** A lab for one test file, and a temporary folder. */
export function useLab({
  name,
  hosts,
  cpu,
  linkMbit = 200,
  root = false,
}: {
  name: string;
  hosts: number;
  cpu: string;
  /** Proofs fill the link: a slow one is less work. */
  linkMbit?: number;
  /** Log in as root, not as the lab's own user. */
  root?: boolean;
}): {
  readonly inventory: () => string;
  readonly folder: string;
  /** A copy of the inventory with a text replaced. */
  readonly altered: (from: string | RegExp, to: string) => string;
} {
  const folder = mkdtempSync(join(tmpdir(), 'predict-lab-test-'));
  // The lab's user runs programs in it.
  chmodSync(folder, 0o755);
  let inventory = '';
  let copies = 0;
  beforeAll(async () => {
    await predict(['lab', 'down', '--name', name]);
    const flags = ['--name', name, '--hosts', String(hosts), '--cpu', cpu, '--link', `${linkMbit}mbit`, '--json'];
    if (root) flags.push('--root');
    inventory = (await predictJson<{ inventory: string }>(['lab', 'up', ...flags])).inventory;
  });
  afterAll(async () => {
    await predict(['lab', 'down', '--name', name]);
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    inventory: () => inventory,
    folder,
    altered: (from, to) => {
      copies += 1;
      const path = join(folder, `inventory-${copies}.yaml`);
      writeFileSync(path, readFileSync(inventory, 'utf8').replace(from, to));
      return path;
    },
  };
}

export interface LinkRow {
  readonly host: string;
  readonly interface: string;
  readonly state: 'free' | 'throttled' | 'foreign';
  readonly rateBps: number | null;
  readonly leaseEndsInS: number | null;
  readonly expired: boolean;
}

export const showLinks = (inventory: string): Promise<LinkRow[]> =>
  predictJson(['throttle', 'show', '--inventory', inventory, '--json']);

/** Asks again until it holds or the time is up; the last answer. */
export async function until<T>(ask: () => Promise<T>, holds: (value: T) => boolean, seconds: number): Promise<T> {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    const value = await ask();
    if (holds(value) || Date.now() > deadline) return value;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

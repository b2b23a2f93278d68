import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { prepareGround } from './ground.ts';
import { signal } from './processes.ts';
import { Site } from './site.ts';
import { Sweep } from './sweep.ts';
import { ranksRun } from './victims.ts';

const CPU = '6%';
const BOUND_S = 180;
/** Hosts of a few percent of a core renew it late. */
const LEASE_S = 10;

export interface RestoreTime {
  readonly hosts: number;
  readonly leaseS: number;
  /** Links that were throttled when the controller was killed. */
  readonly throttled: number;
  /** From SIGKILL to the last link at its own rate; null when that never came. */
  readonly seconds: number | null;
}

/** Kills the controller in a throttled run on all hosts of a lab and waits for the last link. */
export async function restoreTime(name: string, hosts: number): Promise<RestoreTime> {
  const site = new Site(name, hosts);
  try {
    await site.up(CPU);
    const { ground, remove } = await prepareGround(site);
    try {
      const { folder, workload } = ground;
      const plan = { inventory: site.inventory, cells: [`${hosts}:10:50`], workload, leaseS: LEASE_S };
      const sweep = new Sweep(
        { ...plan, out: join(folder, 'restore'), temporary: folder, mark: name },
        join(folder, 'log-restore'),
      );
      await until(() => Promise.resolve(ranksRun(site) || sweep.isOver), BOUND_S);
      if (sweep.isOver) throw new Error(`the sweep ended before a run: ${(await sweep.ended(1)).stderr}`);
      const throttled = await shaped(site);
      signal(sweep.id, 'SIGKILL');
      const killed = performance.now();
      const isFree = await until(async () => (await shaped(site)) === 0, 4 * LEASE_S);
      const seconds = isFree ? (performance.now() - killed) / 1000 : null;
      await sweep.ended(1);
      return { hosts, leaseS: LEASE_S, throttled, seconds };
    } finally {
      remove();
    }
  } finally {
    await site.down();
  }
}

async function shaped(site: Site): Promise<number> {
  const links = await Promise.all(site.hosts.map((host) => site.shapedLinks(host)));
  return links.filter((text) => text !== '').length;
}

async function until(holds: () => Promise<boolean>, seconds: number): Promise<boolean> {
  const deadline = performance.now() + seconds * 1000;
  while (performance.now() < deadline) {
    if (await holds()) return true;
    await delay(50);
  }
  return false;
}

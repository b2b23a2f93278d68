import { basename, resolve } from 'node:path';
import { buildHostPrograms } from '../agents/index.ts';
import { messageOf, PredictError } from '../base/index.ts';
import { type Campaign, type Cell, doneCells, plan, readRecord } from '../experiments/index.ts';
import { announcer } from './announce.ts';
import { LinkKeeper } from './cell/link-keeper.ts';
import { Cluster } from './hosts/cluster.ts';
import { controllerName, lockHosts } from './hosts/controller-lock.ts';
import { deployPrograms } from './hosts/deployment.ts';
import type { Job, SweepOptions } from './job.ts';
import { measureCells } from './measure-cells.ts';
import { openCampaign } from './open-campaign.ts';

export interface SweepResult {
  readonly campaign: Campaign;
  readonly out: string;
  readonly planned: number;
  readonly done: number;
  readonly failed: readonly { readonly id: string; readonly reason: string }[];
  readonly unmeasured: readonly { readonly id: string; readonly reason: string }[];
}

/** The cells of a sweep on this inventory; bad node counts are refused here, before anything is touched. */
export function planSweep({
  sweep,
  workload,
  inventory,
}: Pick<SweepOptions, 'sweep' | 'workload' | 'inventory'>): Cell[] {
  return plan(sweep, { workload, ranksPerNode: inventory.ranksPerNode, hosts: inventory.hosts.length });
}

/** Measures every cell that has no record yet. Links are released and hosts unlocked however it ends. */
export async function runSweep(options: SweepOptions): Promise<SweepResult> {
  const out = resolve(options.out);
  const cells = planSweep(options);
  const tell = announcer(out, options.onEvent);
  try {
    const result = await onLockedHosts({ ...options, out, cells, tell });
    const missing = result.planned - result.done;
    const reason = `${missing} cells could not be measured: ${result.unmeasured[0]?.reason ?? 'they were not tried'}`;
    tell({
      kind: 'sweep-ended',
      ...(missing === 0 ? { how: 'complete', reason: null } : { how: 'incomplete', reason }),
    });
    return result;
  } catch (error) {
    const interrupted = error instanceof PredictError && error.kind === 'interrupted';
    tell({ kind: 'sweep-ended', how: interrupted ? 'interrupted' : 'failed', reason: messageOf(error) });
    throw error;
  }
}

async function onLockedHosts(job: Job): Promise<SweepResult> {
  const { inventory, workload } = job;
  const hosts = inventory.hosts.slice(0, Math.max(...job.sweep.nodes));
  const everyone = [...hosts, ...(inventory.mpi.head ? [inventory.mpi.head] : [])];
  const cluster = new Cluster(inventory, job.open);
  const owner = controllerName(`sweep ${basename(job.out)}`);
  try {
    const programs = job.programs ?? (await buildHostPrograms());
    await deployPrograms(cluster, everyone, { programs, wanted: workload.programs });
    const locks = await lockHosts(cluster, everyone, owner);
    const lease = { seconds: job.leaseS, owner };
    const links = new LinkKeeper(cluster, { lease });
    const removeCache = async (): Promise<void> => {
      if (workload.cacheFolder !== null) await cluster.remove(hosts, workload.cacheFolder);
    };
    try {
      const { campaign, probed, lock } = await openCampaign(job, { cluster, hosts, owner });
      try {
        const unmeasured = await measureCells(job, { cluster, campaign, probed, links, locks, removeCache });
        return await outcome(job, { campaign, unmeasured });
      } finally {
        lock.release();
      }
    } finally {
      // Where a host is out of reach now, its keeper restores the link when the lease runs out.
      await links
        .release()
        .finally(removeCache)
        .finally(() => locks.release());
    }
  } finally {
    cluster.close();
  }
}

async function outcome({ out, cells }: Job, rest: Pick<SweepResult, 'campaign' | 'unmeasured'>): Promise<SweepResult> {
  const states = await doneCells(out);
  const ids = cells.map(({ id }) => id);
  const failed = ids.filter((id) => states.get(id) === 'failed');
  return {
    ...rest,
    out,
    planned: ids.length,
    done: ids.filter((id) => states.has(id)).length,
    failed: await Promise.all(failed.map(async (id) => ({ id, reason: (await readRecord(out, id)).reason ?? '' }))),
  };
}

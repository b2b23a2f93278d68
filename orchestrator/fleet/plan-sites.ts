import { join } from 'node:path';
import type { Cell } from '../../experiments/records.ts';
import { readCampaign } from '../../experiments/store/campaign.ts';
import { isCampaign } from '../../experiments/store/campaign-folders.ts';
import type { SweepOptions } from '../job.ts';
import { cellsOfOrder, countRoutes, unservedText } from './cell-routes.ts';
import { type FleetWorker, isAlive } from './fleet-records.ts';
import { FleetServer } from './fleet-server.ts';

export interface SitePlan {
  readonly site: string;
  readonly cells: readonly Cell[];
  /** Ids of those that respond now. */
  readonly workers: readonly string[];
  /** Which cells none of them can measure, and why, one sentence; null where there is none. */
  readonly unserved: string | null;
}

interface PlanOptions extends Pick<SweepOptions, 'sweep' | 'workload'> {
  readonly sites: readonly string[];
  /** The folder that has a campaign for each site. */
  readonly out: string;
  /** Without it, sites are planned as if each host had one rank. */
  readonly redis: string | undefined;
}

/** The cells of a sweep at each site, as its workers are now; queues nothing. Errors: those of `plan`, `infrastructure`. */
export async function planSites({ redis, sites, out, sweep, workload }: PlanOptions): Promise<readonly SitePlan[]> {
  const known = redis === undefined ? [] : await readWorkers(redis);
  const plans: SitePlan[] = [];
  for (const site of sites) {
    const own = known.filter((worker) => worker.site === site);
    const ranksPerNode = (await ranksPerNodeOf(join(out, site), own)) ?? 1;
    const order = { site, sweep, workload: workload.definition, ranksPerNode };
    const cells = cellsOfOrder(order, workload);
    const alive = own.filter(isAlive);
    const unserved = unservedText(order, countRoutes(order, cells), alive);
    plans.push({ site, cells, workers: alive.map(({ id }) => id), unserved });
  }
  return plans;
}

/** As the campaign of the site has it, else the worker with the most hosts; null where there is neither. */
export async function ranksPerNodeOf(dir: string, workers: readonly FleetWorker[]): Promise<number | null> {
  if (isCampaign(dir)) return (await readCampaign(dir)).inventory.ranksPerNode;
  const [worker] = workers.toSorted((a, b) => b.hosts - a.hosts || b.ranksPerNode - a.ranksPerNode);
  return worker?.ranksPerNode ?? null;
}

async function readWorkers(redis: string): Promise<readonly FleetWorker[]> {
  const server = await FleetServer.open(redis);
  try {
    return await server.workers();
  } finally {
    await server.close();
  }
}

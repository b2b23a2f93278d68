import type { Job, Queue } from 'bullmq';
import { groupBy } from '../../base/lists.ts';
import { formatSeconds } from '../../base/units.ts';
import { type Cell, cellSchema } from '../../experiments/records.ts';
import { groupKey, timeLeft } from '../../experiments/store/time-left.ts';
import { routesOf, unservedText } from './cell-routes.ts';
import { type FleetWorker, isAlive, type Order, runSchema } from './fleet-records.ts';
import type { FleetServer, QueuedCampaign } from './fleet-server.ts';
import { isPaused, readRate } from './queue-cells.ts';

interface Run {
  readonly cell: Cell;
  /** Null until it says so. */
  readonly worker: string | null;
  readonly startedAt: string | null;
}

interface SiteState {
  readonly site: string;
  readonly state: 'waiting' | 'running' | 'paused' | 'cancelled' | 'done';
  readonly waiting: number;
  readonly active: readonly Run[];
  readonly done: number;
  readonly failed: readonly { readonly cell: Cell; readonly reason: string }[];
  /** What it waits for, a few words; null where it runs or is over. */
  readonly waitsFor: string | null;
  /** That may begin; null for any number. */
  readonly runsPerHour: number | null;
  /** Which of the waiting cells no worker can measure, and why, one sentence; null where there is none. */
  readonly unserved: string | null;
  /** When its last cell is expected to end, ISO time; null where nobody knows. */
  readonly endsAt: string | null;
}

interface CampaignState {
  readonly key: string;
  readonly name: string;
  readonly owner: string;
  readonly createdAt: string;
  readonly priority: number;
  readonly sites: readonly SiteState[];
}

/** What a fleet's server has. */
export interface QueueState {
  readonly campaigns: readonly CampaignState[];
  readonly workers: readonly (FleetWorker & { readonly isAlive: boolean })[];
}

/** Cells whose times say how long the others take, and cells that are waited for, at most. */
const MOST_READ = 1000;

export async function readQueue(server: FleetServer): Promise<QueueState> {
  const workers = (await server.workers()).map((worker) => {
    return { ...worker, isAlive: isAlive(worker) };
  });
  const all = await server.campaigns(['waiting-children', 'wait', 'prioritized', 'active', 'completed', 'failed']);
  const campaigns: CampaignState[] = [];
  for (const group of groupBy(all, ({ order }) => order.key)) {
    const sites: SiteState[] = [];
    for (const one of group) sites.push(await readSite(server, one, { all, workers }));
    for (const { order, priority } of group.slice(0, 1)) {
      const { key, name, owner, createdAt } = order;
      campaigns.push({ key, name, owner, createdAt, priority, sites });
    }
  }
  return { campaigns, workers };
}

interface Among {
  readonly all: readonly QueuedCampaign[];
  readonly workers: QueueState['workers'];
}

async function readSite(server: FleetServer, campaign: QueuedCampaign, among: Among): Promise<SiteState> {
  const { order } = campaign;
  const queues = server.cellQueues(order);
  const counts = await Promise.all(queues.map((queue) => queue.getJobCounts('wait', 'prioritized', 'completed')));
  const counted = routesOf(order).map((route, index) => {
    return { route, count: (counts[index]?.wait ?? 0) + (counts[index]?.prioritized ?? 0) };
  });
  const waiting = counted.reduce((sum, { count }) => sum + count, 0);
  const done = counts.reduce((sum, { completed = 0 }) => sum + completed, 0);
  const active = (await cellsIn(queues, 'active')).map(({ cell, job }): Run => {
    const { worker = null, startedAt = null } = runSchema.safeParse(job.progress).data ?? {};
    return { cell, worker, startedAt };
  });
  const failed = (await cellsIn(queues, 'failed')).map(({ cell, job }) => ({ cell, reason: job.failedReason }));
  const isOver = waiting + active.length === 0;
  const rate = await readRate(server, order);
  const state =
    order.cancelled === true
      ? 'cancelled'
      : isOver
        ? 'done'
        : (await isPaused(server, order))
          ? 'paused'
          : active.length > 0
            ? 'running'
            : 'waiting';
  return {
    ...{ site: order.site, state, waiting, active, done, failed },
    waitsFor: state === 'waiting' ? waitsFor(campaign, among, rate?.waitMs ?? 0) : state === 'paused' ? 'resume' : null,
    runsPerHour: rate?.perHour ?? null,
    unserved: unservedText(order, counted, workersOf(order, among)),
    endsAt: state === 'running' ? await endOf(queues, active) : null,
  };
}

/** Why no cell of a campaign is measured although some wait. */
function waitsFor({ order }: QueuedCampaign, { all, workers }: Among, waitMs: number): string {
  const alive = workersOf(order, { workers });
  if (alive.length === 0) return `a worker of ${order.site}`;
  const reasons = alive.flatMap(({ cannot }) => cannot[order.key]?.reason ?? []);
  if (reasons.length === alive.length) return `a worker that can measure it: ${[...new Set(reasons)].join(' ')}`;
  if (waitMs > 0) return `its rate, ${formatSeconds(Math.ceil(waitMs / 1000))} until the next run`;
  const before = alive.flatMap(({ doing }) => all.find((one) => one.order.key === doing && doing !== order.key) ?? []);
  return before[0] === undefined
    ? `a worker of ${order.site} to begin`
    : `${before[0].order.name}, which is measured now`;
}

function workersOf({ site }: Order, { workers }: Pick<Among, 'workers'>): QueueState['workers'] {
  return workers.filter((worker) => worker.isAlive && worker.site === site);
}

/** By what cells of the same configuration took, as many at once as now. */
async function endOf(queues: readonly Queue[], active: readonly Run[]): Promise<string | null> {
  const measured = new Map<string, number>();
  for (const { cell, job } of [...(await cellsIn(queues, 'completed'))].reverse()) {
    measured.set(groupKey(cell), ((job.finishedOn ?? 0) - (job.processedOn ?? 0)) / 1000);
  }
  const waiting = [...(await cellsIn(queues, 'prioritized')), ...(await cellsIn(queues, 'wait'))].map(
    ({ cell }) => cell,
  );
  const seconds = timeLeft([...active.map(({ cell }) => cell), ...waiting], { measured, atOnce: active.length });
  return seconds === null ? null : new Date(Date.now() + seconds * 1000).toISOString();
}

/** Jobs of queues with their cells; those of other programs are passed over. */
async function cellsIn(
  queues: readonly Queue[],
  state: 'active' | 'failed' | 'completed' | 'prioritized' | 'wait',
): Promise<readonly { readonly cell: Cell; readonly job: Job }[]> {
  const jobs = await Promise.all(queues.map((queue) => queue.getJobs(state, 0, MOST_READ - 1)));
  return jobs.flat().flatMap((job) => {
    const cell = cellSchema.safeParse(job?.data).data;
    return job === undefined || cell === undefined ? [] : [{ cell, job }];
  });
}

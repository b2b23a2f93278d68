import type { Job, JobsOptions } from 'bullmq';
import { badInput, PredictError } from '../../base/errors.ts';
import { at, groupBy } from '../../base/lists.ts';
import type { Cell } from '../../experiments/records.ts';
import { cellIdOf, cellJob } from '../queue/cell-queue.ts';
import { routeOf, withRepetitions } from './cell-routes.ts';
import { CAMPAIGNS, cellsQueue, type Order, orderSchema, parentOf, USUAL_PRIORITY, WEEK_S } from './fleet-records.ts';
import type { FleetServer, QueuedCampaign } from './fleet-server.ts';

const KEPT = { removeOnComplete: { age: WEEK_S }, removeOnFail: { age: WEEK_S } } as const satisfies JobsOptions;
const LIVE = ['wait', 'prioritized', 'active', 'delayed'] as const;

/** What the server knows of the cells of a campaign at a site, by their ids. */
interface JobStates {
  readonly waiting: ReadonlySet<string>;
  /** With the reason. */
  readonly failed: ReadonlyMap<string, string>;
}

/** `again` forgets what failed or was cancelled before. Errors: `unfinished` for a campaign that was cancelled. */
export async function jobStates(server: FleetServer, order: Order, { again = false } = {}): Promise<JobStates> {
  const parent = await server.queue(CAMPAIGNS).getJob(parentOf(order));
  if (orderSchema.safeParse(parent?.data).data?.cancelled === true) {
    if (!again) {
      const message = `${order.name} was cancelled in the queue at ${order.site}: rerun the same command to resume.`;
      throw new PredictError(message, { kind: 'unfinished' });
    }
    await parent?.remove().catch(() => undefined);
  }
  const failed = new Map<string, string>();
  const waiting = new Set<string>();
  for (const queue of server.cellQueues(order)) {
    for (const job of await queue.getJobs('failed')) {
      if (again) await job.remove();
      else failed.set(cellIdOf(job.id ?? ''), job.failedReason);
    }
    for (const id of await queue.getRanges([...LIVE], 0, -1)) waiting.add(cellIdOf(id));
  }
  return { waiting, failed };
}

interface Enqueued {
  readonly cells: readonly Cell[];
  /** All cells of the campaign, in the order of their turns. */
  readonly plan: readonly Cell[];
  readonly priority?: number | undefined;
}

/** Adds cells below the job of their campaign, which is made where it is not there or is over. */
export async function enqueueCells(
  server: FleetServer,
  order: Order,
  { cells, plan, priority = USUAL_PRIORITY }: Enqueued,
): Promise<void> {
  if (cells.length === 0) return;
  const campaigns = server.queue(CAMPAIGNS);
  const parentId = parentOf(order);
  const places = new Map(plan.map(({ id }, place) => [id, place]));
  const jobs = cells.map((cell) => {
    const { name, opts } = cellJob(cell.id, places.get(cell.id) ?? 0);
    const queueName = queueOfCell(order, cell);
    return { name, queueName, data: cell, opts: { ...opts, ...KEPT, ignoreDependencyOnFailure: true } };
  });
  const known = await campaigns.getJob(parentId);
  const state = await known?.getState();
  if (known !== undefined && state === 'waiting-children') {
    // Before the cells: a worker that claims one finds it planned.
    await addRepetitions(known, order);
    const parent = { id: parentId, queue: campaigns.qualifiedName };
    for (const group of groupBy(jobs, ({ queueName }) => queueName)) {
      const queue = server.queue(at(group, 0).queueName);
      await queue.addBulk(group.map((job) => ({ ...job, opts: { ...job.opts, parent } })));
    }
    return;
  }
  await known?.remove().catch(() => undefined);
  const opts = { jobId: parentId, priority, ...KEPT };
  await server.flow.add({ name: order.site, queueName: CAMPAIGNS, data: order, opts, children: jobs });
}

/** Of an order on the server, which another command may have given more. */
async function addRepetitions(job: Job, { repetitions = [] }: Order): Promise<void> {
  const order = orderSchema.safeParse(job.data).data;
  if (order === undefined || repetitions.length === 0) return;
  const wider = withRepetitions(order, repetitions);
  if (wider.repetitions?.length !== order.repetitions?.length) await job.updateData(wider);
}

/** Takes out the jobs of cells that nobody works at; `isStored`: as done, so that they still count. */
export async function dropJobs(
  server: FleetServer,
  order: Order,
  cells: readonly Cell[],
  { isStored = false } = {},
): Promise<void> {
  // At once: one after the other they would take a way to the server and back each.
  await Promise.all(
    cells.map(async (cell) => {
      const queue = server.queue(queueOfCell(order, cell));
      const { jobId } = cellJob(cell.id, 0).opts;
      if (isStored && (await queue.getJobState(jobId)) === 'completed') return;
      // One that a worker holds stays: that worker finds the cell stored in its own folder.
      await queue.remove(jobId);
    }),
  );
}

/** The campaigns of a name or key, one for each site. Errors: `badInput` where there is none, or several have that name. */
export function findCampaigns(all: readonly QueuedCampaign[], named: string): readonly QueuedCampaign[] {
  const found = all.filter(({ order: { key, name } }) => key === named || name === named);
  const keys = new Set(found.map(({ order }) => order.key));
  if (keys.size === 1) return found;
  const known = [...new Set(all.map(({ order }) => `${order.name} (${order.key})`))].join(', ') || 'none';
  const problem = keys.size === 0 ? 'is not in the queue' : 'is the name of several: give a key';
  throw badInput(`${named} ${problem}. Campaigns there: ${known}.`);
}

/** Ends a campaign in the queue; the runs that go on end, and nobody waits for them. */
export async function cancelCampaign(server: FleetServer, { job, order }: QueuedCampaign): Promise<void> {
  await job.updateData({ ...order, cancelled: true });
  for (const queue of server.cellQueues(order)) await queue.obliterate({ force: true });
}

/** Lets no further cell of a campaign begin, or lets them again. */
export async function pauseCampaign(server: FleetServer, { order }: QueuedCampaign, isPaused: boolean): Promise<void> {
  for (const queue of server.cellQueues(order)) await (isPaused ? queue.pause() : queue.resume());
}

/** A campaign pauses with all of its queues. */
export async function isPaused(server: FleetServer, order: Order): Promise<boolean> {
  return (await server.cellQueues(order)[0]?.isPaused()) === true;
}

const HOUR_MS = 3_600_000;

/** Lets so many runs of a campaign begin at a site in an hour, one after equal times; 0: any number. */
export async function limitRate(server: FleetServer, { order }: QueuedCampaign, perHour: number): Promise<void> {
  for (const queue of server.cellQueues(order)) {
    if (perHour > 0) await queue.setGlobalRateLimit(1, Math.round(HOUR_MS / perHour));
    else await Promise.all([queue.removeGlobalRateLimit(), queue.removeRateLimitKey()]);
  }
}

/** Runs per hour, and how long none may begin; null without a limit. Each route has its own limiter, and all of them wait for the last. */
export async function readRate(
  server: FleetServer,
  order: Order,
): Promise<{ readonly perHour: number; readonly waitMs: number } | null> {
  const queues = server.cellQueues(order);
  const limit = await queues[0]?.getGlobalRateLimit();
  if (!limit) return null;
  const waits = await Promise.all(queues.map((queue) => queue.getRateLimitTtl(limit.max)));
  return { perHour: Math.round((limit.max * HOUR_MS) / limit.duration), waitMs: Math.max(0, ...waits) };
}

function queueOfCell(order: Order, cell: Cell): string {
  return cellsQueue(order, routeOf(order, cell));
}

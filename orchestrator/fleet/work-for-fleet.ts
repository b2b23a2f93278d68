import { hostname } from 'node:os';
import { join } from 'node:path';
import type { HostPrograms } from '../../agents/host-programs.ts';
import { messageOf, PredictError } from '../../base/errors.ts';
import { cacheFolder } from '../../base/paths.ts';
import { asSeconds } from '../../base/units.ts';
import { cellName } from '../../experiments/cell-name.ts';
import type { SweepEvent } from '../../experiments/store/campaign-events.ts';
import { type CampaignLock, lockCampaign } from '../../experiments/store/lock.ts';
import { folderId } from '../../experiments/store/whole.ts';
import type { Inventory } from '../../inventory/inventory-schema.ts';
import { controllerName } from '../hosts/controller-lock.ts';
import type { OpenExecutor } from '../hosts/executor.ts';
import { CellQueue, LOCK_MS, type QueueTimes } from '../queue/cell-queue.ts';
import { runSweep } from '../run-sweep.ts';
import { every } from '../waiting.ts';
import { datasetsIn, permitWorkload } from './allowed-workload.ts';
import { cellsOfOrder, misfitOf, routeOf, routesOf } from './cell-routes.ts';
import { FleetCells } from './fleet-cells.ts';
import { asksQueue, CAMPAIGNS, cellsQueue, type FleetWorker, type Order } from './fleet-records.ts';
import { type FleetServer, type QueuedCampaign, serverFault, Wake, withFleet } from './fleet-server.ts';
import { isPaused, readRate } from './queue-cells.ts';
import { WorkerCells } from './worker-cells.ts';

export interface WorkerOptions {
  readonly redis: string;
  readonly inventory: Inventory;
  readonly site: string;
  readonly slots: number | null;
  readonly graphs: readonly string[];
  readonly signal: AbortSignal;
  readonly onNote: (text: string) => void;
  /** With the name of the cell that it is about. */
  readonly onEvent: (order: Order, event: SweepEvent, cell: string) => void;
  /** The folder of the campaigns that it works on; below the user's cache by default. */
  readonly home?: string;
  readonly open?: OpenExecutor | undefined;
  readonly programs?: HostPrograms | undefined;
  readonly times?: QueueTimes & { readonly beatMs?: number; readonly idleMs?: number; readonly againMs?: number };
}

/** Between two words of a worker, and between two looks at the campaigns where nothing happens. */
const BEAT_MS = 10_000;
const IDLE_MS = 5_000;
/** Before a campaign is tried again whose hosts were busy or out of reach. */
const AGAIN_MS = 30_000;
/** Workers of one site and user on one machine. */
const MOST_WORKERS = 64;

/** Measures what the campaigns of a fleet have for this site, until it is stopped. Errors: `interrupted`, `infrastructure` at the start. */
export async function workForFleet(options: WorkerOptions): Promise<void> {
  const { site, redis, signal, onNote, graphs } = options;
  const datasets = await datasetsIn(graphs);
  const { home, id, lock } = await ownHome(options.home ?? cacheFolder('fleet'), site);
  try {
    const token = await folderId(home);
    await withFleet({ redis, signal, onNote }, (server) =>
      new SiteWorker(options, { home, id, token, server, datasets }).run(),
    );
  } finally {
    lock.release();
  }
}

/** The first folder that no other worker has: the same worker finds again what it measured. */
async function ownHome(folder: string, site: string): Promise<{ home: string; id: string; lock: CampaignLock }> {
  for (let number = 1; ; number += 1) {
    const home = join(folder, `${site}-${number}`);
    const name = `${site}-${number}-${hostname()}`.replace(/[^A-Za-z0-9._+-]/g, '-').slice(0, 100);
    try {
      return { home, id: name, lock: await lockCampaign(home, controllerName(`worker ${site}`)) };
    } catch (error) {
      if (!(error instanceof PredictError && error.kind === 'busy') || number === MOST_WORKERS) throw error;
    }
  }
}

interface Place {
  readonly home: string;
  readonly id: string;
  readonly token: string;
  readonly server: FleetServer;
  readonly datasets: FleetWorker['datasets'];
}

/** A campaign that has its turn, and where its cells wait for this worker. */
interface Next {
  readonly order: Order;
  readonly queues: readonly CellQueue[];
}

interface Cannot {
  readonly reason: string;
  /** When it is tried again; never where it is final. */
  readonly untilMs: number;
}

/** A worker as long as one server lasts. */
class SiteWorker {
  readonly #options: WorkerOptions;
  readonly #server: FleetServer;
  readonly #giving: WorkerCells;
  readonly #id: string;
  readonly #token: string;
  /** What it can measure, and what it says of itself. */
  readonly #labels: Pick<FleetWorker, 'id' | 'hosts' | 'ranksPerNode' | 'datasets'>;
  readonly #cannot = new Map<string, Cannot>();
  /** Of the campaigns at this site, by name: a worker that died there is noticed by whoever has its queue open. */
  readonly #queues = new Map<string, CellQueue>();
  #doing: string | null = null;
  /** What had its turn at the last look at the campaigns, and when the next one is due. */
  #seen: Next | null = null;
  #lookAtMs = 0;

  constructor(options: WorkerOptions, { home, id, token, server, datasets }: Place) {
    const { hosts, ranksPerNode } = options.inventory;
    this.#options = options;
    this.#giving = new WorkerCells(home, id, server.handOver);
    this.#id = id;
    this.#token = token;
    this.#server = server;
    this.#labels = { id, hosts: hosts.length, ranksPerNode, datasets };
  }

  async run(): Promise<void> {
    const { signal, times: { beatMs = BEAT_MS, idleMs = IDLE_MS } = {} } = this.#options;
    const wake = new Wake();
    const server = this.#server;
    await this.#say();
    const stop = every(beatMs, () => void this.#say().catch(wake.now));
    try {
      server.process(asksQueue(this.#id), (job) => this.#giving.give(job.data, this.#options.site));
      // A campaign whose cells have all been measured is over.
      server.process(CAMPAIGNS, async () => undefined);
      server.listen(CAMPAIGNS, () => {
        this.#lookAtMs = 0;
        wake.now();
      });
      for (;;) {
        if (signal.aborted) throw new PredictError('Interrupted.', { kind: 'interrupted' });
        if (server.isLost) throw serverFault(new Error('its connection ended'));
        const next = await this.#next();
        if (next === null) await wake.within(idleMs, signal);
        else await this.#work(next);
      }
    } finally {
      stop();
      for (const queue of this.#queues.values()) await queue.close();
    }
  }

  /** The first campaign with cells that wait here and that this worker can measure. */
  async #next(): Promise<Next | null> {
    const { idleMs = IDLE_MS } = this.#options.times ?? {};
    this.#lookAtMs = performance.now() + idleMs;
    this.#seen = await this.#look();
    return this.#seen;
  }

  async #look(): Promise<Next | null> {
    const here = await this.#here();
    await this.#closeAllBut(here);
    for (const { order } of here) {
      await this.#giving.announceAgain(order);
      if (order.cancelled === true || (await isPaused(this.#server, order))) continue;
      if (await isLimited(this.#server, order)) continue;
      const queues = await this.#waitingQueues(order);
      if (queues.length > 0 && (this.#cannot.get(order.key)?.untilMs ?? 0) <= performance.now())
        return { order, queues };
    }
    return null;
  }

  /** The same, as far as is known without a look after each run. */
  async #nextSoon(): Promise<Next | null> {
    return performance.now() < this.#lookAtMs ? this.#seen : await this.#next();
  }

  async #here(): Promise<readonly QueuedCampaign[]> {
    return (await this.#server.campaigns()).filter(({ order }) => order.site === this.#options.site);
  }

  /** Those with cells that this worker can measure. Where cells are held, the queue is open too. */
  async #waitingQueues(order: Order): Promise<readonly CellQueue[]> {
    const fit = routesOf(order).filter((route) => misfitOf(this.#labels, order, route) === null);
    const found = fit.map(async (route) => {
      const name = cellsQueue(order, route);
      const { active = 0, ...counts } = await this.#server.queue(name).getJobCounts('wait', 'prioritized', 'active');
      const waiting = Object.values(counts).some((count) => count > 0);
      if (!waiting && active === 0) return [];
      const queue = await this.#queueOf(name, order);
      return waiting ? [queue] : [];
    });
    return (await Promise.all(found)).flat();
  }

  /** A worker that is gone loses its cells when hosts lose their throttle, or before. */
  async #queueOf(name: string, { leaseS }: Order): Promise<CellQueue> {
    const known = this.#queues.get(name);
    if (known !== undefined) return known;
    const { redis, times } = this.#options;
    const own = { lockMs: Math.min(LOCK_MS, 1000 * leaseS), ...times, token: this.#token, waits: false };
    const queue = await CellQueue.open(redis, name, own);
    this.#queues.set(name, queue);
    await queue.enqueue([], new Set());
    return queue;
  }

  /** What was opened for campaigns that are over. */
  async #closeAllBut(here: readonly QueuedCampaign[]): Promise<void> {
    const keys = [this.#doing, ...here.map(({ order }) => order.key)];
    for (const [name, queue] of this.#queues) {
      if (keys.some((key) => key !== null && name.includes(`-${key}-`))) continue;
      this.#queues.delete(name);
      await queue.close();
    }
  }

  /** Measures cells of a campaign as long as it is the first one. */
  async #work({ order }: Next): Promise<void> {
    const { inventory, signal, slots, open, programs, onEvent, onNote } = this.#options;
    const { key, sweep, leaseS, cellTimeoutS } = order;
    const out = this.#giving.folderOf(key);
    const planned = new Set<string>();
    const cellsOf = new FleetCells({
      planned,
      queues: async () => {
        // Before each run: what begins on one route counts for all of them.
        if (signal.aborted || (await isLimited(this.#server, order))) return [];
        const next = await this.#nextSoon();
        return next?.order.key === key && !isWider(next.order, order) ? next.queues : [];
      },
      isOutdated: async () => (await this.#here()).some(({ order: now }) => now.key === key && isWider(now, order)),
      handOver: (id) => this.#giving.handOver(order, id),
      worker: this.#id,
    });
    this.#doing = key;
    this.#cannot.delete(key);
    await this.#say();
    try {
      const workload = await permitWorkload(order, { allow: inventory.allow, graphs: this.#options.graphs });
      const cells = cellsOfOrder(order, workload).filter((cell) => {
        return misfitOf(this.#labels, order, routeOf(order, cell)) === null;
      });
      const byId = new Map(cells.map((cell) => [cell.id, cell]));
      const nameOf = (event: SweepEvent): string => {
        const cell = 'id' in event ? byId.get(event.id) : undefined;
        return cell === undefined ? '' : cellName(cell);
      };
      for (const id of byId.keys()) planned.add(id);
      await runSweep({
        ...{ sweep, workload, cells, inventory, out, signal, open, programs, cellsOf, slots: slots ?? undefined },
        ...{ leaseS: asSeconds(leaseS), cellTimeoutS: asSeconds(cellTimeoutS) },
        onEvent: (event) => {
          if (event.kind === 'cell-started') cellsOf.started(event.id, event.at);
          if (event.kind === 'cell-retried') cellsOf.failed(event.id, event.reason);
          onEvent(order, event, nameOf(event));
        },
      });
    } catch (error) {
      if (cellsOf.lost !== undefined) this.#server.drop();
      if (signal.aborted || this.#server.isLost) throw error;
      if (!(error instanceof PredictError)) throw error;
      const isFinal = error.kind === 'badInput' || error.kind === 'workload';
      const { againMs = AGAIN_MS } = this.#options.times ?? {};
      const untilMs = isFinal ? Number.POSITIVE_INFINITY : performance.now() + againMs;
      this.#cannot.set(key, { reason: messageOf(error), untilMs });
      onNote(`${order.name} is not measured here: ${messageOf(error)}`);
    } finally {
      this.#doing = null;
    }
    await this.#say();
  }

  async #say(): Promise<void> {
    const { inventory, site, slots } = this.#options;
    const cannot = [...this.#cannot].map(([key, { reason, untilMs }]) => {
      return [key, { reason, isFinal: untilMs === Number.POSITIVE_INFINITY }] as const;
    });
    const worker: Omit<FleetWorker, 'at'> = {
      ...{ site, controller: controllerName('worker'), slots },
      ...{ ...this.#labels, cluster: inventory.cluster, launcher: inventory.mpi.launcher },
      ...{ lineRateBps: inventory.lineRate, memoryPerNode: inventory.memoryPerNode ?? null },
      ...{ doing: this.#doing, cannot: Object.fromEntries(cannot) },
    };
    await this.#server.sayWorker(worker);
  }
}

/** Whether no run of a campaign may begin now. */
async function isLimited(server: FleetServer, order: Order): Promise<boolean> {
  return ((await readRate(server, order))?.waitMs ?? 0) > 0;
}

/** Whether repetitions were added to an order. */
function isWider({ repetitions: now = [] }: Order, { repetitions = [] }: Order): boolean {
  return now.length > repetitions.length;
}

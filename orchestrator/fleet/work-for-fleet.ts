import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Job } from 'bullmq';
import type { HostPrograms } from '../../agents/host-programs.ts';
import { messageOf, PredictError } from '../../base/errors.ts';
import { cacheFolder } from '../../base/paths.ts';
import { asSeconds } from '../../base/units.ts';
import { readCampaign } from '../../experiments/store/campaign.ts';
import type { SweepEvent } from '../../experiments/store/campaign-events.ts';
import { cellFolder, isCampaign } from '../../experiments/store/campaign-folders.ts';
import { readDoneCells } from '../../experiments/store/cells.ts';
import { type CampaignLock, lockCampaign } from '../../experiments/store/lock.ts';
import { folderId } from '../../experiments/store/whole.ts';
import type { Inventory } from '../../inventory/inventory-schema.ts';
import { controllerName } from '../hosts/controller-lock.ts';
import type { OpenExecutor } from '../hosts/executor.ts';
import { CellQueue, LOCK_MS, type QueueTimes } from '../queue/cell-queue.ts';
import { runSweep } from '../run-sweep.ts';
import { every } from '../waiting.ts';
import { permitWorkload } from './allowed-workload.ts';
import { FleetCells } from './fleet-cells.ts';
import {
  askSchema,
  asksQueue,
  CAMPAIGNS,
  cellsQueue,
  type FleetWorker,
  type Offer,
  type Order,
  type SiteCampaign,
} from './fleet-records.ts';
import { type FleetServer, type QueuedCampaign, serverFault, Wake, withFleet } from './fleet-server.ts';
import { offerOf } from './hand-over.ts';

export interface WorkerOptions {
  readonly redis: string;
  readonly inventory: Inventory;
  readonly site: string;
  readonly slots: number | null;
  readonly graphs: readonly string[];
  readonly signal: AbortSignal;
  readonly onNote: (text: string) => void;
  readonly onEvent: (order: Order, event: SweepEvent) => void;
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
  const { site, redis, signal, onNote } = options;
  const { home, id, lock } = await ownHome(options.home ?? cacheFolder('fleet'), site);
  try {
    const token = await folderId(home);
    await withFleet({ redis, signal, onNote }, (server) => new SiteWorker(options, { home, id, token, server }).run());
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

interface Cannot {
  readonly reason: string;
  /** When it is tried again; never where it is final. */
  readonly untilMs: number;
}

/** A worker as long as one server lasts. */
class SiteWorker {
  readonly #options: WorkerOptions;
  readonly #server: FleetServer;
  readonly #home: string;
  readonly #id: string;
  readonly #token: string;
  readonly #cannot = new Map<string, Cannot>();
  /** Of the campaigns at this site: a worker that died there is noticed by whoever has its queue open. */
  readonly #queues = new Map<string, CellQueue>();
  #doing: string | null = null;
  /** When it looks at the campaigns again. */
  #lookAtMs = 0;

  constructor(
    options: WorkerOptions,
    {
      home,
      id,
      token,
      server,
    }: { readonly home: string; readonly id: string; readonly token: string; readonly server: FleetServer },
  ) {
    this.#options = options;
    this.#home = home;
    this.#id = id;
    this.#token = token;
    this.#server = server;
  }

  async run(): Promise<void> {
    const { signal, times: { beatMs = BEAT_MS, idleMs = IDLE_MS } = {} } = this.#options;
    const wake = new Wake();
    const server = this.#server;
    await this.#say();
    const stop = every(beatMs, () => void this.#say().catch(wake.now));
    try {
      server.process(asksQueue(this.#id), (job) => this.#give(job));
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
        else await this.#work(next.order);
      }
    } finally {
      stop();
      for (const queue of this.#queues.values()) await queue.close();
    }
  }

  /** The first campaign with cells that wait here and that this worker can measure. */
  async #next(): Promise<QueuedCampaign | null> {
    const { site, times: { idleMs = IDLE_MS } = {} } = this.#options;
    this.#lookAtMs = performance.now() + idleMs;
    const here = (await this.#server.campaigns()).filter(({ order }) => order.site === site);
    await this.#closeQueues(new Set(here.map(({ order }) => order.key)));
    for (const campaign of here) {
      const { order } = campaign;
      await this.#announceAgain(order);
      const queue = this.#server.queue(cellsQueue(order));
      if (order.cancelled === true || (await queue.isPaused())) continue;
      await this.#queueOf(order);
      const waiting = await queue.getJobCountByTypes('wait', 'prioritized');
      if (waiting > 0 && (this.#cannot.get(order.key)?.untilMs ?? 0) <= Date.now()) return campaign;
    }
    return null;
  }

  /** Whether a campaign is the first one, as far as is known without a look after each run. */
  async #isFirst(key: string): Promise<boolean> {
    return performance.now() < this.#lookAtMs || (await this.#next())?.order.key === key;
  }

  /** Those of campaigns that are over. */
  async #closeQueues(here: ReadonlySet<string>): Promise<void> {
    for (const [key, queue] of this.#queues) {
      if (here.has(key) || key === this.#doing) continue;
      this.#queues.delete(key);
      await queue.close();
    }
  }

  /** A worker that is gone loses its cells when hosts lose their throttle, or before. */
  async #queueOf(order: Order): Promise<CellQueue> {
    const known = this.#queues.get(order.key);
    if (known !== undefined) return known;
    const { redis, times } = this.#options;
    const lockMs = Math.min(LOCK_MS, 1000 * order.leaseS);
    const queue = await CellQueue.open(redis, cellsQueue(order), {
      lockMs,
      ...times,
      token: this.#token,
      waits: false,
    });
    this.#queues.set(order.key, queue);
    await queue.enqueue([], new Set());
    return queue;
  }

  /** Measures cells of a campaign as long as it is the first one. */
  async #work(order: Order): Promise<void> {
    const { inventory, signal, slots, open, programs, onEvent, onNote } = this.#options;
    const { key, sweep, leaseS, cellTimeoutS } = order;
    const out = this.#folderOf(key);
    const cells = new FleetCells(await this.#queueOf(order), {
      mayGoOn: async () => !signal.aborted && (await this.#isFirst(key)),
      handOver: (id) => this.#handOver(order, id),
      worker: this.#id,
    });
    this.#doing = key;
    this.#cannot.delete(key);
    await this.#say();
    try {
      const workload = await permitWorkload(order, { allow: inventory.allow, graphs: this.#options.graphs });
      await runSweep({
        ...{ sweep, workload, inventory, out, signal, open, programs, cellsOf: cells, slots: slots ?? undefined },
        ...{ leaseS: asSeconds(leaseS), cellTimeoutS: asSeconds(cellTimeoutS) },
        onEvent: (event) => {
          if (event.kind === 'cell-started') cells.started(event.id, event.at);
          onEvent(order, event);
        },
      });
    } catch (error) {
      if (cells.lost !== undefined) this.#server.drop();
      if (signal.aborted || this.#server.isLost) throw error;
      if (!(error instanceof PredictError)) throw error;
      const isFinal = error.kind === 'badInput' || error.kind === 'workload';
      const { againMs = AGAIN_MS } = this.#options.times ?? {};
      const untilMs = isFinal ? Number.POSITIVE_INFINITY : Date.now() + againMs;
      this.#cannot.set(key, { reason: messageOf(error), untilMs });
      onNote(`${order.name} is not measured here: ${messageOf(error)}`);
    } finally {
      this.#doing = null;
    }
    await this.#say();
  }

  /** Puts a stored cell on the server. */
  async #handOver(place: SiteCampaign, id: string): Promise<void> {
    const out = this.#folderOf(place.key);
    const { offer, archive } = await offerOf(cellFolder(out, id), this.#id);
    const { handOver } = this.#server;
    await handOver.put(place.site, cellFolder(out, id), archive);
    await this.#announce(place, new Map([[id, offer]]));
  }

  async #announce(place: SiteCampaign, offers: ReadonlyMap<string, Offer>): Promise<void> {
    const { inventory } = await readCampaign(this.#folderOf(place.key));
    await this.#server.handOver.announce(place, offers, inventory);
  }

  /** Says what this worker has of a campaign of which the server knows nothing: it was started anew, or emptied. */
  async #announceAgain(order: Order): Promise<void> {
    const out = this.#folderOf(order.key);
    if (!isCampaign(out) || (await this.#server.handOver.hasOffers(order))) return;
    const offers = new Map<string, Offer>();
    for (const id of (await readDoneCells(out)).keys()) {
      offers.set(id, (await offerOf(cellFolder(out, id), this.#id)).offer);
    }
    if (offers.size > 0) await this.#announce(order, offers);
  }

  /** Puts a cell on the server that its owner asks for; says so where it is not there any more. */
  async #give(job: Job): Promise<void> {
    const ask = askSchema.safeParse(job.data).data;
    if (ask === undefined) return;
    const place = { key: ask.key, site: this.#options.site };
    const folder = cellFolder(this.#folderOf(ask.key), ask.cell);
    if (!existsSync(folder)) return await this.#server.handOver.withdraw(place, ask.cell);
    const { offer, archive } = await offerOf(folder, this.#id);
    await this.#server.handOver.put(place.site, folder, archive, { isAsked: true });
    await this.#announce(place, new Map([[ask.cell, offer]]));
  }

  async #say(): Promise<void> {
    const { inventory, site, slots } = this.#options;
    const cannot = [...this.#cannot].map(([key, { reason, untilMs }]) => {
      return [key, { reason, isFinal: untilMs === Number.POSITIVE_INFINITY }] as const;
    });
    const worker: FleetWorker = {
      ...{ id: this.#id, site, controller: controllerName('worker'), at: new Date().toISOString(), slots },
      ...{ hosts: inventory.hosts.length, ranksPerNode: inventory.ranksPerNode },
      ...{ doing: this.#doing, cannot: Object.fromEntries(cannot) },
    };
    await this.#server.sayWorker(worker);
  }

  #folderOf(key: string): string {
    return join(this.#home, key);
  }
}

import { basename, join } from 'node:path';
import { badInput, messageOf, PredictError } from '../../base/errors.ts';
import { joinWords } from '../../base/text.ts';
import type { Seconds } from '../../base/units.ts';
import type { Cell } from '../../experiments/records.ts';
import { type AskedFile, type Campaign, readCampaign } from '../../experiments/store/campaign.ts';
import { finishedNews, type SweepEvent, type SweepNews } from '../../experiments/store/campaign-events.ts';
import { isCampaign } from '../../experiments/store/campaign-folders.ts';
import { readDoneCells } from '../../experiments/store/cells.ts';
import { createOrOpenCampaign } from '../../experiments/store/create-campaign.ts';
import type { Sweep } from '../../experiments/sweep.ts';
import type { Workload } from '../../experiments/workloads/workload.ts';
import { settingOf } from '../../modeling/questions/steady.ts';
import { controllerName } from '../hosts/controller-lock.ts';
import { announcer, type VisitAims } from '../job.ts';
import type { Failure } from '../measure-cells.ts';
import { moreVisits } from '../more-visits.ts';
import { cellIdOf } from '../queue/cell-queue.ts';
import { outcome, type SweepResult } from '../run-sweep.ts';
import { cellsOfOrder, countRoutes, unservedText, withRepetitions } from './cell-routes.ts';
import { asksQueue, type FleetWorker, isAlive, type Offer, type Order, runSchema } from './fleet-records.ts';
import { type FleetServer, Wake } from './fleet-server.ts';
import { Expired, receiveCell } from './hand-over.ts';
import { ranksPerNodeOf } from './plan-sites.ts';
import { dropJobs, enqueueCells, jobStates } from './queue-cells.ts';

export interface FollowOptions {
  readonly redis: string;
  readonly sites: readonly string[];
  /** The folder that has a campaign for each site. */
  readonly out: string;
  readonly sweep: Sweep;
  readonly workload: Workload;
  readonly file?: AskedFile | undefined;
  /** When it has measured enough; default: the planned cells are all. */
  readonly aims?: VisitAims | undefined;
  readonly leaseS: Seconds;
  readonly cellTimeoutS: Seconds;
  readonly priority?: number | undefined;
  readonly signal: AbortSignal;
  readonly onNote: (text: string) => void;
  readonly onPlan: (site: string, cells: readonly Cell[]) => void;
  readonly onEvent: (site: string, event: SweepEvent) => void;
  readonly times?: { readonly roundMs?: number; readonly ttlS?: number };
}

export interface SiteResult extends Omit<SweepResult, 'campaign'> {
  readonly site: string;
  readonly campaign: Campaign | null;
}

/** Between two comparisons of all cells with the server. */
const ROUND_MS = 10_000;
/** So often is a cell asked for again whose archive was damaged. */
const MOST_DAMAGED = 3;

/** The campaign of one site, over all servers that come and go. */
export class FollowedSite {
  readonly #options: FollowOptions;
  #order: Order;
  readonly #dir: string;
  readonly #tell: (news: SweepNews) => void;
  readonly #damaged = new Map<string, number>();
  readonly #givenUp = new Map<string, string>();
  /** Cells that are neither stored nor given up, once they are planned. */
  readonly #left = new Map<string, Cell>();
  readonly #started = new Map<string, string>();
  #cells: readonly Cell[] | null = null;
  /** Of the site, as they were at the last comparison. */
  #workers: readonly FleetWorker[] = [];
  /** Jobs that failed or were cancelled before this command are queued again. */
  #isFirst = true;
  readonly #began = performance.now();
  #hasSaidWaiting = false;
  /** What was last said that no worker can measure. */
  #unserved: string | null = null;

  constructor(options: FollowOptions, { key, site }: { readonly key: string; readonly site: string }) {
    const { out, sweep, workload, leaseS, cellTimeoutS, onEvent } = options;
    this.#options = options;
    this.#dir = join(out, site);
    this.#order = {
      ...{ schema: 1, key, site, name: basename(out), owner: controllerName('sweep --on').slice(0, 400) },
      ...{ createdAt: new Date().toISOString(), sweep, workload: workload.definition, ranksPerNode: 1 },
      ...{ leaseS, cellTimeoutS },
    };
    this.#tell = announcer(this.#dir, (event) => onEvent(site, event));
  }

  async result(): Promise<SiteResult> {
    const cells = this.#cells ?? [];
    const out = this.#dir;
    const unmeasured: Failure[] = [...this.#givenUp].map(([id, reason]) => ({ id, reason, folder: out }));
    const { site } = this.#order;
    if (!isCampaign(out)) {
      return { site, campaign: null, out, planned: cells.length, done: 0, failed: [], unmeasured };
    }
    return { site, ...(await outcome({ out, cells }, { campaign: await readCampaign(out), unmeasured })) };
  }

  /** Says that nobody follows it any more, and why where cells are missing. */
  end(error?: unknown): void {
    const [reason = null] = this.#givenUp.values();
    if (this.#cells !== null && this.#left.size === 0) {
      this.#tell({ kind: 'sweep-ended', how: reason === null ? 'complete' : 'incomplete', reason });
    } else {
      const isStopped = error instanceof PredictError && ['interrupted', 'unfinished'].includes(error.kind);
      this.#tell({ kind: 'sweep-ended', how: isStopped ? 'interrupted' : 'failed', reason: messageOf(error) });
    }
  }

  /** Until all cells are stored or given up. A cell whose job is completed is looked for at once, all of them from time to time. */
  async follow(server: FleetServer, signal: AbortSignal): Promise<void> {
    const wake = new Wake();
    const completed = new Set<string>();
    let roundAtMs = 0;
    for (const { name } of server.cellQueues(this.#order)) {
      server.listen(name, (kind, { jobId, data }) => {
        if (kind === 'progress') return this.#notice(cellIdOf(jobId), data);
        if (kind === 'completed') completed.add(cellIdOf(jobId));
        if (kind === 'failed') roundAtMs = 0;
        wake.now();
      });
    }
    for (; ; await wake.within(roundAtMs - performance.now(), signal)) {
      if (signal.aborted) throw new PredictError('Interrupted: the queue goes on.', { kind: 'interrupted' });
      const named = [...completed].flatMap((id) => this.#left.get(id) ?? []);
      completed.clear();
      if (performance.now() < roundAtMs) await this.#receiveOffered(server, named);
      else {
        roundAtMs = performance.now() + (this.#options.times?.roundMs ?? ROUND_MS);
        this.#workers = (await server.workers()).filter(({ site }) => site === this.#order.site);
        this.#cells ??= await this.#planned();
        if (this.#cells !== null) await this.#round(server, this.#cells);
      }
      if (this.#cells === null || this.#left.size > 0) continue;
      if (!(await this.#repeats(this.#cells))) return;
      roundAtMs = 0;
    }
  }

  /** A run that began at the site. */
  #notice(id: string, data: unknown): void {
    const run = runSchema.safeParse(data).data;
    if (run === undefined || this.#started.get(id) === run.startedAt || !this.#left.has(id)) return;
    this.#started.set(id, run.startedAt);
    const { attempt, reason } = run;
    if (reason !== null && attempt > 1) this.#tell({ kind: 'cell-retried', id, attempt: attempt - 1, reason });
    this.#tell({ kind: 'cell-started', id, attempt });
  }

  /** The cells of this site, once a worker has said what it has; null until then. */
  async #planned(): Promise<readonly Cell[] | null> {
    const { workload, onNote, onPlan } = this.#options;
    const { site } = this.#order;
    const ranksPerNode = await ranksPerNodeOf(this.#dir, this.#workers);
    if (ranksPerNode === null) {
      if (!this.#hasSaidWaiting) onNote(`${site}: no worker has come yet; start one with predict worker.`);
      this.#hasSaidWaiting = true;
      return null;
    }
    this.#order = { ...this.#order, ranksPerNode };
    const cells = cellsOfOrder(this.#order, workload);
    onPlan(site, cells);
    await this.#begin(cells);
    return cells;
  }

  /** Says which of some cells are stored already; the others are left. */
  async #begin(cells: readonly Cell[]): Promise<void> {
    const states = isCampaign(this.#dir) ? await readDoneCells(this.#dir) : new Map<string, unknown>();
    const planned = cells.map(({ id }) => id);
    for (const cell of cells) if (!states.has(cell.id)) this.#left.set(cell.id, cell);
    this.#tell({ kind: 'sweep-begun', planned, done: planned.filter((id) => states.has(id)) });
  }

  /** Says what no worker can measure, once. */
  #sayUnserved(): void {
    const counted = countRoutes(this.#order, [...this.#left.values()]);
    const text = unservedText(this.#order, counted, this.#workers.filter(isAlive));
    if (text !== null && text !== this.#unserved) this.#tell({ kind: 'note', text });
    this.#unserved = text;
  }

  /** Compares the store with the server once. */
  async #round(server: FleetServer, cells: readonly Cell[]): Promise<void> {
    if (this.#left.size === 0) return;
    this.#refuseWhereNobodyMay();
    this.#sayUnserved();
    const jobs = await jobStates(server, this.#order, { again: this.#isFirst });
    this.#isFirst = false;
    // After the jobs: a cell is offered before its job is completed.
    const left = [...this.#left.values()];
    const offers = await this.#receiveOffered(server, left);
    const missing: Cell[] = [];
    for (const cell of left.filter(({ id }) => !offers.has(id))) {
      const failed = jobs.failed.get(cell.id);
      if (failed !== undefined) this.#giveUp(cell.id, failed);
      else if (!jobs.waiting.has(cell.id)) missing.push(cell);
    }
    // The work of a cell that is completed, and that nobody has any more, begins anew.
    await dropJobs(server, this.#order, missing);
    await enqueueCells(server, this.#order, { cells: missing, plan: cells, priority: this.#options.priority });
  }

  /** Stores what workers offer of some cells. */
  async #receiveOffered(server: FleetServer, cells: readonly Cell[]): Promise<ReadonlyMap<string, Offer>> {
    const ids = cells.map(({ id }) => id);
    const offers = await server.handOver.offers(this.#order, ids);
    for (const cell of cells) {
      const offer = offers.get(cell.id);
      if (offer !== undefined) await this.#receive(server, cell, offer);
    }
    return offers;
  }

  /** Adds the repetitions that are to be measured beside the plan; false where there is none. What could not be measured once is not repeated. */
  async #repeats(cells: readonly Cell[]): Promise<boolean> {
    const { sweep, workload, aims } = this.#options;
    if (aims === undefined || this.#givenUp.size > 0) return false;
    const out = this.#dir;
    const own = cells.filter(({ role }) => role !== 'profile');
    const repeated = this.#order.repetitions?.length ?? 0;
    const elapsedS = (performance.now() - this.#began) / 1000;
    const planned = own.length - repeated;
    const { cells: more, why } = await moreVisits({ sweep, workload, out, aims, cells: own, planned, elapsedS });
    if (more.length === 0) {
      if (why !== '') this.#tell({ kind: 'note', text: why });
      return false;
    }
    const first = new Map(own.map((cell) => [settingOf(cell), cell.id] as const).reverse());
    const repetitions = more.map((cell) => ({ of: first.get(settingOf(cell)) ?? cell.id, rep: cell.rep }));
    this.#order = withRepetitions(this.#order, repetitions);
    this.#cells = cellsOfOrder(this.#order, workload);
    const { name, createdAt, inventory } = await readCampaign(out);
    const added = { name, createdAt, sweep, workload: workload.definition, inventory, cells: [...more] };
    await createOrOpenCampaign(out, added);
    this.#tell({ kind: 'visits-added', cells: [...more], why });
    await this.#begin(more);
    return true;
  }

  #refuseWhereNobodyMay(): void {
    const alive = this.#workers.filter(isAlive);
    const refusals = alive.flatMap(({ cannot }) => cannot[this.#order.key] ?? []);
    if (alive.length === 0 || refusals.length < alive.length || refusals.some(({ isFinal }) => !isFinal)) return;
    throw badInput(`${this.#order.site}: ${joinWords([...new Set(refusals.map(({ reason }) => reason))])}`);
  }

  async #receive(server: FleetServer, cell: Cell, offer: Offer): Promise<void> {
    const { handOver } = server;
    const { site } = this.#order;
    try {
      await this.#openCampaign(server);
      const record = await receiveCell(this.#dir, cell, { offer, pieces: handOver.pieces(offer) });
      this.#left.delete(cell.id);
      this.#tell(finishedNews(record));
      await handOver.acknowledge(site, offer);
      await dropJobs(server, this.#order, [cell], { isStored: true });
    } catch (error) {
      if (error instanceof Expired) return await this.#ask(server, cell, offer);
      if (!(error instanceof PredictError && error.kind === 'badInput')) throw error;
      const times = (this.#damaged.get(cell.id) ?? 0) + 1;
      this.#damaged.set(cell.id, times);
      this.#tell({ kind: 'note', text: `${site}: ${messageOf(error)} Worker ${offer.worker} is asked again.` });
      await handOver.acknowledge(site, offer);
      if (times === MOST_DAMAGED) this.#giveUp(cell.id, messageOf(error));
    }
  }

  /** Begins the campaign's folder as the worker's inventory has it. */
  async #openCampaign(server: FleetServer): Promise<void> {
    if (isCampaign(this.#dir)) return;
    const { sweep, workload, file } = this.#options;
    const inventory = await server.handOver.summary(this.#order);
    if (inventory === null) throw new Expired();
    const { site: name, createdAt } = this.#order;
    const cells = [...(this.#cells ?? [])];
    const wanted = { name, createdAt, sweep, file, workload: workload.definition, inventory, cells };
    await createOrOpenCampaign(this.#dir, wanted);
  }

  /** A worker that is gone offers nothing: its cells are queued again, and if it returns it still has them. */
  async #ask(server: FleetServer, cell: Cell, offer: Offer): Promise<void> {
    if (!this.#workers.some((worker) => worker.id === offer.worker && isAlive(worker))) {
      return await server.handOver.withdraw(this.#order, cell.id);
    }
    const { key } = this.#order;
    const ask = { key, cell: cell.id };
    const opts = { jobId: `${key}-${cell.id}`, removeOnComplete: true, removeOnFail: true };
    await server.queue(asksQueue(offer.worker)).add('ask', ask, opts);
  }

  #giveUp(id: string, reason: string): void {
    this.#givenUp.set(id, reason);
    this.#left.delete(id);
    this.#tell({ kind: 'cell-given-up', id, reason });
  }
}

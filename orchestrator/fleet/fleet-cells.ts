import { messageOf, PredictError } from '../../base/errors.ts';
import { at } from '../../base/lists.ts';
import type { CellQueue, HeldCell } from '../queue/cell-queue.ts';
import type { Outcome, Queue } from '../queue/queue.ts';
import { type FleetRun, MOST_REASON, runSchema } from './fleet-records.ts';
import { serverFault } from './fleet-server.ts';

interface FleetCellsOptions {
  /** Where cells of this campaign wait for this worker; none once another one has its turn. */
  readonly queues: () => Promise<readonly CellQueue[]>;
  /** Ids of the cells that are planned here. */
  readonly planned: { has(id: string): boolean };
  /** Whether the owner has planned more since. */
  readonly isOutdated: () => Promise<boolean>;
  /** Gives a stored cell to its owner. Errors: `badInput` where that cannot be, others where the server is at fault. */
  readonly handOver: (id: string) => Promise<void>;
  readonly worker: string;
}

interface Held {
  readonly claim: HeldCell;
  readonly queue: CellQueue;
  /** Why its last try here failed. */
  fault?: string;
}

/** The cells of a campaign that come from a fleet's server, each handed over before it counts as done. Who opened its queues closes them. */
export class FleetCells implements Queue {
  readonly #options: FleetCellsOptions;
  readonly #held = new Map<string, Held>();
  #used: readonly CellQueue[] = [];
  #fault: PredictError | undefined;

  constructor(options: FleetCellsOptions) {
    this.#options = options;
  }

  get lost(): PredictError | undefined {
    return this.#fault ?? this.#used.find(({ lost }) => lost !== undefined)?.lost;
  }

  /** The owner of the campaign queued its cells. */
  async enqueue(): Promise<void> {}

  /** The first by its place in the plan, of all that wait. */
  async claim(): Promise<HeldCell | null> {
    const queues = await this.#options.queues().catch((error: unknown) => this.#lose(error));
    this.#used = [...new Set([...this.#used, ...queues])];
    const places = queues.length < 2 ? [] : await Promise.all(queues.map((queue) => queue.nextPlace()));
    const placeOf = (index: number): number => places[index] ?? Number.POSITIVE_INFINITY;
    const order = [...queues.keys()].sort((a, b) => (placeOf(a) === placeOf(b) ? 0 : placeOf(a) - placeOf(b)));
    for (const index of order) {
      const queue = at(queues, index);
      const claim = await queue.claim();
      if (claim === null) continue;
      // Planned since: the campaign begins anew here with what was added.
      if (!this.#options.planned.has(claim.id) && (await this.#options.isOutdated())) {
        await queue.settle(claim, { kind: 'untried' });
        return null;
      }
      this.#held.set(claim.id, { claim, queue });
      return claim;
    }
    return null;
  }

  /** Says on its job that a claimed cell is measured here now; that may be lost. */
  started(id: string, startedAt: string): void {
    const held = this.#held.get(id);
    if (held === undefined) return;
    const { job } = held.claim;
    const before = runSchema.safeParse(job.progress).data;
    const gone = before && (job.stalledCounter > 0 ? 'no longer responds' : 'gave it back');
    const reason = held.fault ?? (before === undefined ? null : `worker ${before.worker} ${gone}`);
    const { worker } = this.#options;
    const progress: FleetRun = { worker, startedAt, attempt: (before?.attempt ?? 0) + 1, reason };
    job.updateProgress(progress).catch(() => undefined);
  }

  /** Why a try of a claimed cell here was none. */
  failed(id: string, reason: string): void {
    const held = this.#held.get(id);
    if (held !== undefined) held.fault = reason.slice(0, MOST_REASON);
  }

  async settle(claim: HeldCell, outcome: Outcome): Promise<void> {
    const queue = this.#held.get(claim.id)?.queue;
    this.#held.delete(claim.id);
    await queue?.settle(claim, outcome.kind === 'done' ? await this.#handedOver(claim) : outcome);
  }

  async close(): Promise<void> {}

  async #handedOver({ id }: HeldCell): Promise<Outcome> {
    try {
      await this.#options.handOver(id);
      return { kind: 'done' };
    } catch (error) {
      if (isMissing(error)) return { kind: 'hopeless', reason: 'The site plans no such cell: its inventory differs.' };
      if (error instanceof PredictError) return { kind: 'hopeless', reason: messageOf(error) };
      return this.#lose(error);
    }
  }

  #lose(error: unknown): never {
    this.#fault ??= serverFault(error);
    throw this.#fault;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

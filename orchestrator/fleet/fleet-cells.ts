import { messageOf, PredictError } from '../../base/errors.ts';
import type { CellQueue, HeldCell } from '../queue/cell-queue.ts';
import type { Outcome, Queue } from '../queue/queue.ts';
import { serverFault } from './fleet-server.ts';

interface FleetCellsOptions {
  /** Whether another cell of this campaign is to begin. */
  readonly mayGoOn: () => Promise<boolean>;
  /** Gives a stored cell to its owner. Errors: `badInput` where that cannot be, others where the server is at fault. */
  readonly handOver: (id: string) => Promise<void>;
  readonly worker: string;
}

/** The cells of a campaign that come from a fleet's server, each handed over before it counts as done. Who opened `cells` closes it. */
export class FleetCells implements Queue {
  readonly #cells: CellQueue;
  readonly #options: FleetCellsOptions;
  readonly #held = new Map<string, HeldCell>();
  #fault: PredictError | undefined;

  constructor(cells: CellQueue, options: FleetCellsOptions) {
    this.#cells = cells;
    this.#options = options;
  }

  get lost(): PredictError | undefined {
    return this.#fault ?? this.#cells.lost;
  }

  /** The owner of the campaign queued its cells. */
  async enqueue(): Promise<void> {}

  async claim(): Promise<HeldCell | null> {
    const mayGoOn = await this.#options.mayGoOn().catch((error: unknown) => this.#lose(error));
    const claim = mayGoOn ? await this.#cells.claim() : null;
    if (claim !== null) this.#held.set(claim.id, claim);
    return claim;
  }

  /** Says on its job that a claimed cell is measured here now; that may be lost. */
  started(id: string, startedAt: string): void {
    const progress = { worker: this.#options.worker, startedAt };
    this.#held
      .get(id)
      ?.job.updateProgress(progress)
      .catch(() => undefined);
  }

  async settle(claim: HeldCell, outcome: Outcome): Promise<void> {
    this.#held.delete(claim.id);
    await this.#cells.settle(claim, outcome.kind === 'done' ? await this.#handedOver(claim) : outcome);
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

import { setTimeout as delay } from 'node:timers/promises';
import { infrastructure, messageOf, PredictError } from '../../base/errors.ts';
import { findProgram } from '../../base/paths.ts';
import { likeness } from '../../base/text.ts';
import type { Cell } from '../../experiments/records.ts';
import { HostLost } from '../hosts/lost-hosts.ts';
import { unlessAborted, within } from '../waiting.ts';
import type { QueueTimes } from './cell-queue.ts';
import { type Claim, LocalQueue, type Queue, Unmendable } from './queue.ts';

/** Tries per cell, one after the other; waits of 1 s, 2 s, ... between them. */
export const ATTEMPTS = 3;
const BACKOFF_MS = 1_000;
/** A cluster that fails so many cells running, two of them in the same way, will fail the others too. */
const MOST_IN_A_ROW = 3;

export interface QueueOptions {
  /** A server to use, as `CellQueue.open` takes it; a private one otherwise. */
  readonly redis: string | undefined;
  /** Names the queue: the same sweep finds again what its killed controller left on a server. */
  readonly name: string;
  /** The cells of the sweep, in the order of their turns. */
  readonly plan: readonly Cell[];
  /** Those of them that were measured before. */
  readonly done: { has(id: string): boolean };
  readonly signal: AbortSignal;
  /** Whether the store has the cell: a queue that is gone on with, or started anew, also holds cells that were measured since. */
  readonly isDone: (cell: Cell) => Promise<boolean>;
  /**
   * Runs one cell. An error of kind `infrastructure` is tried again, a `HostLost` gives the cell up at once or, for the head,
   * ends the sweep like everything else.
   */
  readonly run: (cell: Cell, attempt: number) => Promise<void>;
  readonly onRetry: (cell: Cell, attempt: number, reason: string) => void;
  readonly onGivenUp: (cell: Cell, reason: string) => void;
  /** A job that names no cell of the plan was dropped. */
  readonly onUnknown: (id: string) => void;
  /** Something that people should know and that cost no measurement. */
  readonly onNote: (text: string) => void;
  readonly times?: QueueTimes & {
    /** For the running cell to end after an interrupt. */
    readonly abortMs?: number;
    /** Before a second try; twice as long before the third. */
    readonly backoffMs?: number;
  };
}

export interface QueueOutcome {
  /** Cells that no try could measure, with the last reason. */
  readonly unmeasured: readonly { readonly cell: Cell; readonly reason: string }[];
}

/** A private server that ends so often will end again. */
const MOST_STARTS = 3;
/** For giving a cell back to the queue at the sweep's end. */
const GIVE_BACK_MS = 1_000;
/** For the cell that runs to end after an interrupt. */
const ABORT_MS = 20_000;
/** For a cell that was not waited for any more to end before its queue goes. */
const LAST_MS = 8_000;

/**
 * Measures the cells one at a time in the order of the plan. An infrastructure fault is tried again with backoff before the next
 * cell has its turn; an interrupt waits a while for the cell that is running. The store is the truth, the queue only shares
 * the work: a private server that dies is started anew, the loss of another one is an `infrastructure` error. Both once the
 * running cell has ended. Close it when its hosts are free.
 */
export class CellWork {
  readonly #options: QueueOptions;
  readonly #unmeasured = new Map<string, QueueOutcome['unmeasured'][number]>();
  /** Settles with the cell that was started last. */
  #running: Promise<unknown> = Promise.resolve();
  /** What is open, the last first. */
  #open: (() => Promise<void>)[] = [];

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  /** Until no cell is left. */
  async run(): Promise<QueueOutcome> {
    const { redis, name, plan, done, onNote } = this.#options;
    const settled = { has: (id: string) => done.has(id) || this.#unmeasured.has(id) };
    for (let starts = 1; ; starts += 1) {
      const queue = await this.#queue(redis, name, starts === 1);
      try {
        await queue.enqueue(plan, settled);
        await workOff(queue, { ...this.#options, run: (cell, attempt) => this.#run(cell, attempt) }, this.#unmeasured);
        return { unmeasured: [...this.#unmeasured.values()] };
      } catch (error) {
        if (error !== queue.lost) throw error;
        if (redis !== undefined || starts === MOST_STARTS) {
          throw infrastructure(
            `${queue.lost?.message} The sweep stops and keeps its measurements: rerun the same command to resume.`,
            { cause: error },
          );
        }
        await this.close();
        onNote(`${queue.lost?.message} Starting another one.`);
      }
    }
  }

  /** Waits a little for a cell that still runs, ends the queue and a server of its own, all in bounded time. */
  async close(): Promise<void> {
    await within(LAST_MS, this.#running, () => undefined);
    const open = this.#open;
    this.#open = [];
    for (const close of open) await close();
  }

  #run(cell: Cell, attempt: number): Promise<void> {
    const run = this.#options.run(cell, attempt);
    this.#running = run.catch(() => undefined);
    return run;
  }

  /** On the server that was asked for, on one of its own where this machine has one, else in this process. */
  async #queue(redis: string | undefined, name: string, isFirst: boolean): Promise<Queue> {
    const { times, onNote } = this.#options;
    let server = redis;
    if (server === undefined) {
      const missing = ['redis-server', 'setpriv'].find((program) => findProgram(program) === undefined);
      if (missing !== undefined) {
        if (isFirst) onNote(`there is no ${missing} here, so this process keeps the queue of cells itself.`);
        return new LocalQueue();
      }
      const { startPrivateRedis } = await import('./redis.ts');
      const own = await startPrivateRedis();
      this.#open.unshift(() => own.stop());
      server = own.socket;
    }
    const { CellQueue } = await import('./cell-queue.ts');
    const queue = await CellQueue.open(server, name, times);
    this.#open.unshift(() => queue.close());
    return queue;
  }
}

async function workOff(
  queue: Queue,
  options: QueueOptions,
  unmeasured: Map<string, QueueOutcome['unmeasured'][number]>,
): Promise<void> {
  const { plan, signal, onGivenUp } = options;
  const planned = new Map(plan.map((cell) => [cell.id, cell]));
  /** Why the cells since the last one that was measured were given up. */
  let inARow: string[] = [];
  for (let claim = await next(queue, signal); claim; claim = await next(queue, signal)) {
    const cell = planned.get(claim.id);
    if (!cell) {
      options.onUnknown(claim.id);
      await queue.settle(claim, { kind: 'done' });
      continue;
    }
    const fault = await measure(queue, { claim, cell, options });
    if (fault === null) {
      inARow = [];
      continue;
    }
    const reason = messageOf(fault);
    await queue.settle(claim, { kind: 'hopeless', reason });
    onGivenUp(cell, reason);
    unmeasured.set(cell.id, { cell, reason });
    // A host that is out of reach says nothing about cells on other hosts.
    if (fault instanceof HostLost) continue;
    const kind = likeness(reason);
    if (inARow.includes(kind)) break;
    inARow.push(kind);
    if (inARow.length >= MOST_IN_A_ROW) break;
  }
}

/** Tries a claimed cell and settles it; the fault of its last try is returned for the caller to settle. */
async function measure(
  queue: Queue,
  { claim, cell, options }: { readonly claim: Claim; readonly cell: Cell; readonly options: QueueOptions },
): Promise<PredictError | null> {
  const { signal, isDone, run, onRetry, times: { abortMs = ABORT_MS, backoffMs = BACKOFF_MS } = {} } = options;
  try {
    for (let attempt = 1; ; attempt += 1) {
      try {
        if (!(await isDone(cell))) await unlessAborted(run(cell, attempt), signal, abortMs);
        break;
      } catch (error) {
        const ends = signal.aborted || error instanceof Unmendable || (error instanceof HostLost && error.isHead);
        if (ends || !(error instanceof PredictError && error.kind === 'infrastructure')) throw error;
        // What was measured in vain on a queue that is gone is not tried again there.
        if (queue.lost !== undefined) throw queue.lost;
        if (attempt === ATTEMPTS || error instanceof HostLost) return error;
        onRetry(cell, attempt, messageOf(error));
        await delay(backoffMs * 2 ** (attempt - 1), undefined, { signal });
      }
    }
  } catch (error) {
    // What ended the sweep, and links that wait to be restored, matter more than a server that is gone too.
    const settled = queue.settle(claim, { kind: 'untried' }).catch(() => undefined);
    await within<unknown>(GIVE_BACK_MS, settled, () => undefined);
    throw signal.aborted ? interrupted() : error;
  }
  await queue.settle(claim, { kind: 'done' });
  return null;
}

/** The next claim, or the interrupt if that comes first. */
async function next(queue: Queue, signal: AbortSignal): Promise<Claim | null> {
  if (signal.aborted) throw interrupted();
  return unlessAborted(queue.claim(), signal);
}

function interrupted(): PredictError {
  return new PredictError('Interrupted.', { kind: 'interrupted' });
}

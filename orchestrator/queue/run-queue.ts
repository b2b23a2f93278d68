import { infrastructure } from '../../base/errors.ts';
import { findProgram } from '../../base/paths.ts';
import type { Cell } from '../../experiments/records.ts';
import { within } from '../waiting.ts';
import type { QueueTimes } from './cell-queue.ts';
import { LocalQueue, type MeasuringPlace, type Queue } from './queue.ts';
import { type Unmeasured, type WorkOptions, workOff } from './work-off.ts';

export interface QueueOptions<P extends MeasuringPlace = MeasuringPlace> extends WorkOptions<P> {
  /** A server to use, as `CellQueue.open` takes it; a private one otherwise. */
  readonly redis: string | undefined;
  /** Where the cells come from instead; who gives it closes what it needs. */
  readonly cells?: Queue | undefined;
  /** Names the queue: the same sweep finds again what its killed controller left on a server. */
  readonly name: string;
  /** Those of the plan that were measured before. */
  readonly done: { has(id: string): boolean };
  /** Something that people should know and that cost no measurement. */
  readonly onNote: (text: string) => void;
  readonly times?: QueueTimes & NonNullable<WorkOptions<P>['times']>;
}

export interface QueueOutcome {
  /** Cells that no try could measure, with the last reason. */
  readonly unmeasured: readonly Unmeasured[];
}

/** A private server that ends so often will end again. */
const MOST_STARTS = 3;
/** For cells that were not waited for any more to end before their queue goes. */
const LAST_MS = 8_000;

/**
 * Measures the cells in the order of the plan, as many at a time as there are places. An infrastructure fault is tried again with backoff
 * before the next cell has its turn there; an interrupt waits a while for the cells that are running. The store is the truth, the queue only
 * shares the work: a private server that dies is started anew, the loss of another one is an `infrastructure` error. Both once the
 * running cells have ended. Close it when its hosts are free.
 */
export class CellWork<P extends MeasuringPlace> {
  readonly #options: QueueOptions<P>;
  readonly #unmeasured = new Map<string, Unmeasured>();
  readonly #running = new Set<Promise<unknown>>();
  /** What is open, the last first. */
  #open: (() => Promise<void>)[] = [];

  constructor(options: QueueOptions<P>) {
    this.#options = options;
  }

  /** Until no cell is left. */
  async run(): Promise<QueueOutcome> {
    const { redis, name, plan, done, onNote } = this.#options;
    const settled = { has: (id: string) => done.has(id) || this.#unmeasured.has(id) };
    for (let starts = 1; ; starts += 1) {
      const queue = await this.#queue(redis, name);
      try {
        await queue.enqueue(plan, settled);
        await workOff(queue, { ...this.#options, run: (...asked) => this.#run(...asked) }, this.#unmeasured);
        return { unmeasured: [...this.#unmeasured.values()] };
      } catch (error) {
        if (error !== queue.lost) throw error;
        if (redis !== undefined || this.#options.cells !== undefined || starts === MOST_STARTS) {
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

  /** Waits a little for cells that still run, ends the queue and a server of its own, all in bounded time. */
  async close(): Promise<void> {
    await within<unknown>(LAST_MS, Promise.all(this.#running), () => undefined);
    const open = this.#open;
    this.#open = [];
    for (const close of open) await close();
  }

  #run(cell: Cell, attempt: number, place: P): Promise<void> {
    const run = this.#options.run(cell, attempt, place);
    const ended: Promise<unknown> = run.catch(() => undefined).then(() => this.#running.delete(ended));
    this.#running.add(ended);
    return run;
  }

  /** On the server that was asked for, on one of its own where this machine has one, else in this process. */
  async #queue(redis: string | undefined, name: string): Promise<Queue> {
    if (this.#options.cells !== undefined) return this.#options.cells;
    let server = redis;
    if (server === undefined) {
      if (['redis-server', 'setpriv'].some((program) => findProgram(program) === undefined)) return new LocalQueue();
      const { startPrivateRedis } = await import('./redis.ts');
      const own = await startPrivateRedis();
      this.#open.unshift(() => own.stop());
      server = own.socket;
    }
    const { CellQueue } = await import('./cell-queue.ts');
    const queue = await CellQueue.open(server, name, this.#options.times);
    this.#open.unshift(() => queue.close());
    return queue;
  }
}

import { randomUUID } from 'node:crypto';
import { ErrorCode, type Job, Queue, Worker } from 'bullmq';
import { assertNever, messageOf, PredictError } from '../../base/index.ts';
import type { Cell } from '../../experiments/index.ts';
import { every } from '../every.ts';
import { reachRedis } from './reach-redis.ts';

/** Tries per cell; waits of 1 s, 2 s, ... between them. */
const ATTEMPTS = 3;
const BACKOFF_MS = 1_000;
/** A claim that its controller has not extended for so long returns to the queue. */
const LOCK_MS = 60_000;
/** The largest number that BullMQ takes as a place in the order. */
const LAST_PLACE = 2 ** 21;
/** BullMQ takes no id that reads as a number, and 16 hex digits may be one. */
const PREFIX = 'cell-';

/** A cell that is this controller's to measure until it is settled. */
export interface Claim {
  readonly id: string;
  /** Which try of the cell this is, from 1. */
  readonly attempt: number;
  readonly job: Job;
  readonly token: string;
}

/** What became of a claim; `untried` gives the cell back as it was. */
export type Outcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'fault'; readonly reason: string }
  | { readonly kind: 'untried' };

/**
 * The cells of one sweep that wait to be measured, on a Redis that other controllers may use too: nothing is ever taken out
 * but what was claimed. Jobs carry nothing but the cell's id; what is done is for the store to say.
 */
export class CellQueue {
  readonly #queue: Queue;
  readonly #worker: Worker;
  readonly #disconnect: () => void;
  /** Ends the extending of each claim. */
  readonly #held = new Map<string, () => void>();

  /** `server`: a unix socket's path, a redis:// URL or HOST:PORT; controllers that give the same name share the cells. */
  static async open(server: string, name: string): Promise<CellQueue> {
    return new CellQueue(name, await reachRedis(server));
  }

  private constructor(name: string, connection: Awaited<ReturnType<typeof reachRedis>>) {
    this.#disconnect = () => connection.disconnect();
    this.#queue = new Queue(name, { connection });
    // Without a processor: jobs are claimed and settled by hand. A stalled cell may always be claimed again.
    this.#worker = new Worker(name, null, { connection, lockDuration: LOCK_MS, maxStalledCount: 1_000_000 });
    // The command that fails says it too, by its own rejection.
    this.#queue.on('error', () => undefined);
    this.#worker.on('error', () => undefined);
  }

  /** Adds the cells of a plan that are neither done nor queued yet; turns come in the plan's order, also second ones. */
  async enqueue(plan: readonly Cell[], done: { has(id: string): boolean }): Promise<void> {
    const job = (id: string, place: number) => ({
      name: 'cell',
      data: null,
      opts: {
        jobId: `${PREFIX}${id}`,
        priority: Math.min(place, LAST_PLACE),
        attempts: ATTEMPTS,
        backoff: { type: 'exponential', delay: BACKOFF_MS },
        removeOnComplete: true,
        removeOnFail: true,
      },
    });
    const missing = plan.flatMap(({ id }, index) => (done.has(id) ? [] : [job(id, index + 1)]));
    await answered(this.#queue.addBulk(missing));
    await this.#worker.startStalledCheckTimer();
  }

  /** The next cell; waits while all that are left are held by others or wait to be tried again. Null when none is left. */
  async claim(): Promise<Claim | null> {
    const token = randomUUID();
    while (!this.#worker.closing) {
      const job = await answered(this.#worker.getNextJob(token));
      if (job && !this.#worker.closing) {
        const extend = (): void => void job.extendLock(token, LOCK_MS).catch(() => undefined);
        this.#held.set(token, every(LOCK_MS / 3, extend));
        const id = job.id?.startsWith(PREFIX) ? job.id.slice(PREFIX.length) : String(job.id);
        return { id, attempt: job.attemptsMade + 1, job, token };
      }
      const left = this.#queue.getJobCountByTypes('wait', 'prioritized', 'delayed', 'active');
      if ((await answered(left)) === 0) break;
    }
    return null;
  }

  /** Ends a claim: the cell is settled, its turn comes again after a while, or it is given up after the last try. */
  async settle({ job, token }: Claim, outcome: Outcome): Promise<'settled' | 'again' | 'given up'> {
    this.#letGo(token);
    try {
      switch (outcome.kind) {
        case 'done':
          await job.moveToCompleted(null, token, false);
          return 'settled';
        case 'untried':
          await job.moveToWait(token);
          return 'again';
        case 'fault':
          await job.moveToFailed(new Error(outcome.reason), token, false);
          return job.attemptsMade < ATTEMPTS ? 'again' : 'given up';
        default:
          return assertNever(outcome);
      }
    } catch (error) {
      // A claim that ran out (a suspended machine) has gone back to the queue already: nothing is left to settle.
      if (isLost(error)) return 'again';
      throw failure(error);
    }
  }

  /** Lets go of the server; cells that were not claimed stay for others, and claims that were not settled run out. */
  async close(): Promise<void> {
    for (const token of this.#held.keys()) this.#letGo(token);
    await this.#worker.close(true);
    await this.#queue.close();
    this.#disconnect();
  }

  #letGo(token: string): void {
    this.#held.get(token)?.();
    this.#held.delete(token);
  }
}

async function answered<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw failure(error);
  }
}

function failure(error: unknown): PredictError {
  return new PredictError(`The queue failed: ${messageOf(error).replace(/\.$/, '')}.`, {
    kind: 'unexpected',
    cause: error,
  });
}

const LOST: readonly unknown[] = [
  ErrorCode.JobNotExist,
  ErrorCode.JobLockNotExist,
  ErrorCode.JobNotInState,
  ErrorCode.JobLockMismatch,
];

function isLost(error: unknown): boolean {
  return error instanceof Error && 'code' in error && LOST.includes(error.code);
}

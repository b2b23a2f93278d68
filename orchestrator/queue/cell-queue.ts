import { randomUUID } from 'node:crypto';
import { ErrorCode, type Job, Queue, UnrecoverableError, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { assertNever, infrastructure, messageOf, PredictError } from '../../base/errors.ts';
import type { Cell } from '../../experiments/records.ts';
import { every, Loss, unless, type WaitEnd, within } from '../waiting.ts';
import type { Queue as CellsInQueue, Claim, Outcome } from './queue.ts';
import { reachRedis, whileAlive } from './redis.ts';

/** A claim that its controller has not extended for so long returns to the queue. */
export const LOCK_MS = 60_000;
/** For saying goodbye to the server. */
const CLOSE_MS = 3_000;
/** The largest number that BullMQ takes as a place in the order. */
const LAST_PLACE = 2 ** 21;
/** BullMQ takes no id that reads as a number, and 16 hex digits may be one. */
const PREFIX = 'cell-';

/** A job of the server, which is this controller's until it is settled. */
export interface HeldCell extends Claim {
  readonly job: Job;
  readonly token: string;
}

export interface QueueTimes {
  /** A claim that its controller has not extended for so long returns to the queue. */
  readonly lockMs?: number;
  readonly aliveMs?: number;
  /** By which the server knows this claimer, who takes its claims of earlier back; a new one for each claim by default. */
  readonly token?: string;
  /** Whether `claim` waits while all that are left are held by others; it does by default. */
  readonly waits?: boolean;
}

/** A cell as a job of BullMQ; `place` counts from 0, in the order of turns. */
export function cellJob(id: string, place: number) {
  return { name: 'cell', opts: { jobId: `${PREFIX}${id}`, priority: Math.min(place + 1, LAST_PLACE) } };
}

/** The cell's id in that of its job. */
export function cellIdOf(jobId: string): string {
  return jobId.startsWith(PREFIX) ? jobId.slice(PREFIX.length) : jobId;
}

/**
 * The cells of one sweep that wait to be measured, on a Redis that other controllers may use too: nothing is ever taken out
 * but what was claimed. Jobs carry nothing but the cell's id; what is done is for the store to say. When the server is gone,
 * whatever waits for it rejects with the reason (`infrastructure`).
 */
export class CellQueue implements CellsInQueue {
  readonly #queue: Queue;
  readonly #worker: Worker;
  readonly #connection: Redis;
  readonly #lockMs: number;
  readonly #waits: boolean;
  readonly #token: string | undefined;
  readonly #loss = new Loss<PredictError>();
  readonly #stopAsking: () => void;
  /** Ends the extending of each claim, by its cell. */
  readonly #held = new Map<string, () => void>();

  /** `server`: a unix socket's path, a redis:// URL or HOST:PORT; controllers that give the same name share the cells. */
  static async open(server: string, name: string, times: QueueTimes = {}): Promise<CellQueue> {
    return new CellQueue(name, await reachRedis(server), times);
  }

  private constructor(
    name: string,
    connection: Awaited<ReturnType<typeof reachRedis>>,
    { lockMs = LOCK_MS, aliveMs, token, waits = true }: QueueTimes,
  ) {
    this.#connection = connection;
    this.#lockMs = lockMs;
    this.#waits = waits;
    this.#token = token;
    connection.once('end', () => this.#lose('its connection ended'));
    this.#queue = new Queue(name, { connection });
    // Without a processor: jobs are claimed and settled by hand. A stalled cell may always be claimed again.
    const stalls = { lockDuration: lockMs, stalledInterval: lockMs / 2, maxStalledCount: 1_000_000 };
    this.#worker = new Worker(name, null, { connection, ...stalls });
    // The command that fails says it too, by its own rejection.
    this.#queue.on('error', () => undefined);
    this.#worker.on('error', () => undefined);
    this.#stopAsking = whileAlive(connection, (missed) => this.#lose(`it did not respond ${missed} times`), aliveMs);
  }

  /** Why the server is gone; undefined while it is there. */
  get lost(): PredictError | undefined {
    return this.#loss.reason;
  }

  /** Adds the cells of a plan that are neither done nor queued yet; turns come in the plan's order. */
  async enqueue(plan: readonly Cell[], done: { has(id: string): boolean }): Promise<void> {
    const job = (id: string, place: number) => {
      const { name, opts } = cellJob(id, place);
      return { name, data: null, opts: { ...opts, removeOnComplete: true, removeOnFail: true } };
    };
    const missing = plan.flatMap(({ id }, index) => (done.has(id) ? [] : [job(id, index)]));
    await this.#answered(this.#queue.addBulk(missing));
    if (this.#token !== undefined) await this.#takeBack(this.#token);
    await this.#answered(this.#worker.startStalledCheckTimer());
  }

  /** The place of the next cell in the order of turns; null where none waits. */
  async nextPlace(): Promise<number | null> {
    const [job] = await this.#answered(this.#queue.getJobs(['wait', 'prioritized'], 0, 0, true));
    return job === undefined ? null : Number(job.priority);
  }

  /** The next cell; waits while all that are left are held by others. Null when none is left. */
  async claim(): Promise<HeldCell | null> {
    const token = this.#token ?? randomUUID();
    while (!this.#worker.closing) {
      const job = await this.#answered(this.#worker.getNextJob(token, { block: this.#waits }));
      if (job && !this.#worker.closing) {
        const extend = (): void => void job.extendLock(token, this.#lockMs).catch(() => undefined);
        const id = cellIdOf(String(job.id));
        this.#held.set(id, every(this.#lockMs / 3, extend));
        return { id, job, token };
      }
      if (!this.#waits) return null;
      const left = this.#queue.getJobCountByTypes('wait', 'prioritized', 'active');
      if ((await this.#answered(left)) === 0) break;
    }
    return null;
  }

  /** Ends a claim: the cell is settled, it is given up, or its turn comes again. */
  async settle({ id, job, token }: HeldCell, outcome: Outcome): Promise<void> {
    this.#letGo(id);
    try {
      await this.#answered<unknown>(moveJob(job, token, outcome));
    } catch (error) {
      if (!(error instanceof PredictError && claimIsLost(error.cause))) throw error;
      // The claim ran out (a suspended machine, a clock that jumped). Unless somebody else has the cell now, it is taken out here.
      if (!(await this.#takenOut(job)) || outcome.kind !== 'untried') return;
      await this.#answered(this.#queue.add(job.name, job.data, { ...job.opts }));
    }
  }

  /** Lets go of the server; cells that were not claimed stay for others, and claims that were not settled run out. */
  async close(): Promise<void> {
    this.#stopAsking();
    for (const id of this.#held.keys()) this.#letGo(id);
    const goodbye = this.#worker.close(true).then(() => this.#queue.close());
    const quiet = goodbye.catch(() => undefined);
    await within(CLOSE_MS, quiet, () => undefined);
    this.#hangUp();
  }

  /** False where another controller holds it. */
  async #takenOut({ id }: Job): Promise<boolean> {
    return id !== undefined && (await this.#answered(this.#queue.remove(id))) === 1;
  }

  /** What an earlier process with this token had claimed waits again; a claim that ran out is for the server to return. */
  async #takeBack(token: string): Promise<void> {
    for (const job of await this.#answered(this.#queue.getActive())) {
      const isOwn = !this.#held.has(cellIdOf(String(job.id)));
      if (isOwn) await this.#answered(job.moveToWait(token).catch(unlessLost));
    }
  }

  #letGo(id: string): void {
    this.#held.get(id)?.();
    this.#held.delete(id);
  }

  #lose(why: string): void {
    const message = `The Redis server of the queue was lost: ${why}.`;
    this.#loss.happened(infrastructure(message));
    this.#hangUp();
  }

  /** A connection that has ended would wait for its end again, and keep this process for 2 s. */
  #hangUp(): void {
    if (this.#connection.status !== 'end') this.#connection.disconnect();
  }

  /** What the server answers; the reason once it is gone. */
  async #answered<T>(answer: Promise<T>): Promise<T> {
    const isGone: WaitEnd = (fail) => this.#loss.when(fail);
    try {
      return await unless(answer, isGone);
    } catch (error) {
      // A command may hear of the server's end before the connection says it.
      const alive = this.#connection.ping().catch(() => this.#lose('its connection ended'));
      await unless<unknown>(alive, isGone).catch(() => undefined);
      throw this.lost ?? failure(error);
    }
  }
}

function moveJob(job: Job, token: string, outcome: Outcome): Promise<unknown> {
  switch (outcome.kind) {
    case 'done':
      return job.moveToCompleted(null, token, false);
    case 'untried':
      return job.moveToWait(token);
    case 'hopeless':
      return job.moveToFailed(new UnrecoverableError(outcome.reason), token, false);
    default:
      return assertNever(outcome);
  }
}

function failure(error: unknown): PredictError {
  const why = messageOf(error).replace(/\.$/, '');
  // What the server itself refuses: keys that somebody else wrote over, a user without rights, no memory left.
  const isReply = error instanceof Error && error.name === 'ReplyError';
  if (!isReply) return new PredictError(`The queue failed: ${why}.`, { kind: 'unexpected', cause: error });
  return infrastructure(
    `The Redis server of the queue rejects commands (${why}): give another one with --redis, or none.`,
    {
      cause: error,
    },
  );
}

const LOST: readonly unknown[] = [
  ErrorCode.JobNotExist,
  ErrorCode.JobLockNotExist,
  ErrorCode.JobNotInState,
  ErrorCode.JobLockMismatch,
];

function unlessLost(error: unknown): void {
  if (!claimIsLost(error)) throw error;
}

function claimIsLost(error: unknown): boolean {
  return error instanceof Error && 'code' in error && LOST.includes(error.code);
}

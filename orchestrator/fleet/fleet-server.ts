import { setTimeout as delay } from 'node:timers/promises';
import { FlowProducer, type Job, Queue, QueueEvents, Worker } from 'bullmq';
import { infrastructure, PredictError } from '../../base/errors.ts';
import { reachRedis, redisProblem, whileAlive } from '../queue/redis.ts';
import { within } from '../waiting.ts';
import { routesOf } from './cell-routes.ts';
import {
  CAMPAIGNS,
  cellsQueue,
  type FleetWorker,
  type Order,
  orderSchema,
  parsedAs,
  WEEK_S,
  workerSchema,
} from './fleet-records.ts';
import { HandOver } from './hand-over.ts';

const CLOSE_MS = 3_000;
/** Before another connection; twice as long each time, up to the last. */
const AGAIN_MS = [1_000, 30_000] as const;
const WORKERS = 'predict:workers';
const QUEUE_EVENTS = ['added', 'waiting-children', 'completed', 'failed', 'progress'] as const;
type QueueEvent = (typeof QUEUE_EVENTS)[number];

/** A campaign at a site, with its job in the queue of campaigns. */
export interface QueuedCampaign {
  readonly order: Order;
  readonly job: Job;
  readonly priority: number;
}

interface Closing {
  close(force?: boolean): Promise<void>;
}

/** A connection to the Redis of a fleet, and what of BullMQ uses it. Once it is lost, every command on it rejects. */
export class FleetServer {
  readonly handOver: HandOver;
  readonly flow: FlowProducer;
  readonly #connection: Awaited<ReturnType<typeof reachRedis>>;
  readonly #queues = new Map<string, Queue>();
  readonly #open: Closing[] = [];
  readonly #stopAsking: () => void;
  #isClosed = false;

  static async open(redis: string, { ttlS = WEEK_S } = {}): Promise<FleetServer> {
    return new FleetServer(await reachRedis(redis), ttlS);
  }

  private constructor(connection: Awaited<ReturnType<typeof reachRedis>>, ttlS: number) {
    this.#connection = connection;
    this.handOver = new HandOver(connection, { ttlS });
    this.flow = this.#kept(new FlowProducer({ connection }));
    this.#stopAsking = whileAlive(connection, () => connection.disconnect());
  }

  get isLost(): boolean {
    return !this.#isClosed && this.#connection.status !== 'ready';
  }

  /** Whoever uses it finds it lost. */
  drop(): void {
    this.#connection.disconnect();
  }

  queue(name: string): Queue {
    const queue = this.#queues.get(name) ?? this.#kept(new Queue(name, { connection: this.#connection }));
    this.#queues.set(name, queue);
    return queue;
  }

  /** The queues of a campaign's cells at a site. */
  cellQueues(order: Order): readonly Queue[] {
    return routesOf(order).map((route) => this.queue(cellsQueue(order, route)));
  }

  /** All queues of predict on the server. */
  async queueNames(): Promise<readonly string[]> {
    const names = new Set<string>();
    for await (const keys of this.#connection.scanStream({ match: 'bull:predict-*:meta', count: 1000 })) {
      for (const key of keys as string[]) names.add(key.slice('bull:'.length, -':meta'.length));
    }
    return [...names].sort();
  }

  /** Calls back at some events of a queue, with their kind and what a run's job says of itself. */
  listen(
    name: string,
    onEvent: (kind: QueueEvent, event: { readonly jobId: string; readonly data?: unknown }) => void,
  ): void {
    const events = this.#kept(new QueueEvents(name, { connection: this.#connection }));
    for (const kind of QUEUE_EVENTS)
      events.on(kind, (event: { jobId: string; data?: unknown }) => onEvent(kind, event));
  }

  /** Does a task for each job of a queue, one at a time. */
  process(name: string, task: (job: Job) => Promise<void>): void {
    this.#kept(new Worker(name, task, { connection: this.#connection }));
  }

  /** The campaigns that have cells left, the first to be measured first; those of other programs are passed over. */
  async campaigns(states: Parameters<Queue['getJobs']>[0] = 'waiting-children'): Promise<readonly QueuedCampaign[]> {
    const jobs: (Job | undefined)[] = await this.queue(CAMPAIGNS).getJobs(states);
    const found = jobs.flatMap((job) => {
      const order = orderSchema.safeParse(job?.data).data;
      return job === undefined || order === undefined ? [] : [{ order, job, priority: Number(job.priority) }];
    });
    return found.sort((a, b) => a.priority - b.priority || a.job.timestamp - b.job.timestamp);
  }

  /** All that said something within a week, the last first. */
  async workers(): Promise<readonly FleetWorker[]> {
    // By the server's clock, whatever those of other machines say.
    const aheadMs = Date.now() - (await this.#nowMs());
    const found = Object.values(await this.#connection.hgetall(WORKERS)).flatMap((text) => {
      const worker = parsedAs(workerSchema, text);
      return worker === null ? [] : { ...worker, at: new Date(Date.parse(worker.at) + aheadMs).toISOString() };
    });
    const recent = found.filter(({ at }) => Date.now() - Date.parse(at) < WEEK_S * 1000);
    return recent.sort((a, b) => (a.at < b.at ? 1 : -1));
  }

  async sayWorker(worker: Omit<FleetWorker, 'at'>): Promise<void> {
    const at = new Date(await this.#nowMs()).toISOString();
    await this.#connection.hset(WORKERS, worker.id, JSON.stringify({ ...worker, at }));
    await this.#connection.expire(WORKERS, WEEK_S);
  }

  async #nowMs(): Promise<number> {
    const [seconds, microseconds] = await this.#connection.time();
    return 1000 * Number(seconds) + Number(microseconds) / 1000;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopAsking();
    const closed = Promise.all(this.#open.reverse().map((one) => one.close(true).catch(() => undefined)));
    await within<unknown>(CLOSE_MS, closed, () => undefined);
    if (this.#connection.status !== 'end') this.#connection.disconnect();
  }

  /** Whoever waits for a command hears of its error; others must not end the process. */
  #kept<T extends Closing & { on(event: 'error', listener: () => void): unknown }>(one: T): T {
    one.on('error', () => undefined);
    this.#open.push(one);
    return one;
  }
}

interface Session {
  readonly redis: string;
  readonly signal: AbortSignal;
  readonly onNote: (text: string) => void;
  readonly ttlS?: number | undefined;
}

/** What a server says for a while: it is full, it reads its file, another one takes its place, its disk is full, a script runs. */
const PASSING = /\b(?:OOM|LOADING|READONLY|MISCONF|BUSY|MASTERDOWN|TRYAGAIN)\b/;

/**
 * Does a task with a server, anew each time that one is lost or does nothing for a while; the first one must be there. Errors:
 * `infrastructure`, those of the task.
 */
export async function withFleet<T>(
  { redis, signal, onNote, ttlS = WEEK_S }: Session,
  task: (server: FleetServer) => Promise<T>,
): Promise<T> {
  let server = await FleetServer.open(redis, { ttlS });
  let said = '';
  for (;;) {
    try {
      return await task(server);
    } catch (error) {
      const isReply = error instanceof Error && error.name === 'ReplyError';
      const isPassing = isReply && PASSING.test(error.message);
      if (signal.aborted || !(server.isLost || isPassing)) {
        throw error instanceof PredictError ? error : serverFault(error);
      }
      const text = `the Redis server ${isPassing ? 'does nothing now' : 'was lost'} (${redisProblem(error)}); trying again.`;
      // One that stays full is not told of every second.
      if (text !== said) onNote(text);
      said = text;
    } finally {
      await server.close();
    }
    server = await again(redis, signal, ttlS);
  }
}

async function again(redis: string, signal: AbortSignal, ttlS: number): Promise<FleetServer> {
  const [first, last] = AGAIN_MS;
  for (let waitMs: number = first; ; waitMs = Math.min(2 * waitMs, last)) {
    await delay(waitMs, undefined, { signal }).catch(() => {
      throw new PredictError('Interrupted.', { kind: 'interrupted' });
    });
    const server = await FleetServer.open(redis, { ttlS }).catch(() => null);
    if (server !== null) return server;
  }
}

/** A wait that ends early when something happens. */
export class Wake {
  #resolve: () => void = () => undefined;
  #isDue = false;

  readonly now = (): void => {
    this.#isDue = true;
    this.#resolve();
  };

  /** Until something happened since the last wait, so many milliseconds have passed, or the signal is aborted. */
  async within(ms: number, signal: AbortSignal): Promise<void> {
    if (this.#isDue || signal.aborted) {
      this.#isDue = false;
      return;
    }
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#resolve = () => {
        clearTimeout(timer);
        resolve();
      };
      signal.addEventListener('abort', this.#resolve, { once: true });
    });
    signal.removeEventListener('abort', this.#resolve);
    this.#isDue = false;
  }
}

/** That a command on the server failed, with why. */
export function serverFault(error: unknown): PredictError {
  return infrastructure(`The Redis server of the queue failed: ${redisProblem(error)}.`, { cause: error });
}

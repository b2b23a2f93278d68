import { Queue, QueueEvents } from 'bullmq';
import { z } from 'zod';
import { badInput, infrastructure, PredictError } from '../../../base/errors.ts';
import { at } from '../../../base/lists.ts';
import type { DagEdge, DagVertex, EdgePeriod, VertexPeriod } from '../../../experiments/dag/dag-records.ts';
import { reachRedis, redisProblem } from '../../queue/redis.ts';
import { within } from '../../waiting.ts';
import { type PolledJob, type PolledPeriod, pollJob, sleepUntil } from '../poll-job.ts';
import type { DagSource } from '../source.ts';

interface BullmqOptions {
  /** A unix socket's path, a redis:// URL or HOST:PORT. */
  readonly server: string;
  readonly queues: readonly QueuePlace[];
  /** So many jobs that wait, and a queue counts as full: BullMQ itself has no bound. */
  readonly capacity: number;
  readonly periodS: number;
  readonly hz: number;
}

/** A queue, and whose workers feed it: those of another queue, or a producer that is not seen. */
interface QueuePlace {
  readonly name: string;
  readonly from: string | null;
}

type Connection = Awaited<ReturnType<typeof reachRedis>>;

/** Who puts jobs into the first queues. */
const PRODUCER = 'producer';
/** More questions a second than this tell no more. */
const MOST_HZ = 20;
/** For an answer of the server. */
const ANSWER_MS = 5_000;

/**
 * Queues of BullMQ: the workers of a queue are a task, the queue is the channel to them. Workers count as busy with a job each; how
 * many there are is what the server says, or at least as many as jobs were seen active at once.
 */
export function bullmqSource(options: BullmqOptions): DagSource {
  const { server } = options;
  return {
    async watch(listener, signal) {
      const connection = await reachRedis(server);
      const queues: WatchedQueue[] = [];
      try {
        for (const name of new Set(options.queues.map((place) => place.name))) {
          queues.push(new WatchedQueue(name, connection, await reachRedis(server)));
        }
        await answered(server, { fails: 'cannot be queried', ms: 2 * ANSWER_MS }, refuseUnknown(queues, connection));
        return await pollJob(await polledQueues(queues, options), listener, signal);
      } finally {
        await Promise.allSettled(queues.map((queue) => queue.close()));
        connection.disconnect();
      }
    },
  };
}

/** `a,b` is a chain: workers of a feed b. `a>b,a>c` names every feeding. Errors: `badInput`. */
export function parseQueues(text: string): QueuePlace[] {
  const parts = text.split(',').map((part) => part.trim());
  const bad = parts.find((part) => !/^[^>\s]+(?:>[^>\s]+)?$/.test(part));
  if (bad !== undefined)
    throw badInput(`--queues: '${bad}' is not a queue: write a,b for a chain, or a>b,a>c for a graph.`);
  if (!text.includes('>')) return parts.map((name, place) => ({ name, from: parts[place - 1] ?? null }));
  const fed = parts.flatMap((part) => {
    const [from, name] = part.split('>');
    return from !== undefined && name !== undefined ? [{ name, from }] : [];
  });
  const names = new Set(parts.flatMap((part) => part.split('>')));
  const first = [...names]
    .filter((name) => fed.every((one) => one.name !== name))
    .map((name) => ({ name, from: null }));
  return [...first, ...fed];
}

/** What the server answers in time. Errors: `infrastructure`. */
async function answered<T>(
  server: string,
  { fails, ms }: { readonly fails: string; readonly ms: number },
  answer: Promise<T>,
): Promise<T> {
  const late = (): never => {
    throw new Error(`it took longer than ${ms / 1000} s`);
  };
  try {
    return await within(ms, answer, late);
  } catch (error) {
    if (error instanceof PredictError) throw error;
    // Without what a password may stand in.
    const place = server.replace(/\/\/[^@/]*@/, '//');
    throw infrastructure(`The Redis server at ${place} ${fails}: ${redisProblem(error)}.`, { cause: error });
  }
}

async function refuseUnknown(queues: readonly WatchedQueue[], connection: Connection): Promise<void> {
  for (const { name, queue } of queues) {
    if ((await connection.exists(queue.toKey('meta'))) > 0) continue;
    const keys = await keysLike(connection, `${queue.toKey('').slice(0, -`${name}:`.length)}*:meta`);
    const known = keys.map((key) => key.split(':').slice(1, -1).join(':')).sort();
    throw badInput(
      `--queues: there is no queue '${name}'.${known.length > 0 ? ` There are ${known.slice(0, 20).join(', ')}.` : ' There are no queues.'}`,
    );
  }
}

/** Keys that a pattern fits, those that the server names in the time of an answer. */
async function keysLike(connection: Connection, pattern: string): Promise<string[]> {
  const keys = new Set<string>();
  const until = Date.now() + ANSWER_MS;
  for (let cursor = '0'; Date.now() < until; ) {
    const found: unknown = await connection.scan(cursor, 'MATCH', pattern, 'COUNT', 1000);
    const [next, page] = scanSchema.parse(found);
    for (const key of page) keys.add(key);
    if (next === '0') break;
    cursor = next;
  }
  return [...keys];
}

const scanSchema = z.tuple([z.string(), z.array(z.string())]);

/** The queues as a job that is asked, beginning with how many workers they have now. */
async function polledQueues(
  queues: readonly WatchedQueue[],
  { server, queues: places, capacity, periodS, hz: askedHz }: BullmqOptions,
): Promise<PolledJob> {
  const hz = Math.min(askedHz, MOST_HZ);
  const edges = places.map(({ name, from }): DagEdge => {
    const source = from ?? PRODUCER;
    return { id: `${source}>${name}`, from: source, to: name, capacity, unit: 'records', linkBps: null };
  });
  const findTasks = (): Promise<DagVertex[]> => Promise.all(queues.map((queue) => queue.findWorkers()));
  const ask = async (endMs: number, signal: AbortSignal): Promise<PolledPeriod> => {
    const silence = { fails: 'stopped responding', ms: ANSWER_MS };
    for (const queue of queues) queue.renew();
    for (let next = endMs - periodS * 1000; next < endMs; next += 1000 / hz) {
      await sleepUntil(next, signal);
      signal.throwIfAborted();
      await answered(server, silence, Promise.all(queues.map((queue) => queue.sample(capacity))));
    }
    const tasks = await answered(server, silence, findTasks());
    const queueOf = (edge: DagEdge): WatchedQueue =>
      at(
        queues.filter(({ name }) => name === edge.to),
        0,
      );
    return {
      tasks,
      vertices: {
        [PRODUCER]: { processing: [], cpu: null, disk: null, records: null },
        ...Object.fromEntries(queues.map((queue, index) => [queue.name, queue.workersDid(at(tasks, index).instances)])),
      },
      edges: Object.fromEntries(edges.map((edge) => [edge.id, queueOf(edge).held()])),
      detail: { fill: new Map(edges.map((edge) => [edge.id, queueOf(edge).fill(capacity)])) },
    };
  };
  return {
    run: {
      ...{ source: 'bullmq', periodS, hz, bw: null, edges },
      vertices: [{ id: PRODUCER, label: PRODUCER, hosts: [], instances: 1 }, ...(await findTasks())],
      command: `queues ${queues.map(({ name }) => name).join(', ')}`,
      notes: [
        `A queue counts as full while at least ${capacity} jobs wait in it (--capacity). BullMQ queues are unbounded, so no task is ever blocked.`,
        'The producer is not observed.',
      ],
    },
    ...{ ask, patience: 1, silence: () => 'the server stopped answering', missing: '' },
  };
}

/** A queue, and what samples found in it since the period began. */
class WatchedQueue {
  readonly name: string;
  readonly queue: Queue;
  readonly #events: QueueEvents;
  readonly #blocking: Connection;
  #done = 0;
  #mostActive = 0;
  /** Of each sample: jobs that are worked on and that wait, and whether the queue was full. */
  #samples: { readonly active: number; readonly waiting: number; readonly full: number }[] = [];

  /** `blocking`: a connection for its events alone. */
  constructor(name: string, connection: Connection, blocking: Connection) {
    this.name = name;
    this.queue = new Queue(name, { connection, skipMetasUpdate: true });
    this.#events = new QueueEvents(name, { connection: blocking });
    this.#blocking = blocking;
    const count = (): void => {
      this.#done += 1;
    };
    this.queue.on('error', () => undefined);
    this.#events.on('error', () => undefined);
    this.#events.on('completed', count).on('failed', count);
  }

  renew(): void {
    this.#done = 0;
    this.#mostActive = 0;
    this.#samples = [];
  }

  async sample(capacity: number): Promise<void> {
    const { active = 0, wait = 0, prioritized = 0 } = await this.queue.getJobCounts('active', 'wait', 'prioritized');
    const waiting = wait + prioritized;
    this.#samples.push({ active, waiting, full: waiting >= capacity ? 1 : 0 });
    this.#mostActive = Math.max(this.#mostActive, active);
  }

  async findWorkers(): Promise<DagVertex> {
    // Some servers give no list of their clients.
    const workers = await this.queue.getWorkersCount().catch(() => 0);
    const instances = Math.max(1, workers, this.#mostActive);
    return { id: this.name, label: `workers of ${this.name}`, hosts: [], instances };
  }

  workersDid(instances: number): VertexPeriod {
    const active = this.#mean('active');
    const busy = active === null ? [] : Array<number>(instances).fill(Math.min(1, active / instances));
    return { processing: busy, cpu: null, disk: null, records: this.#done };
  }

  held(): EdgePeriod {
    const full = this.#mean('full');
    return { buffer: full === null ? null : [full], writer: null, pressure: null, bytes: null, records: this.#done };
  }

  fill(capacity: number): number | null {
    const waiting = this.#mean('waiting');
    return waiting === null ? null : Math.min(1, waiting / capacity);
  }

  async close(): Promise<void> {
    // A server that is gone answers no goodbye.
    const closing = [this.#events, this.queue].map((each) => within(1_000, each.close(), () => undefined));
    await Promise.allSettled(closing);
    this.#blocking.disconnect();
  }

  /** Null without a sample. */
  #mean(key: 'active' | 'waiting' | 'full'): number | null {
    const sum = this.#samples.reduce((total, one) => total + one[key], 0);
    return this.#samples.length === 0 ? null : sum / this.#samples.length;
  }
}

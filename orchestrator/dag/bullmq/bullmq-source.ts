import { setTimeout as sleep } from 'node:timers/promises';
import { Queue, QueueEvents } from 'bullmq';
import { z } from 'zod';
import { badInput, infrastructure, PredictError } from '../../../base/errors.ts';
import type { DagEdge, DagVertex, EdgePeriod, VertexPeriod } from '../../../experiments/dag/dag-records.ts';
import { reachRedis, redisProblem } from '../../queue/redis.ts';
import { within } from '../../waiting.ts';
import type { DagEnd, DagListener, DagSource } from '../source.ts';

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

/** Who puts jobs into the first queues. */
const PRODUCER = 'producer';
/** More questions a second than this tell no more. */
const MOST_HZ = 20;
/** For an answer of the server. */
const ANSWER_MS = 5_000;

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

interface Sums {
  samples: number;
  active: number;
  mostActive: number;
  waiting: number;
  full: number;
}

/**
 * Queues of BullMQ: the workers of a queue are a task, the queue is the channel to them. Workers count as busy with a job each; how
 * many there are is what the server says, or at least as many as jobs were seen active at once.
 */
export function bullmqSource({ server, queues, capacity, periodS, hz }: BullmqOptions): DagSource {
  return {
    async watch(listener: DagListener, signal: AbortSignal): Promise<DagEnd> {
      const connection = await reachRedis(server);
      const names = [...new Set(queues.map(({ name }) => name))];
      const open = new Map(names.map((name) => [name, new Queue(name, { connection, skipMetasUpdate: true })]));
      const blocking = await Promise.all(names.map(() => reachRedis(server)));
      const events = new Map(
        names.map((name, place) => [
          name,
          new QueueEvents(name, { connection: blocking[place] as (typeof blocking)[number] }),
        ]),
      );
      for (const each of open.values()) each.on('error', () => undefined);
      for (const each of events.values()) each.on('error', () => undefined);
      try {
        const late = (): never => {
          throw new Error(`it took longer than ${(2 * ANSWER_MS) / 1000} s`);
        };
        await within(2 * ANSWER_MS, refuseUnknown(open, connection), late).catch((error: unknown) => {
          if (error instanceof PredictError) throw error;
          throw infrastructure(`The Redis server at ${placeOf(server)} cannot be queried: ${redisProblem(error)}.`, {
            cause: error,
          });
        });
        return await watchQueues(
          { open, events, queues, capacity, periodS, hz: Math.min(hz, MOST_HZ), server },
          listener,
          signal,
        );
      } finally {
        // A server that is gone answers no goodbye.
        await Promise.allSettled(
          [...events.values(), ...open.values()].map((each) => within(1_000, each.close(), () => undefined)),
        );
        connection.disconnect();
        for (const each of blocking) each.disconnect();
      }
    },
  };
}

async function refuseUnknown(
  open: ReadonlyMap<string, Queue>,
  connection: Awaited<ReturnType<typeof reachRedis>>,
): Promise<void> {
  for (const [name, queue] of open) {
    if ((await connection.exists(queue.toKey('meta'))) > 0) continue;
    const keys = await keysLike(connection, `${queue.toKey('').slice(0, -`${name}:`.length)}*:meta`);
    const known = keys.map((key) => key.split(':').slice(1, -1).join(':')).sort();
    throw badInput(
      `--queues: there is no queue '${name}'.${known.length > 0 ? ` There are ${known.slice(0, 20).join(', ')}.` : ' There are no queues.'}`,
    );
  }
}

/** Keys that a pattern fits, those that the server names in the time of an answer. */
async function keysLike(connection: Awaited<ReturnType<typeof reachRedis>>, pattern: string): Promise<string[]> {
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

async function watchQueues(
  {
    open,
    events,
    queues,
    capacity,
    periodS,
    hz,
    server,
  }: Omit<BullmqOptions, never> & {
    readonly open: ReadonlyMap<string, Queue>;
    readonly events: ReadonlyMap<string, QueueEvents>;
  },
  listener: DagListener,
  signal: AbortSignal,
): Promise<DagEnd> {
  const done = new Map<string, number>();
  for (const [name, each] of events) {
    const count = (): void => void done.set(name, (done.get(name) ?? 0) + 1);
    each.on('completed', count);
    each.on('failed', count);
  }
  const begun = Date.now();
  const instances = new Map<string, number>();
  for (const [name, queue] of open) instances.set(name, Math.max(1, await workersOf(queue)));
  const edges = queues.map(({ name, from }): DagEdge => {
    return {
      id: `${from ?? PRODUCER}>${name}`,
      from: from ?? PRODUCER,
      to: name,
      capacity,
      unit: 'records',
      linkBps: null,
    };
  });
  const vertexOf = (id: string): DagVertex => ({
    id,
    label: `workers of ${id}`,
    hosts: [],
    instances: instances.get(id) ?? 1,
  });
  listener.onBegin({
    ...{ source: 'bullmq', startedAt: new Date(begun).toISOString(), periodS, hz, bw: null, edges },
    vertices: [{ id: PRODUCER, label: PRODUCER, hosts: [], instances: 1 }, ...[...open.keys()].map(vertexOf)],
    command: `queues ${[...open.keys()].join(', ')}`,
    notes: [
      `A queue counts as full while at least ${capacity} jobs wait in it (--capacity). BullMQ queues are unbounded, so no task is ever blocked.`,
      'The producer is not observed.',
    ],
  });
  for (let period = 0; !signal.aborted; period += 1) {
    const [startNs, endNs] = [period, period + 1].map((each) => Math.round(each * periodS * 1e9)) as [number, number];
    const sums = new Map(
      [...open.keys()].map((name): [string, Sums] => [
        name,
        { samples: 0, active: 0, mostActive: 0, waiting: 0, full: 0 },
      ]),
    );
    done.clear();
    try {
      for (let next = begun + startNs / 1e6; next < begun + endNs / 1e6 && !signal.aborted; next += 1000 / hz) {
        await sleep(Math.max(0, next - Date.now()), undefined, { signal }).catch(() => undefined);
        if (signal.aborted) break;
        const late = (): never => {
          throw new Error(`it took longer than ${ANSWER_MS / 1000} s`);
        };
        await within(
          ANSWER_MS,
          Promise.all([...open].map(([name, queue]) => sample(queue, sums.get(name) as Sums, capacity))),
          late,
        );
      }
      for (const [name, queue] of open) {
        const seen = Math.max(1, await workersOf(queue), sums.get(name)?.mostActive ?? 0);
        if (seen === instances.get(name) || signal.aborted) continue;
        instances.set(name, seen);
        listener.onLine({ kind: 'vertex', atNs: startNs, vertex: vertexOf(name) });
      }
    } catch (error) {
      if (signal.aborted) break;
      const fault = infrastructure(
        `The Redis server at ${placeOf(server)} stopped responding: ${redisProblem(error)}.`,
        { cause: error },
      );
      listener.onLine({ kind: 'note', atNs: endNs, text: fault.message });
      return { why: 'the server stopped answering', exitCode: null, samplerShare: null, fault };
    }
    if (signal.aborted) break;
    const vertices = [...sums].map(([name, sum]): [string, VertexPeriod] => {
      const count = instances.get(name) ?? 1;
      const busy = Math.min(1, sum.active / Math.max(1, sum.samples) / count);
      const processing = sum.samples === 0 ? [] : Array.from({ length: count }, () => busy);
      return [name, { processing, cpu: null, disk: null, records: done.get(name) ?? 0 }];
    });
    const fills = new Map<string, number | null>();
    const channels = edges.map(({ id, to }): [string, EdgePeriod] => {
      const sum = sums.get(to) as Sums;
      fills.set(id, sum.samples === 0 ? null : Math.min(1, sum.waiting / sum.samples / capacity));
      const buffer = sum.samples === 0 ? null : [sum.full / sum.samples];
      return [id, { buffer, writer: null, pressure: null, bytes: null, records: done.get(to) ?? 0 }];
    });
    listener.onLine(
      {
        ...{ kind: 'period', startNs, endNs },
        vertices: {
          [PRODUCER]: { processing: [], cpu: null, disk: null, records: null },
          ...Object.fromEntries(vertices),
        },
        edges: Object.fromEntries(channels),
      },
      { fill: fills },
    );
  }
  return { why: 'watching was stopped', exitCode: null, samplerShare: null };
}

async function sample(queue: Queue, sums: Sums, capacity: number): Promise<void> {
  const { active = 0, wait = 0, prioritized = 0 } = await queue.getJobCounts('active', 'wait', 'prioritized');
  const waiting = wait + prioritized;
  sums.samples += 1;
  sums.active += active;
  sums.mostActive = Math.max(sums.mostActive, active);
  sums.waiting += waiting;
  sums.full += waiting >= capacity ? 1 : 0;
}

/** A server without what a password may stand in. */
function placeOf(server: string): string {
  return server.replace(/\/\/[^@/]*@/, '//');
}

/** 0 where the server does not say: some give no list of their clients. */
async function workersOf(queue: Queue): Promise<number> {
  try {
    return await queue.getWorkersCount();
  } catch {
    return 0;
  }
}

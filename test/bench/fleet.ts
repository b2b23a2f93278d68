// npm run bench -- fleet [--runs 1000,3000,10000] [--campaigns 1] [--workers 50] [--processes 5]: one site's workers, each on a fake host,
// measure runs that take no time, of campaigns that are stored on disk, through a Redis of the bench. What a run costs, and how that grows.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Redis } from 'ioredis';
import { median, quantile } from 'simple-statistics';
import { asSeconds, formatBytes } from '../../base/units.ts';
import type { SweepEvent } from '../../experiments/store/campaign-events.ts';
import { parseSweep } from '../../experiments/sweep.ts';
import { workloadOf } from '../../experiments/workloads/adapters.ts';
import { FleetServer } from '../../orchestrator/fleet/fleet-server.ts';
import { followFleet } from '../../orchestrator/fleet/follow-fleet.ts';
import type { SiteResult } from '../../orchestrator/fleet/followed-site.ts';
import { startPrivateRedis } from '../../orchestrator/queue/redis.ts';
import type { Asked, Measured } from './fleet-workers.ts';

const SITE = 'bench';
const WORKLOAD = workloadOf({
  ...{ kind: 'command', name: 'solver', command: ['/opt/solve', '{scale}'], ranks: 'any' },
  ...{ time: { pattern: 'took ([0-9.]+) ms', unit: 'ms' }, failure: [] },
});

const { values } = parseArgs({
  args: process.argv.slice(process.argv.indexOf('fleet') + 1),
  options: {
    runs: { type: 'string', default: '1000,3000,10000' },
    campaigns: { type: 'string', default: '1' },
    workers: { type: 'string', default: '50' },
    processes: { type: 'string', default: '5' },
  },
});
const [campaigns, workers, processes] = [Number(values.campaigns), Number(values.workers), Number(values.processes)];

/** Queues all, lets the workers begin, and prints what it took until the last run was stored. */
async function bench(runs: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-fleet-'));
  const { socket, stop } = await startPrivateRedis();
  const redis = new Redis(socket);
  const children: ChildProcess[] = [];
  try {
    const idleBytes = await info(redis, 'memory', 'used_memory');
    await sayHosts(socket);
    const owners = new Owners(socket, { folder, runs });
    await owners.queued(redis);
    const waitingBytes = (await info(redis, 'memory', 'used_memory')) - idleBytes;
    for (let index = 0; index < processes; index += 1) {
      children.push(await startWorkers({ socket, home: join(folder, 'workers'), count: workers / processes }));
    }
    await redis.config('RESETSTAT');
    const [start, cpu, redisCpu] = [performance.now(), process.cpuUsage(), await redisSeconds(redis)];
    for (const child of children) child.send('begin');
    const results = await owners.results;
    const seconds = (owners.lastStored - start) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    const calls = await commandCalls(redis);
    const connections = await info(redis, 'clients', 'connected_clients');
    const all = await Promise.all(children.map(ended));
    check(runs, { results, all, stored: owners.stored });
    const latencies = latencyOf(owners.started, all);
    const perRun = (total: number): string => ((1000 * total) / runs).toFixed(1);
    const workerSeconds = all.reduce((sum, one) => sum + one.cpuSeconds, 0);
    console.log(
      [
        `${runs} runs: ${(runs / seconds).toFixed(0)} runs/s`,
        `CPU per run: owners ${perRun((user + system) / 1e6)} ms, workers ${perRun(workerSeconds)} ms, Redis ${perRun((await redisSeconds(redis)) - redisCpu)} ms`,
        `Redis per run: ${(calls / runs).toFixed(0)} commands, ${formatBytes((await info(redis, 'stats', 'total_net_output_bytes')) / runs)} sent`,
        `Redis: ${formatBytes(waitingBytes / runs)} for each waiting run, at most ${formatBytes(await info(redis, 'memory', 'used_memory_peak'))}, ${connections} connections`,
        `start to owner: median ${median(latencies).toFixed(0)} ms, 99 % ${quantile(latencies, 0.99).toFixed(0)} ms`,
      ].join('\n  '),
    );
  } finally {
    for (const child of children) child.kill('SIGKILL');
    redis.disconnect();
    await stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Owners plan by what a worker says of its hosts; here none works until all is queued. */
async function sayHosts(socket: string): Promise<void> {
  const server = await FleetServer.open(socket);
  await server.sayWorker({
    ...{ id: 'hosts', site: SITE, controller: 'bench', hosts: 1, ranksPerNode: 1 },
    ...{ cluster: SITE, launcher: 'openmpi', lineRateBps: 1e9, memoryPerNode: null, datasets: [] },
    ...{ slots: null, doing: null, cannot: {} },
  });
  await server.close();
}

/** The owners of all campaigns, in this process. */
class Owners {
  readonly results: Promise<readonly SiteResult[]>;
  /** When a run's start became known, ms since 1970, by its cell. */
  readonly started = new Map<string, number>();
  /** How often each cell was stored. */
  readonly stored = new Map<string, number>();
  lastStored = 0;
  readonly #runs: number;

  constructor(redis: string, { folder, runs }: { readonly folder: string; readonly runs: number }) {
    this.#runs = runs;
    const all = Array.from({ length: campaigns }, (_, index) => {
      // As many as there are repetitions, and the one for drift.
      const reps = Math.round(runs / campaigns) - 1;
      const sweep = parseSweep({ nodes: '1', scales: '12', bw: '100', roots: '1', reps, seed: index });
      return followFleet({
        ...{ redis, sites: [SITE], out: join(folder, `campaign-${index}`), sweep, workload: WORKLOAD },
        ...{ leaseS: asSeconds(60), cellTimeoutS: asSeconds(30), signal: new AbortController().signal },
        ...{ onNote: console.error, onPlan: () => undefined, onEvent: (_, event) => this.#hear(event) },
      });
    });
    this.results = Promise.all(all).then((results) => results.flat());
  }

  async queued(redis: Redis): Promise<void> {
    for (let waiting = 0; waiting < this.#runs; await delay(100)) {
      const keys = await redis.keys('bull:predict-cells-*:prioritized');
      waiting = (await Promise.all(keys.map((key) => redis.zcard(key)))).reduce((sum, count) => sum + count, 0);
    }
  }

  #hear(event: SweepEvent): void {
    if (event.kind === 'cell-started') this.started.set(event.id, Date.parse(event.at));
    if (event.kind !== 'cell-finished') return;
    this.stored.set(event.id, (this.stored.get(event.id) ?? 0) + 1);
    this.lastStored = performance.now();
  }
}

/** A process with workers that wait for the word to begin. */
async function startWorkers(asked: Asked): Promise<ChildProcess> {
  const child = fork(fileURLToPath(new URL('fleet-workers.js', import.meta.url)), [JSON.stringify(asked)]);
  await once(child, 'message');
  return child;
}

async function ended(child: ChildProcess): Promise<Measured> {
  child.send('end');
  const [measured] = (await once(child, 'message')) as [Measured];
  return measured;
}

/** Errors: a run that was measured or stored twice, or not at all. */
function check(
  runs: number,
  given: {
    readonly results: readonly SiteResult[];
    readonly all: readonly Measured[];
    readonly stored: ReadonlyMap<string, number>;
  },
): void {
  const measured = given.all.flatMap(({ started }) => started.map(([id]) => id));
  const done = given.results.reduce((sum, one) => sum + one.done, 0);
  const isOnce = measured.length === runs && new Set(measured).size === runs && done === runs;
  if (!isOnce || given.stored.size !== runs || [...given.stored.values()].some((times) => times !== 1)) {
    throw new Error(`of ${runs} runs ${measured.length} were measured and ${done} stored`);
  }
  console.log(`${runs} runs: each was measured once and stored once`);
}

/** Milliseconds from a run's start at its worker until its owner told it; one that was stored before is not told. */
function latencyOf(told: ReadonlyMap<string, number>, all: readonly Measured[]): readonly number[] {
  return all.flatMap(({ started }) => started.flatMap(([id, at]) => (told.has(id) ? [(told.get(id) ?? at) - at] : [])));
}

async function info(redis: Redis, section: string, name: string): Promise<number> {
  return Number(new RegExp(`^${name}:([0-9.]+)`, 'm').exec(await redis.info(section))?.[1]);
}

async function redisSeconds(redis: Redis): Promise<number> {
  return (await info(redis, 'cpu', 'used_cpu_user')) + (await info(redis, 'cpu', 'used_cpu_sys'));
}

/** Those inside of scripts too. */
async function commandCalls(redis: Redis): Promise<number> {
  const lines = (await redis.info('commandstats')).matchAll(/calls=(\d+)/g);
  return [...lines].reduce((sum, [, calls]) => sum + Number(calls), 0);
}

console.log(`campaigns: ${campaigns}, workers: ${workers} in ${processes} processes, owners in one more`);
for (const runs of values.runs.split(',').map(Number)) await bench(runs);

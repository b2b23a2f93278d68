import { at, last, own } from '../../../base/lists.ts';
import {
  batchesOf,
  computeLimits,
  estimateThroughput,
  type JobRuns,
  type Ranged,
  type RateLimit,
  type RunScatter,
  ranged,
  runScatter,
  type SetUp,
  type Throughput,
} from '../advice/throughput.ts';
import type { WatchedJob, WorkUnit } from '../job/watched-job.ts';
import type { ExplainJobsOptions, SetUpRow } from './explained.ts';

/** Of a run as it was. */
export function setUpOf({ vertices, run }: WatchedJob): SetUp {
  return { instances: vertices.map(({ instances }) => instances), bw: run.bw ?? 100 };
}

export type JobModel = ReturnType<typeof createJobModel>;

/** What runs of a job say together, with intervals. */
export function createJobModel(
  runs: JobRuns,
  { level, size: asked, price, scatter }: Omit<ExplainJobsOptions, 'target'> & { readonly scatter: RunScatter | null },
) {
  const batches = batchesOf(runs);
  const parts = batches.map((_, batch) => estimateThroughput(runs, batches, batch));
  const whole = estimateThroughput(runs, batches);
  const partOf = (without: number) => (without < 0 ? whole : at(parts, without));
  const range = (estimate: (throughput: typeof whole) => number): Ranged | null =>
    ranged({ batches: batches.length, level, scatter }, (without) => estimate(partOf(without)));
  const job = last(runs.jobs);
  const size = asked ?? job.work.reduce((sum, one) => sum + (one[runs.unit] ?? 0), 0);
  const row = (setUp: SetUp & Partial<Pick<ScaleStep, 'raised'>>, of: WatchedJob): SetUpRow => {
    const limit = at(computeLimits(whole, setUp, of), 0);
    const machines = countMachines(of, setUp.instances);
    const seconds = size / limit.rate;
    return {
      ...{ instances: setUp.instances, raised: setUp.raised ?? null, machines, by: limit.by, seconds },
      rate: range((throughput) => computeLimits(throughput, setUp, of)[0]?.rate ?? 0) ?? {
        value: limit.rate,
        low: null,
        high: null,
      },
      price: price === null ? null : machinesPrice(machines, { seconds, perHour: price }),
    };
  };
  return { whole, range, size, row, unit: runs.unit };
}

/** How far the rates of runs lie from the limits that all of them give; null where there are no more runs than limits. */
export function estimateRateScatter(runs: JobRuns): RunScatter | null {
  const whole = estimateThroughput(runs, batchesOf(runs));
  const found = runs.jobs.flatMap((job) => {
    const [limit] = computeLimits(whole, setUpOf(job), job);
    const rate = jobRate(job, runs.unit);
    return limit === undefined || rate === null || rate <= 0
      ? []
      : [{ ratio: rate / limit.rate, by: JSON.stringify(limit.by) }];
  });
  return runScatter(
    found.map(({ ratio }) => ratio),
    new Set(found.map(({ by }) => by)).size,
  );
}

/** The job's work per s in a run; null where it was not counted. */
export function jobRate(job: WatchedJob, unit: WorkUnit): number | null {
  const { periods } = job.judge;
  const counted = periods.filter((_, index) => job.work[index]?.[unit] !== null);
  const work = job.work.reduce((sum, one) => sum + (one[unit] ?? 0), 0);
  return counted.length === 0 ? null : work / watchedSeconds(counted);
}

export function watchedSeconds(periods: readonly { readonly startNs: number; readonly endNs: number }[]): number {
  return periods.reduce((sum, { startNs, endNs }) => sum + (endNs - startNs), 0) / 1e9;
}

/** A set-up on the way to the last one, and what limits it. */
interface ScaleStep extends SetUp {
  readonly limit: RateLimit;
  /** Task that has more instances than in the step before, null in the first. */
  readonly raised: string | null;
}

/** More steps are not shown. */
const MOST_STEPS = 32;
/** Where no edge's limit is known, and the way has no end. */
const STEPS_WITHOUT_END = 8;
/** Of what is a whole number the last digits of a quotient must not make one more. */
const ROUNDING = 1e-9;

/**
 * From a set-up on, the task that limits gets as many instances as it takes for the next one to limit as much, until an edge limits:
 * what is behind it would idle (section VI). After some steps it ends too where no edge's limit is known.
 */
export function scaleOut(throughput: Throughput, start: SetUp, job: WatchedJob): ScaleStep[] {
  const steps: ScaleStep[] = [];
  let instances = start.instances;
  let last: string | null = null;
  while (steps.length < MOST_STEPS) {
    const limits = computeLimits(throughput, { ...start, instances }, job);
    const [limit] = limits;
    if (limit === undefined) break;
    steps.push({ instances, bw: start.bw, limit, raised: last });
    if (limit.by.kind === 'io') break;
    const hasEnd = limits.some(({ by }) => by.kind === 'io');
    if (!hasEnd && steps.length > STEPS_WITHOUT_END) break;
    const place = job.vertices.findIndex(({ id }) => id === limit.by.id);
    const next = limits.find(({ by, rate }) => by.id !== limit.by.id && rate > limit.rate * (1 + ROUNDING));
    if (next === undefined) break;
    instances = instances.with(place, enough(throughput, { place, rate: next.rate, least: at(instances, place) + 1 }));
    last = limit.by.id;
  }
  return steps;
}

/** The least instances of each task at which it does not limit a rate; those of which nothing is known keep theirs. */
export function instancesFor(throughput: Throughput, rate: number, now: readonly number[]): number[] {
  return now.map((count, place) => {
    return (throughput.busyS[place] as number) > 0 ? enough(throughput, { place, rate, least: 1 }) : count;
  });
}

function enough({ busyS }: Throughput, { place, rate, least }: { place: number; rate: number; least: number }): number {
  return Math.max(least, Math.ceil(rate * (busyS[place] as number) - ROUNDING));
}

/**
 * Machines of a set-up: those that the run names, and one of its own for each instance whose host is not known or that is added, as
 * in section VI.
 */
export function countMachines({ vertices }: Pick<WatchedJob, 'vertices'>, instances: readonly number[]): number {
  const hosts = new Set<string>();
  let others = 0;
  for (const [place, vertex] of vertices.entries()) {
    const count = at(instances, place);
    const ownHosts = vertex.hosts.length === vertex.instances;
    for (const host of ownHosts ? vertex.hosts.slice(0, count) : vertex.hosts) hosts.add(host);
    others += Math.max(0, count - (vertex.hosts.length === 0 ? 0 : vertex.instances));
  }
  return hosts.size + others;
}

const HOUR_S = 3600;

/** What so many machines cost for a time: each pays for every hour that has begun (section VI). */
export function machinesPrice(machines: number, { seconds, perHour }: { seconds: number; perHour: number }): number {
  return machines * Math.ceil(seconds / HOUR_S) * perHour;
}

/** The rate at which the tasks on a host keep all of its processors busy. */
export interface HostLimit {
  readonly host: string;
  readonly cores: number;
  readonly rate: number;
}

/**
 * What the processors of a job's hosts allow where its tasks stay on them, the least first. The throughput model supposes that
 * instances do not hinder each other; those that share processors do. Hosts of which nothing was counted are left out.
 */
export function findHostLimits(
  { onCpuS }: Throughput,
  { vertices, run }: Pick<WatchedJob, 'vertices' | 'run'>,
): HostLimit[] {
  const needs = new Map<string, number>();
  for (const [place, { hosts }] of vertices.entries()) {
    for (const host of hosts) needs.set(host, (needs.get(host) ?? 0) + (onCpuS[place] ?? 0) / hosts.length);
  }
  return [...needs]
    .flatMap(([host, need]) => {
      const cores = own(run.cores ?? {}, host);
      return cores === undefined || !(need > 0) ? [] : [{ host, cores, rate: cores / need }];
    })
    .sort((a, b) => a.rate - b.rate);
}

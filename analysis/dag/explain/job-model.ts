import { at, last } from '../../../base/lists.ts';
import { type Ranged, type RunScatter, ranged, runScatter } from '../advice/interval.ts';
import { countMachines, machinesPrice, type ScaleStep } from '../advice/scale-out.ts';
import { batchesOf, computeLimits, estimateThroughput, type JobRuns, type SetUp } from '../advice/throughput.ts';
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

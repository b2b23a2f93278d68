import { at, capital, last } from '../../../base/index.ts';
import {
  batchesOf,
  instancesFor,
  isLink,
  type JobRuns,
  jobRuns,
  limitsOf,
  machinesOf,
  machinesPrice,
  nextStep,
  type Ranged,
  ranged,
  type ScaleStep,
  type SetUp,
  scaleOut,
  throughputOf,
} from '../advice/index.ts';
import { dagResult } from '../case/index.ts';
import type { ReadJob, WatchedJob, WorkUnit } from '../job/index.ts';
import { DOMINANT, meanByTime, summaryOfHistory } from '../judge/index.ts';
import { cautionsOf, notesOf } from './cautions.ts';
import type {
  EdgeRow,
  ExplainedJobs,
  ExplainJobsOptions,
  RunRow,
  SeenCrossing,
  SetUpRow,
  TargetRow,
  TaskRow,
} from './explained.ts';
import { bottleneckWords, type LabelOf, verdictOf } from './words.ts';

/** Errors: `badInput` for runs of different jobs. */
export function explainJobs(reads: readonly ReadJob[], options: ExplainJobsOptions): ExplainedJobs {
  const jobs = reads.map(({ job }) => job);
  const all = jobRuns(jobs);
  const job = last(jobs);
  const model = all === null ? null : modelOf(all, options);
  const first = all === null ? null : { unit: all.unit, jobs: [at(jobs, 0)] };
  const runs = reads.map((read, index) => runRow(read, { unit: all?.unit ?? null, first: index === 0 ? null : first }));
  const start = setUpOf(job);
  const steps = model === null ? [] : scaleOut(model.whole, start, job).map((step) => model.row(step, job));
  return {
    unit: all?.unit ?? null,
    size: model?.size ?? null,
    runs,
    tasks: taskRows(job, model),
    edges: edgeRows(job, { model, runs }),
    steps,
    target: model === null || options.target === null ? null : targetRow(options.target, { model, job, start }),
    tellsMachines: options.price !== null || new Set(job.vertices.flatMap(({ hosts }) => hosts)).size > 1,
    notes: [
      ...reads.flatMap(({ problems }) => problems),
      ...jobs.flatMap(notesOf),
      ...closeNotes(last(runs), { steps, job }),
      ...modelNotes(model),
    ],
  };
}

function setUpOf({ vertices, run }: WatchedJob): SetUp {
  return { instances: vertices.map(({ instances }) => instances), bw: run.bw ?? 100 };
}

type Model = ReturnType<typeof modelOf>;

function modelOf(runs: JobRuns, { level, size: asked, price }: ExplainJobsOptions) {
  const batches = batchesOf(runs);
  const parts = batches.map((_, batch) => throughputOf(runs, batches, batch));
  const whole = throughputOf(runs, batches);
  const partOf = (without: number) => (without < 0 ? whole : at(parts, without));
  const range = (estimate: (throughput: typeof whole) => number): Ranged | null =>
    ranged(batches.length, level, (without) => estimate(partOf(without)));
  const job = last(runs.jobs);
  const size = asked ?? job.work.reduce((sum, one) => sum + (one[runs.unit] ?? 0), 0);
  const row = (setUp: SetUp & Partial<Pick<ScaleStep, 'raised'>>, of: WatchedJob): SetUpRow => {
    const limit = at(limitsOf(whole, setUp, of), 0);
    const machines = machinesOf(of, setUp.instances);
    const seconds = size / limit.rate;
    return {
      ...{ instances: setUp.instances, raised: setUp.raised ?? null, machines, by: limit.by, seconds },
      rate: range((throughput) => limitsOf(throughput, setUp, of)[0]?.rate ?? 0) ?? {
        value: limit.rate,
        low: null,
        high: null,
      },
      price: price === null ? null : machinesPrice(machines, { seconds, perHour: price }),
    };
  };
  return { whole, range, size, row, unit: runs.unit, runs: runs.jobs.length };
}

function runRow({ folder, job }: ReadJob, { unit, first }: { unit: WorkUnit | null; first: JobRuns | null }): RunRow {
  const { periods } = job.judge;
  const summary = summaryOfHistory(job.judge);
  const labelOf: LabelOf = (id, kind) => job.labelOf(id, kind);
  const seconds = secondsOf(periods);
  const counted = unit === null ? [] : periods.filter((_, index) => job.work[index]?.[unit] !== null);
  const work = unit === null ? 0 : job.work.reduce((sum, one) => sum + (one[unit] ?? 0), 0);
  const [limit] = first === null ? [] : limitsOf(throughputOf(first, batchesOf(first)), setUpOf(job), job);
  const { instances } = setUpOf(job);
  return {
    ...{
      folder,
      source: job.run.source,
      bw: job.run.bw,
      seconds,
      instances,
      machines: machinesOf(job, instances),
      summary,
    },
    rate: counted.length === 0 ? null : work / secondsOf(counted),
    predicted: limit?.rate ?? null,
    predictedBy: limit?.by ?? null,
    verdict: verdictOf(job.judge, { summary, labelOf }),
    advice: nextStep(job.judge, { summary, instances: job.instances() }),
    cautions: cautionsOf(job.judge, labelOf),
  };
}

function taskRows(job: WatchedJob, model: Model | null): TaskRow[] {
  const { periods } = job.judge;
  const mean = (valuesOf: Parameters<typeof meanByTime<(typeof periods)[number]>>[2]): Float64Array =>
    meanByTime(job.vertices.length, periods, valuesOf);
  const [busy, imbalance] = [mean(({ pt }) => pt), mean((period) => period.imbalance)];
  const [cpu, disk] = [mean((_, index) => job.work[index]?.cpu), mean((_, index) => job.work[index]?.disk)];
  const { shares } = summaryOfHistory(job.judge);
  return job.vertices.map(({ id, label, instances }, place) => ({
    ...{ id, label, instances, busy: known(busy[place]), imbalance: known(imbalance[place]) },
    ...{ cpu: known(cpu[place]), disk: known(disk[place]) },
    share: shares.find((one) => one.kind === 'cpu' && one.id === id)?.share ?? 0,
    busyS: model?.range(({ busyS }) => busyS[place] as number) ?? null,
    limit: model?.range(({ busyS }) => instances / (busyS[place] as number)) ?? null,
  }));
}

function edgeRows(
  job: WatchedJob,
  { model, runs }: { readonly model: Model | null; readonly runs: readonly RunRow[] },
): EdgeRow[] {
  const { periods } = job.judge;
  const full = meanByTime(job.edges.length, periods, ({ st }) => st);
  const { shares } = summaryOfHistory(job.judge);
  const seconds = secondsOf(periods);
  const { instances, bw } = setUpOf(job);
  return job.edges.map((edge, place) => {
    const overNetwork = isLink(edge, job);
    const bytes = job.work.reduce((sum, { edgeBytes }) => sum + (edgeBytes[place] ?? Number.NaN), 0);
    return {
      ...{ id: edge.id, label: job.labelOf(edge.id, 'io'), from: edge.from, to: edge.to, full: known(full[place]) },
      share: shares.find((one) => one.kind === 'io' && one.id === edge.id)?.share ?? 0,
      bytesPerS: seconds > 0 ? known(bytes / seconds) : null,
      limit: model?.range(({ edgeRate }) => (edgeRate[place] as number) * (overNetwork ? bw / 100 : 1)) ?? null,
      basis: model?.whole.edgeBasis[place] ?? null,
      crossingBw: overNetwork
        ? (model?.range((throughput) => {
            const task = limitsOf(throughput, { instances, bw }, job).find(({ by }) => by.kind === 'cpu');
            return ((task?.rate ?? Number.NaN) / (throughput.edgeRate[place] as number)) * 100;
          }) ?? null)
        : null,
      seenCrossing: seenCrossing(edge.id, runs),
    };
  });
}

/** What runs at several bandwidths say of where an edge takes over. */
function seenCrossing(id: string, runs: readonly RunRow[]): SeenCrossing | null {
  const seen = runs.flatMap(({ bw, summary: { shares } }) => {
    const share = shares.find((one) => one.kind === 'io' && one.id === id)?.share ?? 0;
    return bw === null ? [] : [{ bw, limits: share >= DOMINANT }];
  });
  if (new Set(seen.map(({ bw }) => bw)).size < 2 || !seen.some(({ limits }) => limits)) return null;
  const limited = Math.max(...seen.filter(({ limits }) => limits).map(({ bw }) => bw));
  const free = Math.min(...seen.filter(({ bw, limits }) => !limits && bw > limited).map(({ bw }) => bw));
  return { limited, free: Number.isFinite(free) ? free : null };
}

function targetRow(rate: number, { model, job, start }: { model: Model; job: WatchedJob; start: SetUp }): TargetRow {
  const instances = instancesFor(model.whole, rate, start.instances);
  const setUp = { ...start, instances };
  const edge = limitsOf(model.whole, setUp, job).find(({ by }) => by.kind === 'io');
  const safeInstances = job.vertices.map((_, place) => {
    const busy = model.range(({ busyS }) => busyS[place] as number);
    return Math.max(at(instances, place), Math.ceil(rate * (busy?.high ?? 0)));
  });
  return {
    ...{ rate, setUp: model.row(setUp, job), safeInstances },
    endsAt: edge !== undefined && edge.rate < rate ? edge.by.id : null,
  };
}

/** Where what is busy most often and what has the lowest rate are two, both are close to their limits. */
function closeNotes(
  { summary: { dominant } }: RunRow,
  { steps: [now], job }: { readonly steps: readonly SetUpRow[]; readonly job: WatchedJob },
): string[] {
  if (dominant === null || now === undefined || (dominant.kind === now.by.kind && dominant.id === now.by.id)) return [];
  const [named, least] = [dominant, now.by].map((one) => bottleneckWords(one, (id, kind) => job.labelOf(id, kind)));
  return [
    `${capital(named ?? '')} is the bottleneck most often, while by the rates ${least} limits first: both are close to their limits, and one alone gains little.`,
  ];
}

function modelNotes(model: Model | null): string[] {
  if (model === null) {
    return [
      'Neither records nor bytes were counted, so no rate is known: the advice is without rates, times and prices.',
    ];
  }
  return [
    `Rates suppose that ${model.unit === 'records' ? 'a record costs' : 'bytes cost'} the same in every run and that instances do not hinder each other; intervals are the scatter of the periods alone.`,
  ];
}

function secondsOf(periods: readonly { readonly startNs: number; readonly endNs: number }[]): number {
  return periods.reduce((sum, { startNs, endNs }) => sum + (endNs - startNs), 0) / 1e9;
}

function known(value: number | undefined): number | null {
  return value === undefined || Number.isNaN(value) ? null : value;
}

/** The plain data of every run's periods, for `--json`. */
export function resultsOf(reads: readonly ReadJob[]) {
  return reads.map(({ folder, job }) => ({ folder, ...dagResult(job.judge, job.instances()) }));
}

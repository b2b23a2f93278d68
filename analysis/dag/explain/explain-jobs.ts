import { at, last } from '../../../base/index.ts';
import {
  batchesOf,
  instancesFor,
  isLink,
  type JobRuns,
  jobRuns,
  limitsOf,
  machinesOf,
  machinesPrice,
  type NextStep,
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
import { type Bottleneck, type DagSummary, meanByTime, summaryOfHistory } from '../judge/index.ts';
import { cautionsOf, notesOf } from './cautions.ts';
import { type LabelOf, verdictOf } from './words.ts';

export interface ExplainJobsOptions {
  /** Probability of intervals. */
  readonly level: number;
  /** Work per s that the job is to reach; null for none. */
  readonly target: number | null;
  /** Work of the whole job; null: what the last run did. */
  readonly size: number | null;
  /** Of a machine and hour; null for none. */
  readonly price: number | null;
}

/** What a task did in one run, and what it takes. */
export interface TaskRow {
  readonly id: string;
  readonly label: string;
  readonly instances: number;
  /** Means over the run; null where unknown. */
  readonly busy: number | null;
  readonly imbalance: number | null;
  readonly cpu: number | null;
  readonly disk: number | null;
  /** Share of the time in which it was the bottleneck. */
  readonly share: number;
  /** Busy seconds of one instance per unit of the job's work, and the job's rate at which its instances are busy all the time. */
  readonly busyS: Ranged | null;
  readonly limit: Ranged | null;
}

export interface EdgeRow {
  readonly id: string;
  readonly label: string;
  readonly from: string;
  readonly to: string;
  /** Mean share of time in which it was full. */
  readonly full: number | null;
  readonly share: number;
  /** Bytes per s of the run. */
  readonly bytesPerS: number | null;
  /** The job's rate that it lets through, in the set-up of the run. */
  readonly limit: Ranged | null;
  readonly basis: 'full' | 'link' | null;
  /** Of a network edge, percent of the line rate below which it limits instead of the tasks. */
  readonly crossingBw: Ranged | null;
}

export interface RunRow {
  readonly folder: string;
  readonly source: string;
  readonly bw: number | null;
  readonly seconds: number;
  readonly instances: readonly number[];
  readonly machines: number;
  /** The job's work per s, null where it was not counted. */
  readonly rate: number | null;
  /** The same from the first run alone; null for the first. */
  readonly predicted: number | null;
  readonly predictedBy: Bottleneck | null;
  readonly summary: DagSummary;
  readonly verdict: string;
  readonly advice: NextStep;
  readonly cautions: readonly string[];
}

/** A set-up with what is to be expected of it. */
export interface SetUpRow {
  readonly instances: readonly number[];
  readonly raised: string | null;
  readonly machines: number;
  readonly rate: Ranged;
  readonly by: Bottleneck;
  /** Of the whole job, and its price. */
  readonly seconds: number;
  readonly price: number | null;
}

export interface TargetRow {
  readonly rate: number;
  readonly setUp: SetUpRow;
  /** By the upper ends of the intervals. */
  readonly safeInstances: readonly number[];
  /** An edge that lets less through; null where the target can be reached. */
  readonly endsAt: string | null;
}

/** Runs of one job explained: what the CLI prints, `--json` is and the page draws. */
export interface ExplainedJobs {
  readonly unit: WorkUnit | null;
  readonly size: number | null;
  readonly runs: readonly RunRow[];
  /** Of the last run, with limits from all. */
  readonly tasks: readonly TaskRow[];
  readonly edges: readonly EdgeRow[];
  /** From the set-up of the last run to the one where an edge ends it. */
  readonly steps: readonly SetUpRow[];
  readonly target: TargetRow | null;
  readonly notes: readonly string[];
}

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
    edges: edgeRows(job, model),
    steps,
    target: model === null || options.target === null ? null : targetRow(options.target, { model, job, start }),
    notes: [...reads.flatMap(({ problems }) => problems), ...jobs.flatMap(notesOf), ...modelNotes(model)],
  };
}

export function setUpOf({ vertices, run }: WatchedJob): SetUp {
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
  const seconds = periods.reduce((sum, { startNs, endNs }) => sum + (endNs - startNs), 0) / 1e9;
  const work = unit === null ? null : job.work.reduce((sum, one) => sum + (one[unit] ?? 0), 0);
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
    rate: work === null || seconds === 0 ? null : work / seconds,
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

function edgeRows(job: WatchedJob, model: Model | null): EdgeRow[] {
  const { periods } = job.judge;
  const full = meanByTime(job.edges.length, periods, ({ st }) => st);
  const { shares } = summaryOfHistory(job.judge);
  const seconds = periods.reduce((sum, { startNs, endNs }) => sum + (endNs - startNs), 0) / 1e9;
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
    };
  });
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

function known(value: number | undefined): number | null {
  return value === undefined || Number.isNaN(value) ? null : value;
}

/** The plain data of every run's periods, for `--json`. */
export function resultsOf(reads: readonly ReadJob[]) {
  return reads.map(({ folder, job }) => ({ folder, ...dagResult(job.judge, job.instances()) }));
}

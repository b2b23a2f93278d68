import { at, last } from '../../../base/lists.ts';
import { capital } from '../../../base/text.ts';
import { trimNumber } from '../../../base/units.ts';
import { nextStep, unnamedHolder } from '../advice/next-step.ts';
import { computeLimits, jobRuns, type RunScatter, type SetUp, type Throughput } from '../advice/throughput.ts';
import { isLink, type ReadJob, type WatchedJob, type WorkUnit } from '../job/watched-job.ts';
import { DOMINANT, meanByTime, summaryOfHistory } from '../judge/summarise-job.ts';
import { describeCautions, describeNotes, standstillNotes, unknownTaskNotes } from './cautions.ts';
import {
  dagResult,
  type EdgeRow,
  type ExplainedJobs,
  type ExplainJobsOptions,
  type RunRow,
  type SeenCrossing,
  type SetUpRow,
  type TargetRow,
  type TaskRow,
} from './explained.ts';
import {
  countMachines,
  createJobModel,
  estimateRateScatter,
  findHostLimits,
  type HostLimit,
  instancesFor,
  type JobModel,
  jobRate,
  scaleOut,
  setUpOf,
  watchedSeconds,
} from './job-model.ts';
import { bottleneckWords, rateText, verdictOf } from './job-words.ts';

/** Errors: `badInput` for runs of different jobs. */
export function explainJobs(reads: readonly ReadJob[], options: ExplainJobsOptions): ExplainedJobs {
  const jobs = reads.map(({ job }) => job);
  const all = jobRuns(jobs);
  const job = last(jobs);
  const scatter = all === null ? null : estimateRateScatter(all);
  const model = all === null ? null : createJobModel(all, { ...options, scatter });
  const first = all === null ? null : createJobModel({ unit: all.unit, jobs: [at(jobs, 0)] }, { ...options, scatter });
  const runs = reads.map((read, index) => {
    return runRow(read, { unit: all?.unit ?? null, first: first && { model: first, isIt: index === 0 } });
  });
  const start = setUpOf(job);
  const steps = model === null ? [] : scaleOut(model.whole, start, job).map((step) => model.row(step, job));
  const tasks = taskRows(job, model);
  return {
    unit: all?.unit ?? null,
    size: model?.size ?? null,
    runs,
    tasks,
    edges: edgeRows(job, { model, runs }),
    steps,
    target: model === null || options.target === null ? null : targetRow(options.target, { model, job, start }),
    tellsMachines: options.price !== null || new Set(job.vertices.flatMap(({ hosts }) => hosts)).size > 1,
    notes: [
      ...reads.flatMap(({ problems }) => problems),
      ...jobs.flatMap(describeNotes),
      ...closeNotes(last(runs), { steps, job }),
      ...standstillNotes(last(runs), tasks),
      ...modelNotes(model, scatter),
      ...(model === null ? [] : unknownTaskNotes(tasks, model.unit)),
      ...processorNotes(model, { job, steps }),
    ],
  };
}

interface FirstRun {
  readonly model: JobModel;
  readonly isIt: boolean;
}

function runRow({ folder, job }: ReadJob, { unit, first }: { unit: WorkUnit | null; first: FirstRun | null }): RunRow {
  const { instances } = setUpOf(job);
  const { summary, holder, verdict, advice } = concludeJob(job);
  const asked = first === null || first.isIt ? null : first.model;
  return {
    ...{ folder, source: job.run.source, bw: job.run.bw, seconds: watchedSeconds(job.judge.periods) },
    ...{ instances, machines: countMachines(job, instances), summary, holder },
    rate: unit === null ? null : jobRate(job, unit),
    predicted: asked?.range((throughput) => leastLimit(throughput, job)?.rate ?? 0) ?? null,
    predictedBy: asked === null ? null : (leastLimit(asked.whole, job)?.by ?? null),
    ...{ verdict, advice },
    cautions: describeCautions(job.judge, job.labelOf),
  };
}

/** What all periods of a run say together; also of a run that goes on. */
export function concludeJob(job: WatchedJob): Pick<RunRow, 'summary' | 'holder' | 'verdict' | 'advice'> {
  const summary = summaryOfHistory(job.judge);
  const holder = unnamedHolder(job, summary);
  return {
    ...{ summary, holder },
    verdict: verdictOf(job.judge, { summary, labelOf: job.labelOf, holder }),
    advice: nextStep(job.judge, { summary, instances: job.instances(), holder }),
  };
}

/** What limits a run as it is: a task, an edge, or what its tasks share. */
function leastLimit(throughput: Throughput, job: WatchedJob): { rate: number; by: RunRow['predictedBy'] } | null {
  const [limit] = computeLimits(throughput, setUpOf(job), job);
  const [shared] = findHostLimits(throughput, job);
  if (shared === undefined || (limit !== undefined && limit.rate <= shared.rate)) return limit ?? null;
  return { rate: shared.rate, by: { kind: 'host', id: shared.host } };
}

function taskRows(job: WatchedJob, model: JobModel | null): TaskRow[] {
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
    basis: model?.whole.busyBasis[place] ?? null,
  }));
}

function edgeRows(
  job: WatchedJob,
  { model, runs }: { readonly model: JobModel | null; readonly runs: readonly RunRow[] },
): EdgeRow[] {
  const { periods } = job.judge;
  const full = meanByTime(job.edges.length, periods, ({ st }) => st);
  const { shares } = summaryOfHistory(job.judge);
  const seconds = watchedSeconds(periods);
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
            const task = computeLimits(throughput, { instances, bw }, job).find(({ by }) => by.kind === 'cpu');
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

function targetRow(rate: number, { model, job, start }: { model: JobModel; job: WatchedJob; start: SetUp }): TargetRow {
  const instances = instancesFor(model.whole, rate, start.instances);
  const setUp = { ...start, instances };
  const edge = computeLimits(model.whole, setUp, job).find(({ by }) => by.kind === 'io');
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
  const [named, least] = [dominant, now.by].map((one) => bottleneckWords(one, job.labelOf));
  return [
    `${capital(named ?? '')} is the bottleneck most often, but by the rates ${least} limits first. Both are close to their limits, so improving one alone gains little.`,
  ];
}

function modelNotes(model: JobModel | null, scatter: RunScatter | null): string[] {
  if (model === null) {
    return ['Neither records nor bytes were counted, so the advice has no rates, times or prices.'];
  }
  const [cost, further] = [
    model.unit === 'records' ? 'a record costs' : 'bytes cost',
    scatter === null
      ? 'intervals cover the scatter between periods but not between runs: repeat a run to include it'
      : `intervals cover the scatter between periods and between runs (${trimNumber(scatter.deviation * 100)} % from the model)`,
  ];
  return [
    `Rates assume that ${cost} the same in every run and that instances do not slow each other down; ${further}.`,
  ];
}

/** Where all instances stay on the hosts of the run, what is beyond their processors cannot be had. */
function processorNotes(
  model: JobModel | null,
  { job, steps }: { readonly job: WatchedJob; readonly steps: readonly SetUpRow[] },
): string[] {
  const most = Math.max(0, ...steps.map(({ rate }) => rate.value));
  return hostLimitsOf(model, job).flatMap(({ host, cores, rate }) => {
    if (rate >= most) return [];
    return [
      `With all instances on ${host}, its ${cores === 1 ? 'processor limits' : `${cores} processors limit`} the job at ${rateText(rate, model?.unit ?? null)}: larger steps need more machines.`,
    ];
  });
}

function hostLimitsOf(model: JobModel | null, job: WatchedJob): HostLimit[] {
  return model === null ? [] : findHostLimits(model.whole, job);
}

function known(value: number | undefined): number | null {
  return value === undefined || Number.isNaN(value) ? null : value;
}

/** The plain data of every run's periods, for `--json`. */
export function resultsOf(reads: readonly ReadJob[]) {
  return reads.map(({ folder, job }) => ({
    ...{ folder, ...dagResult(job.judge, job.instances(), concludeJob(job).holder) },
  }));
}

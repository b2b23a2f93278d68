import { isDeepStrictEqual } from 'node:util';
import { badInput } from '../../../base/errors.ts';
import { at } from '../../../base/lists.ts';
import { shortened } from '../../../base/text.ts';
import { WIRE_BYTES } from '../../../base/units.ts';
import type { DagEdge } from '../../../experiments/dag/dag-records.ts';
import { studentQuantile } from '../../../modeling/judge/distributions.ts';
import { isLink, isPipe, type WatchedJob, type WorkUnit } from '../job/watched-job.ts';
import type { Bottleneck } from '../judge/summarise-job.ts';
import { heldUpBy } from './next-step.ts';

/** Amounts of a stretch of a run. Arrays go by places of tasks and edges of the first run. */
interface Amounts {
  /** Records or bytes that came into the job, and in how many s. */
  work: number;
  timeS: number;
  /** Instance-seconds in state PROCESSING; NaN while nobody of a task lived. */
  readonly busyS: Float64Array;
  /** The most that they can have been where nobody knows it (\`PeriodWork.busyAtMost\`). */
  readonly busyAtMostS: Float64Array;
  /** Of them on a processor; NaN where that is not known. */
  readonly onCpuS: Float64Array;
  /** The same two of the periods in which an edge was the bottleneck; its time as if at the whole line rate. */
  readonly fullWork: Float64Array;
  readonly fullTimeS: Float64Array;
  readonly edgeBytes: Float64Array;
  /** What the link of an edge carries at the whole line rate, bit/s; NaN where nobody knows. */
  readonly linkBps: Float64Array;
}

/** What a job needs for a record, which is the same in every run (assumption 7). Rates are of the job's work per s. */
export interface Throughput {
  /** Busy seconds of each task per record (or byte) of the job. */
  readonly busyS: Float64Array;
  /** Whether that is measured, or in some period the most that it can be, so that the task may allow more; null where nothing is known. */
  readonly busyBasis: readonly ('measured' | 'at most' | null)[];
  /** Of them on a processor; 0 where nobody counted. */
  readonly onCpuS: Float64Array;
  /** What each edge lets through at the whole line rate; NaN where no run says. */
  readonly edgeRate: Float64Array;
  /** Where that is from: the rate while the edge was full, or bytes per record and the rate of its link. */
  readonly edgeBasis: readonly ('full' | 'link' | null)[];
}

/** The same job in several runs. */
export interface JobRuns {
  readonly unit: WorkUnit;
  readonly jobs: readonly WatchedJob[];
}

/** Null where some run did no work that was counted. Errors: `badInput` for runs of different tasks. */
export function jobRuns(jobs: readonly WatchedJob[]): JobRuns | null {
  const [first] = jobs;
  if (first === undefined) return null;
  const names = listNames(first);
  for (const job of jobs) {
    const own = listNames(job);
    if (isDeepStrictEqual(own, names)) continue;
    const [missing] = [...names, ...own].filter((name) => !names.includes(name) || !own.includes(name));
    const what = missing === undefined ? 'they were seen in another order' : `not all have ${shortened(missing)}`;
    throw badInput(`The runs have different tasks or edges (${what}): name runs of one job.`);
  }
  const units = jobs.map((job) => job.unit());
  if (units.some((unit) => unit === null)) return null;
  const unit = units.every((one) => one === 'records') ? 'records' : 'bytes';
  const counted = jobs.every(({ work }) => work.some((one) => (one[unit] ?? 0) > 0));
  return counted ? { unit, jobs } : null;
}

function listNames({ vertices, edges }: WatchedJob): readonly string[] {
  return [...vertices.map(({ id }) => id), ...edges.map(({ id, from, to }) => `${id} from ${from} to ${to}`)];
}

/** The most stretches of a run: their means are independent enough for an interval (batch means: Schmeiser, 1982). */
const MOST_BATCHES = 20;

/** Each run in stretches of equal numbers of periods. */
export function batchesOf({ jobs, unit }: JobRuns): Amounts[] {
  return jobs.flatMap((job) => {
    const { periods } = job.judge;
    const count = Math.min(MOST_BATCHES, periods.length);
    return Array.from({ length: count }, (_, batch) => {
      const [from, to] = [batch, batch + 1].map((index) => Math.round((index * periods.length) / count));
      return amountsOf(job, { unit, from: from ?? 0, to: to ?? 0 });
    });
  });
}

function amountsOf(job: WatchedJob, { unit, from, to }: { unit: WorkUnit; from: number; to: number }): Amounts {
  const { vertices, edges, judge } = job;
  const amounts = noAmounts(job);
  const bw = (job.run.bw ?? 100) / 100;
  const isHeldUp = heldUpBy(job) !== null;
  for (let index = from; index < to; index += 1) {
    const { startNs, endNs, pt, io } = at(judge.periods, index);
    const { edgeBytes, onCpu, busyAtMost, [unit]: work } = at(job.work, index);
    // A period that counted nothing tells nothing of a record.
    if (work === null) continue;
    const timeS = (endNs - startNs) / 1e9;
    amounts.work += work;
    amounts.timeS += timeS;
    for (const [place, { instances }] of vertices.entries()) {
      const busy = pt[place] ?? Number.NaN;
      add(amounts.busyS, place, busy * instances * timeS);
      if (Number.isNaN(busy)) add(amounts.busyAtMostS, place, (busyAtMost[place] ?? Number.NaN) * instances * timeS);
      add(amounts.onCpuS, place, (onCpu[place] ?? Number.NaN) * instances * timeS);
    }
    for (const [place] of edges.entries()) add(amounts.edgeBytes, place, edgeBytes[place] ?? Number.NaN);
    for (const place of io) {
      // It is full because a task behind it does not take.
      if (isHeldUp && isPipe(edges[place], job)) continue;
      const factor = isLink(edges[place], job) ? bw : 1;
      add(amounts.fullWork, place, work);
      add(amounts.fullTimeS, place, timeS * factor);
    }
  }
  for (const [place, edge] of edges.entries()) amounts.linkBps[place] = (edge.linkBps ?? Number.NaN) / bw;
  return amounts;
}

const OF_TASKS = ['busyS', 'busyAtMostS', 'onCpuS'] as const;
const OF_EDGES = ['fullWork', 'fullTimeS', 'edgeBytes'] as const;

function noAmounts({ vertices, edges }: WatchedJob): Amounts {
  const zeros = <Key extends string>(keys: readonly Key[], length: number): Record<Key, Float64Array> =>
    Object.fromEntries(keys.map((key) => [key, new Float64Array(length)])) as Record<Key, Float64Array>;
  const linkBps = new Float64Array(edges.length).fill(Number.NaN);
  return { work: 0, timeS: 0, ...zeros(OF_TASKS, vertices.length), ...zeros(OF_EDGES, edges.length), linkBps };
}

/** What is unknown adds nothing. */
function add(sums: Float64Array, place: number, value: number): void {
  if (!Number.isNaN(value)) sums[place] = (sums[place] as number) + value;
}

/** The model of a job from stretches of its runs, of which one may be left out. */
export function estimateThroughput({ jobs }: JobRuns, batches: readonly Amounts[], without = -1): Throughput {
  const job = at(jobs, 0);
  const { edges } = job;
  const sum = noAmounts(job);
  for (const [index, batch] of batches.entries()) {
    if (index === without) continue;
    sum.work += batch.work;
    for (const key of [...OF_TASKS, ...OF_EDGES]) {
      for (const [place, value] of batch[key].entries()) add(sum[key], place, value);
    }
    for (const [place, rate] of batch.linkBps.entries()) if (!Number.isNaN(rate)) sum.linkBps[place] = rate;
  }
  const full = sum.fullWork.map((work, place) => work / at(sum.fullTimeS, place));
  const link = Float64Array.from(edges, (edge, place) => {
    const shared = edges.reduce((bytes, other, index) => {
      return sharesLink(edge, other, job) ? bytes + at(sum.edgeBytes, index) : bytes;
    }, 0);
    return shared > 0 ? ((at(sum.linkBps, place) / 8 / WIRE_BYTES) * sum.work) / shared : Number.NaN;
  });
  return {
    busyS: sum.busyS.map((busy, place) => (busy + at(sum.busyAtMostS, place)) / sum.work),
    busyBasis: Array.from(sum.busyS, (busy, place) =>
      at(sum.busyAtMostS, place) > 0 ? 'at most' : busy > 0 ? 'measured' : null,
    ),
    onCpuS: sum.onCpuS.map((onCpu) => onCpu / sum.work),
    edgeRate: full.map((rate, place) => (Number.isNaN(rate) ? at(link, place) : rate)),
    edgeBasis: edges.map((_, place) =>
      !Number.isNaN(full[place]) ? 'full' : !Number.isNaN(link[place]) ? 'link' : null,
    ),
  };
}

/** Edges that leave one host for others go through its link together. */
function sharesLink(edge: DagEdge, other: DagEdge, job: WatchedJob): boolean {
  if (edge === other) return true;
  if (!isLink(edge, job) || !isLink(other, job)) return false;
  const hostsOf = (id: string): readonly string[] => job.vertices.find((one) => one.id === id)?.hosts ?? [];
  const [own, its] = [hostsOf(edge.from), hostsOf(other.from)];
  return own.length === 1 && its.length === 1 && own[0] === its[0];
}

/** What a rate is limited by. */
export interface RateLimit {
  readonly rate: number;
  readonly by: Bottleneck;
}

/** A set-up of the job: instances by places of tasks, bandwidth in percent of the line rate. */
export interface SetUp {
  readonly instances: readonly number[];
  readonly bw: number;
}

/** The limits of a set-up, the least first; of equal ones tasks first. Tasks and edges of which nothing is known limit nothing. */
export function computeLimits({ busyS, edgeRate }: Throughput, { instances, bw }: SetUp, job: WatchedJob): RateLimit[] {
  const limits: RateLimit[] = [];
  for (const [place, { id }] of job.vertices.entries()) {
    const busy = at(busyS, place);
    if (busy > 0) limits.push({ rate: (instances[place] ?? 0) / busy, by: { kind: 'cpu', id } });
  }
  for (const [place, edge] of job.edges.entries()) {
    const rate = at(edgeRate, place) * (isLink(edge, job) ? bw / 100 : 1);
    if (rate > 0) limits.push({ rate, by: { kind: 'io', id: edge.id } });
  }
  return limits.sort((a, b) => a.rate - b.rate);
}

/** A value with an interval; null ends where too few periods tell. */
export interface Ranged {
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
}

/** How far whole runs lie from what the model says of them: the standard deviation of the logarithm of their rates, and what it rests on. */
export interface RunScatter {
  readonly deviation: number;
  readonly freedom: number;
}

/** From each run's rate over the model's, of which `fitted` numbers were taken from the same runs; null where none is left over. */
export function runScatter(ratios: readonly number[], fitted: number): RunScatter | null {
  const freedom = ratios.length - fitted;
  if (freedom < 1) return null;
  const squares = ratios.reduce((sum, ratio) => sum + Math.log(ratio) ** 2, 0);
  return { deviation: Math.sqrt(squares / freedom), freedom };
}

/**
 * A positive number that stretches of runs give together, with the interval of their scatter: the jackknife over stretches (Efron,
 * 1982) on the number's logarithm with Student's t, widened by the scatter of whole runs where several tell of it. It does not tell how far a
 * record's cost changes with the set-up. Null where the number is not known.
 */
export function ranged(
  {
    batches,
    level,
    scatter,
  }: { readonly batches: number; readonly level: number; readonly scatter: RunScatter | null },
  estimate: (without: number) => number,
): Ranged | null {
  const value = estimate(-1);
  if (!(value > 0) || !Number.isFinite(value)) return null;
  const logs = Array.from({ length: batches }, (_, batch) => Math.log(estimate(batch))).filter(Number.isFinite);
  if (logs.length < 2 && scatter === null) return { value, low: null, high: null };
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  const squares = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0);
  const periods =
    logs.length < 2
      ? 0
      : studentQuantile(logs.length - 1, level) * Math.sqrt((squares * (logs.length - 1)) / logs.length);
  const runs = scatter === null ? 0 : studentQuantile(scatter.freedom, level) * scatter.deviation;
  const factor = Math.exp(Math.hypot(periods, runs));
  return { value, low: value / factor, high: value * factor };
}

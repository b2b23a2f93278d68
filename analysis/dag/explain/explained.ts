import { type Holder, type NextStep, nextStep } from '../advice/next-step.ts';
import type { Ranged } from '../advice/throughput.ts';
import type { WorkUnit } from '../job/watched-job.ts';
import type { DagHistory } from '../judge/judge.ts';
import { type Bottleneck, bottlenecksOf, type DagSummary, summaryOfHistory } from '../judge/summarise-job.ts';

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
  /** \`at most\`: what it takes is not known, but its most is, so it may allow more than \`limit\`; null where nothing is known. */
  readonly basis: 'measured' | 'at most' | null;
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
  /** The same as runs at several bandwidths show it; null without such runs. */
  readonly seenCrossing: SeenCrossing | null;
}

/** Percent of the line rate: up to `limited` the edge was the bottleneck for half of the time, from `free` on it was not. */
export interface SeenCrossing {
  readonly limited: number;
  readonly free: number | null;
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
  readonly predicted: Ranged | null;
  /** A task, an edge, or the processors of a host. */
  readonly predictedBy: { readonly kind: Bottleneck['kind'] | 'host'; readonly id: string } | null;
  readonly summary: DagSummary;
  /** The task that limits most where nothing is the bottleneck for long, because tasks take turns; else null. */
  readonly holder: Holder | null;
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
  /** Whether machines are worth telling: the job is spread over several, or their price was asked for. */
  readonly tellsMachines: boolean;
  readonly notes: readonly string[];
}

/** A judged run as plain data. `instances` by id of the task; `holder` as of `nextStep`. */
export function dagResult(history: DagHistory, instances: ReadonlyMap<string, number>, holder: Holder | null = null) {
  const summary = summaryOfHistory(history);
  const { graph } = history;
  const shareOf = (kind: 'cpu' | 'io') =>
    Object.fromEntries(summary.shares.filter((one) => one.kind === kind).map(({ id, share }) => [id, share]));
  return {
    periods: history.periods.map((period) => {
      const found = bottlenecksOf(graph, period);
      const idsOf = (kind: 'cpu' | 'io') => found.filter((one) => one.kind === kind).map(({ id }) => id);
      return {
        ...{ startNs: period.startNs, endNs: period.endNs },
        pt: valuesById(graph.vertexIds, period.pt),
        st: valuesById(graph.edgeIds, period.st),
        ...{ cpu: idsOf('cpu'), ioChecked: period.ioChecked, io: idsOf('io') },
      };
    }),
    shares: { cpu: shareOf('cpu'), io: shareOf('io'), none: summary.none },
    timeline: summary.timeline.map(({ kind, id, startNs, endNs }) => ({ kind, id, startNs, endNs })),
    dominant: summary.dominant,
    advice: nextStep(history, { summary, instances, holder }),
  };
}

/** NaN, where nobody lived, is null. */
function valuesById(ids: readonly string[], values: Float64Array): Record<string, number | null> {
  return Object.fromEntries(ids.map((id, place) => [id, finiteOrNull(values[place])]));
}

function finiteOrNull(value: number | undefined): number | null {
  return value === undefined || Number.isNaN(value) ? null : value;
}

import { explainJobs } from '../../../analysis/dag/explain/explain-jobs.ts';
import type { ExplainedJobs } from '../../../analysis/dag/explain/explained.ts';
import { changed, randomJob } from './random-jobs.ts';
import { type SimulatedJob, simulateJob } from './simulate-job.ts';
import { watched } from './watched.ts';

/** What came of the advice for one random job. */
export interface AdviceOutcome {
  readonly seed: number;
  /** What the judge named; null for nothing that dominates. */
  readonly named: string | null;
  /** The single doubling of a task or link that helps most, and by what factor; that of the named one. */
  readonly best: string;
  readonly bestGain: number;
  readonly namedGain: number | null;
  /** Rate of a set-up as predicted, by what it is when simulated: the next step, and a target of 1.5 times the rate. */
  readonly levelRatio: number | null;
  readonly targetRatio: number | null;
}

const WATCH = { periodS: 2 };
const OPTIONS = { level: 0.9, target: null, size: null, price: null };

/** Simulates a random job, asks for advice, and simulates each single doubling as well as what was advised. */
export function judgeAdvice(seed: number): AdviceOutcome {
  const job = randomJob(seed);
  const base = simulateJob(job, WATCH);
  const rate = base.rate;
  const read = watched(base, 'base');
  const explained = explainJobs([read], { ...OPTIONS, target: 1.5 * rate });
  const { dominant } = explained.runs[0]?.summary ?? { dominant: null };
  const named = dominant === null ? null : `${dominant.kind}:${dominant.id}`;
  const gains = new Map(
    [
      ...job.tasks.map(({ id }) => ({ kind: 'cpu' as const, id })),
      ...job.edges.flatMap(({ id, linkRate }) => (linkRate === undefined ? [] : [{ kind: 'io' as const, id }])),
    ].map((one) => [`${one.kind}:${one.id}`, simulateJob(changed(job, { ...one, factor: 2 }), WATCH).rate / rate]),
  );
  const [[best, bestGain]] = [...gains].sort(([, a], [, b]) => b - a) as [[string, number]];
  return {
    ...{ seed, named, best, bestGain },
    namedGain: named === null ? null : (gains.get(named) ?? 1),
    levelRatio: ratioOf(job, explained.steps[1]),
    targetRatio: explained.target?.endsAt === null ? targetRatio(job, explained) : null,
  };
}

/** Predicted by simulated rate of a step. */
function ratioOf(job: SimulatedJob, step: ExplainedJobs['steps'][number] | undefined): number | null {
  if (step === undefined) return null;
  return step.rate.value / simulateJob(withInstances(job, step.instances), WATCH).rate;
}

/** The rate that was asked for by what the advised set-up gives; below 1 where it gives more. */
function targetRatio(job: SimulatedJob, { target }: ExplainedJobs): number | null {
  if (target === null) return null;
  return target.rate / simulateJob(withInstances(job, target.setUp.instances), WATCH).rate;
}

function withInstances(job: SimulatedJob, instances: readonly number[]): SimulatedJob {
  return {
    ...job,
    tasks: job.tasks.map((task, place) => ({ ...task, instances: instances[place] ?? task.instances })),
  };
}

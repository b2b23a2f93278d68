import { setTimeout as sleep } from 'node:timers/promises';
import { PredictError } from '../../base/errors.ts';
import type { DagPeriod, DagRun, DagVertex } from '../../experiments/dag/dag-records.ts';
import type { DagEnd, DagListener, LiveDetail } from './source.ts';

/** A job that says nothing by itself, and is asked in each period what it did. */
export interface PolledJob {
  readonly run: Omit<DagRun, 'schema' | 'startedAt'>;
  /** So many periods without an answer, and it is gone. */
  readonly patience: number;
  /** Comes back when the period is over, at `endMs` by `Date.now()`. Errors: `infrastructure` where the job does not answer. */
  readonly ask: (endMs: number, signal: AbortSignal) => Promise<PolledPeriod>;
  /** Why watching ends after so many periods without an answer. */
  readonly silence: (periods: number) => string;
  /** What is said of one of them beside the error. */
  readonly missing: string;
}

export interface PolledPeriod extends Pick<DagPeriod, 'vertices' | 'edges'> {
  /** Tasks as they are now. */
  readonly tasks: readonly DagVertex[];
  readonly detail?: LiveDetail;
  /** How the job ended in this period. */
  readonly end?: DagEnd;
}

/** Asks a job until it ends, no longer answers or `signal` aborts. */
export async function pollJob(job: PolledJob, listener: DagListener, signal: AbortSignal): Promise<DagEnd> {
  const { run, patience, missing } = job;
  const begunMs = Date.now();
  listener.onBegin({ ...run, startedAt: new Date(begunMs).toISOString() });
  const instances = new Map(run.vertices.map((vertex) => [vertex.id, vertex.instances]));
  let silent = 0;
  for (let period = 0; ; period += 1) {
    const startNs = Math.round(period * run.periodS * 1e9);
    const endNs = Math.round((period + 1) * run.periodS * 1e9);
    const seen = await job.ask(begunMs + endNs / 1e6, signal).catch((error: unknown) => error);
    if (signal.aborted) return { why: 'watching was stopped', exitCode: null, samplerShare: null };
    if (seen instanceof PredictError) {
      silent += 1;
      listener.onLine({ kind: 'note', atNs: endNs, text: `${seen.message}${missing}` });
      if (silent < patience) continue;
      return { why: job.silence(silent), exitCode: null, samplerShare: null, fault: seen };
    }
    if (seen instanceof Error) throw seen;
    const { tasks, vertices, edges, detail, end } = seen as PolledPeriod;
    for (const vertex of tasks) {
      if (instances.get(vertex.id) === vertex.instances) continue;
      instances.set(vertex.id, vertex.instances);
      listener.onLine({ kind: 'vertex', atNs: startNs, vertex });
    }
    listener.onLine({ kind: 'period', startNs, endNs, vertices, edges }, detail);
    if (end !== undefined) return end;
    silent = 0;
  }
}

/** Comes back at a time by `Date.now()`, or as soon as the signal aborts. */
export async function sleepUntil(timeMs: number, signal: AbortSignal): Promise<void> {
  await sleep(Math.max(0, timeMs - Date.now()), undefined, { signal }).catch(() => undefined);
}

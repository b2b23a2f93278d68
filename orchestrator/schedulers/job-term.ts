import { PredictError } from '../../base/errors.ts';
import { formatSeconds } from '../../base/units.ts';
import type { Cell, CellRecord } from '../../experiments/records.ts';
import type { BatchJob } from '../../inventory/inventory-schema.ts';
import { askJob, type JobState, lives, SCHEDULERS } from './schedulers.ts';

/** For links to be restored and hosts unlocked before the job ends, beyond what a cell takes. */
const ENDING_S = 15;
/** A cell may take longer than the one it is judged by. */
const MARGIN = 1.25;

type AskJob = (job: BatchJob) => Promise<JobState | null>;

/** The batch job that a sweep runs in. It ends at a time that others set, and the sweep ends before it. */
export class JobTerm {
  readonly job: BatchJob;
  readonly #ask: AskJob;
  #warned = false;

  constructor(job: BatchJob, ask: AskJob = askJob) {
    this.job = job;
    this.#ask = ask;
  }

  /** The scheduler, or who submitted the job, says that it ends soon: no further cell begins. */
  warn(): void {
    this.#warned = true;
  }

  /** Refuses a cell that would not end before the job; one of unknown length (null) may try. Errors: `unfinished`. */
  async admit(expectedS: number | null): Promise<void> {
    if (this.#warned) throw this.#unfinished('it was asked to end soon');
    const job = await this.#ask(this.job);
    if (job === null) return;
    if (!this.#lives(job)) throw this.#unfinished(ended(job));
    const { leftS } = job;
    const neededS = (expectedS ?? 0) * MARGIN + ENDING_S;
    if (leftS !== null && leftS < neededS) {
      throw this.#unfinished(
        `it has ${formatSeconds(leftS)} left, and the next cell needs about ${formatSeconds(neededS)}`,
      );
    }
  }

  /** The error that ends a sweep whose job has ended; null while the job lives, or where the scheduler does not say. */
  async whyOver(): Promise<PredictError | null> {
    const job = await this.#ask(this.job);
    return job === null || this.#lives(job) ? null : this.#unfinished(ended(job));
  }

  #lives(state: JobState): boolean {
    return lives(this.job.scheduler, state);
  }

  #unfinished(why: string): PredictError {
    const { scheduler, id } = this.job;
    return new PredictError(
      `The sweep stops with ${SCHEDULERS[scheduler].title}'s job ${id} (${why}) and keeps its measurements: rerun the same command in the next allocation to resume.`,
      { kind: 'unfinished' },
    );
  }
}

function ended({ state }: JobState): string {
  return state === null ? 'it has ended' : `its state is ${state}`;
}

/**
 * An upper estimate of how long a cell takes, seconds, from cells that were measured: the least of what each says when a
 * smaller cell takes no longer, and time grows at most in proportion to size, searches, hosts that are fewer and link that is
 * slower. Null before anything like it was measured.
 */
export function expectedS(
  cell: Cell,
  records: Iterable<Pick<CellRecord, 'cell' | 'timing' | 'status'>>,
): number | null {
  let least: number | null = null;
  const all = [...records];
  // A cell that found its run up says nothing of the start that the next one may need.
  const longestMs = Math.max(0, ...all.map(({ timing }) => timing.startMs ?? 0));
  for (const { cell: known, timing, status } of all) {
    if (status !== 'ok' || !sameProgram(cell, known)) continue;
    const growth = [
      2 ** (cell.scale - known.scale),
      cell.roots / known.roots,
      known.nodes / cell.nodes,
      known.bw / cell.bw,
    ].reduce((product, factor) => product * Math.max(factor, 1), 1);
    const { startMs, totalMs } = timing;
    const ms = startMs === undefined ? totalMs : totalMs - startMs + longestMs;
    const seconds = (ms / 1000) * growth;
    if (least === null || seconds < least) least = seconds;
  }
  return least;
}

function sameProgram(a: Cell, b: Cell): boolean {
  return a.workload === b.workload && JSON.stringify(a.params ?? {}) === JSON.stringify(b.params ?? {});
}

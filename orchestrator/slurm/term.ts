import { PredictError } from '../../base/errors.ts';
import { formatSeconds } from '../../base/units.ts';
import { type AskJob, askJob, type JobState, lives } from './job-state.ts';

/** For links to be restored and hosts unlocked before the job ends, beyond what a cell takes. */
const ENDING_S = 15;
/** A cell may take longer than the one it is judged by. */
const MARGIN = 1.25;

/** The batch job that a sweep runs in. It ends at a time that others set, and the sweep ends before it. */
export class JobTerm {
  readonly jobId: string;
  readonly #ask: AskJob;
  #warned = false;

  constructor(jobId: string, ask: AskJob = askJob) {
    this.jobId = jobId;
    this.#ask = ask;
  }

  /** SLURM, or who submitted the job, says that it ends soon: no further cell begins. */
  warn(): void {
    this.#warned = true;
  }

  /** Refuses a cell that would not end before the job; one of unknown length (null) may try. Errors: `unfinished`. */
  async admit(expectedS: number | null): Promise<void> {
    if (this.#warned) throw this.#unfinished('SLURM asked it to end soon');
    const job = await this.#ask(this.jobId);
    if (job === null) return;
    if (!lives(job)) throw this.#unfinished(ended(job));
    const { leftS } = job;
    const neededS = (expectedS ?? 0) * MARGIN + ENDING_S;
    if (leftS !== null && leftS < neededS) {
      throw this.#unfinished(
        `it has ${formatSeconds(leftS)} left, and the next cell needs about ${formatSeconds(neededS)}`,
      );
    }
  }

  /** The error that ends a sweep whose job has ended; null while the job lives, or where SLURM does not say. */
  async whyOver(): Promise<PredictError | null> {
    const job = await this.#ask(this.jobId);
    return job === null || lives(job) ? null : this.#unfinished(ended(job));
  }

  #unfinished(why: string): PredictError {
    return new PredictError(
      `The sweep stops with SLURM's job ${this.jobId} (${why}) and keeps its measurements: rerun the same command in the next allocation to resume.`,
      { kind: 'unfinished' },
    );
  }
}

function ended({ state }: JobState): string {
  return state === null ? 'it has ended' : `its state is ${state}`;
}

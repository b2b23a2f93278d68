import { execa } from 'execa';
import { PredictError } from '../../base/errors.ts';
import { formatSeconds } from '../../base/units.ts';
import type { Cell, CellRecord } from '../../experiments/records.ts';

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

/** What squeue says of a job. */
export interface JobState {
  /** As `squeue -o %T`: RUNNING, PENDING, COMPLETING, ...; null where SLURM knows the job no more. */
  readonly state: string | null;
  /** Seconds; null where nobody can tell. */
  readonly leftS: number | null;
  /** Why it waits, as `squeue -o %r`. */
  readonly reason: string;
}

type AskJob = (jobId: string) => Promise<JobState | null>;

const ASK_MS = 20_000;

/** Asks SLURM about a job; null where SLURM does not answer. */
export async function askJob(jobId: string): Promise<JobState | null> {
  const { exitCode, stdout, stderr } = await execa('squeue', ['-h', '-j', jobId, '-o', '%T|%L|%r'], {
    reject: false,
    timeout: ASK_MS,
  });
  return readJobState({ exitCode: exitCode ?? null, stdout, stderr });
}

/** One line `STATE|LEFT|REASON`; a job that has ended is gone from the list after a while, first from the line, then by its number. */
export function readJobState({
  exitCode,
  stdout,
  stderr,
}: {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}): JobState | null {
  const gone = { state: null, leftS: 0, reason: '' };
  if (exitCode !== 0) return /Invalid job id/.test(stderr) ? gone : null;
  const [line = ''] = stdout.trim().split('\n');
  if (line === '') return gone;
  const [state = '', left = '', ...reason] = line.split('|');
  return { state, leftS: parseTimeLeft(left), reason: reason.join('|') };
}

/** A job in any other state runs nothing, or nothing for long. */
const LIVES: readonly string[] = ['RUNNING', 'SUSPENDED', 'CONFIGURING', 'RESIZING', 'SIGNALING', 'STOPPED'];

export function lives({ state }: JobState): boolean {
  return state !== null && LIVES.includes(state);
}

/**
 * squeue's `%L`, the time left of a job: [days-]hours:minutes:seconds or minutes:seconds, in seconds. Infinity for a job without
 * a limit, 0 for one past it, null for what is none (NOT_SET, or no text of squeue's).
 */
export function parseTimeLeft(text: string): number | null {
  const word = text.trim();
  if (word === 'UNLIMITED') return Number.POSITIVE_INFINITY;
  if (word === 'INVALID') return 0;
  const parts = /^(?:(\d{1,6})-)?(?:(\d{1,6}):)?(\d{1,6}):(\d{1,2})$/.exec(word);
  if (!parts) return null;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = parts.slice(1).map((part) => Number(part ?? 0));
  return ((days * 24 + hours) * 60 + minutes) * 60 + seconds;
}

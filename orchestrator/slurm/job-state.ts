import { execa } from 'execa';
import { parseTimeLeft } from './time-left.ts';

/** What squeue says of a job. */
export interface JobState {
  /** As `squeue -o %T`: RUNNING, PENDING, COMPLETING, ...; null where SLURM knows the job no more. */
  readonly state: string | null;
  /** Seconds; null where nobody can tell. */
  readonly leftS: number | null;
  /** Why it waits, as `squeue -o %r`. */
  readonly reason: string;
}

export type AskJob = (jobId: string) => Promise<JobState | null>;

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

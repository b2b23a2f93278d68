import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { badInput, infrastructure, PredictError } from '../../base/errors.ts';
import { byLine } from '../../base/line-reader.ts';
import { scriptWords, sh } from '../../base/shell.ts';
import { lastLines } from '../../base/text.ts';
import { formatSeconds, type Seconds } from '../../base/units.ts';
import { type Allocation, allocation } from '../../inventory/allocation.ts';
import type { SchedulerName } from '../../inventory/inventory-schema.ts';
import { askJob, hasEnded, lives, SCHEDULERS } from './schedulers.ts';

/** How often a scheduler is asked about a job that waits; it has no event for that. */
const LOOK_MS = 2_000;
/** For a job to be given back once that is asked for. */
const GOODBYE_MS = 10_000;
const GRANTED = 'predict-granted';
/** Under salloc: tells what was granted, then waits for the end of its input. */
const TELL = sh`echo "$1" "$SLURM_JOB_ID" "$SLURM_JOB_NODELIST"; exec cat >/dev/null`;
/** Submits a job that does nothing, tells its id, and cancels it at the end of its input: mark, `batch.id`, `batch.cancel`, command. */
const HOLD = sh`
trap '' TERM
mark=$1 find=$2 cancel=$3
shift 3
said=$(printf '#!/bin/sh\nexec sleep infinity\n' | "$@") || exit
id=$(printf '%s\n' "$said" | sed -n "$find" | tail -n 1)
[ -n "$id" ] || { printf '%s\n' "$said" >&2; exit 1; }
echo "$mark" "$id"
cat >/dev/null
$cancel "$id" >/dev/null`;
/** Bytes of the line that tells of it: a list of hosts is in it. */
const LONGEST_LINE = 2 ** 20;
const NO_REASON = 'it did not say why';
/** Characters of what a command says of itself that are kept. */
const MOST_TEXT = 65_536;

export function isHopeless(scheduler: SchedulerName, reason: string): boolean {
  return SCHEDULERS[scheduler].never.test(reason);
}

/** `-N 16 -t 2:00:00` -> words, as a shell has them: blanks part them, quotes hold them together. */
export function requestWords(scheduler: SchedulerName, text: string): readonly string[] {
  const words: string[] = [];
  let goesOn = false;
  for (const [, plain, double, single] of text.matchAll(/([^\s"']+)|"([^"]*)"|'([^']*)'|[\s"']/g)) {
    const part = plain ?? double ?? single;
    if (part !== undefined) words.push(goesOn ? words.pop() + part : part);
    goesOn = part !== undefined;
  }
  const { title, example } = SCHEDULERS[scheduler];
  if (words.length === 0)
    throw badInput(`--${scheduler} is empty: give the request for ${title}, such as '${example}'.`);
  return words;
}

/** What is asked of whom. */
export interface Request {
  readonly scheduler: SchedulerName;
  /** In the words of its command. */
  readonly text: string;
}

interface Waiting {
  readonly waitS: Seconds;
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
}

/**
 * Asks a scheduler for an allocation and runs `task` in it. A child holds it as long as its input is open, so that it is given back
 * however this process ends. Errors: `badInput` for what can never be had, `infrastructure` after `waitS`.
 */
export async function withAllocation<T>(
  { scheduler, text }: Request,
  waiting: Waiting,
  task: (allocation: Allocation) => Promise<T>,
): Promise<T> {
  const { title, submit, batch, unknown } = SCHEDULERS[scheduler];
  const command = [...submit, ...requestWords(scheduler, text)];
  const [program = '', ...words] =
    batch === null
      ? [...command, ...scriptWords(TELL, GRANTED)]
      : scriptWords(HOLD, GRANTED, batch.id, batch.cancel, ...command);
  const child = spawn(program, words, { stdio: 'pipe', detached: true });
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', resolve);
    child.once('error', () => resolve(null));
  });
  let said = '';
  let held: string | undefined;
  const granted = new Promise<Granted | null>((resolve, reject) => {
    const onLine = (line: string): void => {
      const [jobId, hosts] = line.slice(line.indexOf(GRANTED)).split(' ').slice(1);
      if (!line.includes(GRANTED) || jobId === undefined || (hosts === undefined && batch === null)) return;
      held = jobId;
      resolve({ jobId, hosts });
    };
    child.stdout.setEncoding('utf8').on('data', byLine(onLine, LONGEST_LINE));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-MOST_TEXT);
    });
    child.once('error', reject);
    child.once('close', () => resolve(null));
  });
  child.stdin.on('error', () => undefined);
  try {
    const had = await waitFor({ scheduler, granted, ended, said: () => said, ...waiting });
    return await task(had);
  } finally {
    child.stdin.end();
    // While salloc still waits for the job it does not read its input.
    if (held === undefined) child.kill('SIGTERM');
    const code = await Promise.race([ended, delay(GOODBYE_MS, null, { ref: false })]);
    if (batch !== null && held !== undefined && code !== 0 && !unknown.test(said)) {
      const why = lastLines(said, 1) || 'no reply';
      waiting.say(`${title}'s job ${held} could not be cancelled (${why}): run '${batch.cancel} ${held}'.`);
    }
  }
}

/** In the scheduler's words; a job that was only submitted has no hosts yet. */
interface Granted {
  readonly jobId: string;
  readonly hosts: string | undefined;
}

interface Wait extends Waiting {
  readonly scheduler: SchedulerName;
  readonly granted: Promise<Granted | null>;
  /** Of the child. */
  readonly ended: Promise<unknown>;
  readonly said: () => string;
}

async function waitFor({ scheduler, granted, ended, said, waitS, signal, say }: Wait): Promise<Allocation> {
  const { title } = SCHEDULERS[scheduler];
  const deadline = performance.now() + waitS * 1000;
  const over = ended.then(() => null);
  let submitted: string | undefined;
  let told = '';
  for (;;) {
    const next = submitted === undefined ? granted.catch(notThere(scheduler)) : over;
    const had = await Promise.race([next, delay(LOOK_MS, undefined)]);
    if (had === null) throw refusal(scheduler, said());
    if (had?.hosts !== undefined) return allocation(scheduler, had.jobId, had.hosts);
    if (signal.aborted) throw new PredictError('Interrupted while waiting for an allocation.', { kind: 'interrupted' });
    submitted ??= had?.jobId;
    const id = submitted ?? /(?:Pending job allocation|job) (\d+)/.exec(said())?.[1];
    const job = id === undefined ? null : await askJob({ scheduler, id });
    if (submitted !== undefined && job !== null) {
      if (lives(scheduler, job) && job.hosts !== undefined) return allocation(scheduler, submitted, job.hosts);
      if (hasEnded(scheduler, job)) throw refusal(scheduler, job.reason || `its job ${id} ended before it ran`);
    }
    const reason = job?.reason ?? '';
    if (isHopeless(scheduler, reason)) {
      throw badInput(
        `${title} can never grant this allocation: its job ${id} waits for '${reason}'. Change the request of --${scheduler}.`,
      );
    }
    if (performance.now() > deadline) {
      const why = reason === '' ? lastLines(said(), 1) || NO_REASON : reason;
      throw infrastructure(
        `${title} granted no allocation within ${formatSeconds(waitS)} (${why}): wait longer with --job-wait, or request less.`,
      );
    }
    if (reason !== told && reason !== '' && reason !== 'None') say(`waiting for ${title}'s job ${id}: ${reason}`);
    told = reason;
  }
}

function notThere(scheduler: SchedulerName): (error: unknown) => never {
  return (cause) => {
    const { title, submit } = SCHEDULERS[scheduler];
    throw infrastructure(`${submit[0]} cannot be started: run this where ${title}'s commands are installed.`, {
      cause,
    });
  };
}

function refusal(scheduler: SchedulerName, said: string): PredictError {
  const { title, rejects } = SCHEDULERS[scheduler];
  const line =
    said
      .split('\n')
      .findLast((each) => /^salloc: (?!Try)/.test(each))
      ?.replace(/^salloc: (error: )?/, '') ??
    (lastLines(said, 1) || NO_REASON);
  const text = `${title} granted no allocation: ${line.replace(/\.$/, '')}.`;
  return rejects.test(said) ? badInput(`${text} Change the request of --${scheduler}.`) : infrastructure(text);
}

import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { badInput, infrastructure, PredictError } from '../../base/errors.ts';
import { byLine } from '../../base/line-reader.ts';
import { scriptWords, sh } from '../../base/shell.ts';
import { lastLines } from '../../base/text.ts';
import { formatSeconds, type Seconds } from '../../base/units.ts';
import { type Allocation, allocation } from '../../inventory/expand-hosts.ts';
import { askJob } from './job-term.ts';

/** How often SLURM is asked why a job waits; it has no event for that. */
const LOOK_MS = 2_000;
/** For salloc to give its job back once it is told to end. */
const GOODBYE_MS = 10_000;
const GRANTED = 'predict-granted';
/** Tells what was granted, then waits for the end of its input. */
const TELL = sh`echo "$1" "$SLURM_JOB_ID" "$SLURM_JOB_NODELIST"; exec cat >/dev/null`;
/** Bytes of the line that tells of it: a list of hosts is in it. */
const LONGEST_LINE = 2 ** 20;
/** Characters of what salloc says of itself that are kept. */
const MOST_TEXT = 65_536;
/** squeue's reasons (%r) that no time mends: the request itself must change, or an administrator must. */
const NEVER =
  /^(?:Part(?:ition)?(?:NodeLimit|TimeLimit|Down|Config)|PartitionInactive|BadConstraints|InvalidAccount|InvalidQOS|AccountNotAllowed|QOSNotAllowed|QOSJobLimit|Max\w*PerJob|Assoc\w*PerJob\w*|QOSMax\w*PerJob\w*|ReqNodeNotAvail|NodeDown|DependencyNeverSatisfied|JobHeldAdmin|JobHeldUser)/;
const NEVER_SAID =
  /Requested (?:node|partition) configuration|Invalid |invalid |unrecognized option|More processors|Job violates|not permitted|Required node not available/;

export function isHopeless(reason: string): boolean {
  return NEVER.test(reason);
}

/** `-N 16 -t 2:00:00` -> words, as a shell has them: blanks part them, quotes hold them together. */
export function requestWords(text: string): readonly string[] {
  const words: string[] = [];
  let goesOn = false;
  for (const [, plain, double, single] of text.matchAll(/([^\s"']+)|"([^"]*)"|'([^']*)'|[\s"']/g)) {
    const part = plain ?? double ?? single;
    if (part !== undefined) words.push(goesOn ? words.pop() + part : part);
    goesOn = part !== undefined;
  }
  if (words.length === 0) throw badInput("--slurm is empty: give the request for SLURM, such as '-N 4 -t 1:00:00'.");
  return words;
}

/**
 * Asks SLURM for an allocation and runs `task` in it. salloc holds it as long as its input is open, so that it is given back
 * however this process ends. Errors: `badInput` for what can never be had, `infrastructure` after `waitS`.
 */
export async function withAllocation<T>(
  request: string,
  {
    waitS,
    signal,
    say,
  }: { readonly waitS: Seconds; readonly signal: AbortSignal; readonly say: (text: string) => void },
  task: (allocation: Allocation) => Promise<T>,
): Promise<T> {
  const words = requestWords(request);
  // Whoever measures wants no neighbours on its nodes; what the request says comes later and wins.
  const child = spawn('salloc', ['--exclusive', ...words, ...scriptWords(TELL, GRANTED)], {
    stdio: 'pipe',
    detached: true,
  });
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
    child.once('error', () => resolve());
  });
  let [said, isGranted] = ['', false];
  const granted = new Promise<Granted | null>((resolve, reject) => {
    const onLine = (line: string): void => {
      const [jobId, nodes] = line.slice(line.indexOf(GRANTED)).split(' ').slice(1);
      if (!line.includes(GRANTED) || jobId === undefined || nodes === undefined) return;
      isGranted = true;
      resolve({ jobId, nodes });
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
    const had = await waitFor({ granted, said: () => said, waitS, signal, say });
    return await task(had);
  } finally {
    child.stdin.end();
    // While it still waits for the job it does not read its input.
    if (!isGranted) child.kill('SIGTERM');
    await Promise.race([ended, delay(GOODBYE_MS, undefined, { ref: false })]);
  }
}

/** In SLURM's words. */
interface Granted {
  readonly jobId: string;
  readonly nodes: string;
}

async function waitFor({
  granted,
  said,
  waitS,
  signal,
  say,
}: {
  readonly granted: Promise<Granted | null>;
  readonly said: () => string;
  readonly waitS: Seconds;
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
}): Promise<Allocation> {
  const deadline = performance.now() + waitS * 1000;
  let told = '';
  for (;;) {
    const had = await Promise.race([granted.catch(notThere), delay(LOOK_MS, undefined)]);
    if (had === null) throw refusal(said());
    if (had !== undefined) return allocation(had.jobId, had.nodes);
    if (signal.aborted) throw new PredictError('Interrupted while waiting for an allocation.', { kind: 'interrupted' });
    const jobId = /(?:Pending job allocation|job) (\d+)/.exec(said())?.[1];
    const reason = (jobId === undefined ? null : await askJob(jobId))?.reason ?? '';
    if (isHopeless(reason)) {
      throw badInput(
        `SLURM can never grant this allocation: its job ${jobId} waits for '${reason}'. Change the request of --slurm, or see sinfo.`,
      );
    }
    if (performance.now() > deadline) {
      const why = reason === '' ? lastLines(said(), 1) : reason;
      throw infrastructure(
        `SLURM granted no allocation within ${formatSeconds(waitS)} (${why}): wait longer with --slurm-wait, or request less.`,
      );
    }
    if (reason !== told && reason !== '' && reason !== 'None') say(`waiting for SLURM's job ${jobId}: ${reason}`);
    told = reason;
  }
}

function notThere(error: unknown): never {
  throw infrastructure("salloc cannot be started: run this where SLURM's commands are installed.", { cause: error });
}

function refusal(said: string): PredictError {
  const line =
    said
      .split('\n')
      .findLast((each) => /^salloc: (?!Try)/.test(each))
      ?.replace(/^salloc: (error: )?/, '') ?? lastLines(said, 1);
  const text = `SLURM granted no allocation: ${line.replace(/\.$/, '')}.`;
  return NEVER_SAID.test(said) ? badInput(`${text} Change the request of --slurm.`) : infrastructure(text);
}

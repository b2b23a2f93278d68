import { execa } from 'execa';
import type { BatchJob, SchedulerName } from '../../inventory/inventory-schema.ts';

/** What a scheduler says of a job. */
export interface JobState {
  /** In its own words: RUNNING, R, RUN; null where it knows the job no more. */
  readonly state: string | null;
  /** Seconds; null where nobody can tell. */
  readonly leftS: number | null;
  /** Why it waits, or why it has ended. */
  readonly reason: string;
  /** Those of a job that runs, where it says them: a list for `expandHosts`, or names that may repeat. */
  readonly hosts?: string | readonly string[];
}

/** What a command of a scheduler printed. */
interface Printed {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** One batch system: the environment of its jobs is in inventory/allocation.ts, how it starts ranks in launchers. */
interface Scheduler {
  readonly title: string;
  /** A request as people write it, for help. */
  readonly example: string;
  /** How many hosts a request asks for, as far as it says; the first group. */
  readonly nodes: RegExp;
  /** The command that takes a request. */
  readonly submit: readonly string[];
  /** Where that reads the job's script from its input: the sed script that finds the id in what it prints, and what cancels a job. */
  readonly batch: { readonly id: string; readonly cancel: string } | null;
  ask(job: string): readonly string[];
  /** `now` is seconds since 1970. */
  read(answer: string, now: number): JobState;
  /** How its error output says that it does not know a job. */
  readonly unknown: RegExp;
  /** The states of a job that has its hosts: one in any other runs nothing, or nothing for long. */
  readonly lives: readonly string[];
  /** Those of one that will never have them. */
  readonly ended: readonly string[];
  /** Reasons for which a job waits that no time mends: the request itself must change, or an administrator must. */
  readonly never: RegExp;
  /** What it says where a request can never be granted. */
  readonly rejects: RegExp;
}

const GONE: JobState = { state: null, leftS: 0, reason: '' };

/** salloc(1), squeue(1). */
const slurm: Scheduler = {
  title: 'SLURM',
  example: '-N 4 -t 1:00:00',
  nodes: /(?:^|\s)(?:-N\s*|--nodes[= ]\s*)(?:\d+-)?(\d{1,6})(?=\s|$)/,
  // Whoever measures wants no neighbours on its nodes; what the request says comes later and wins.
  submit: ['salloc', '--exclusive'],
  batch: null,
  ask: (job) => ['squeue', '-h', '-j', job, '-o', '%T|%L|%r'],
  read: (answer) => {
    const [state = '', left = '', ...reason] = firstLine(answer).split('|');
    return { state, leftS: parseTimeLeft(left), reason: reason.join('|') };
  },
  unknown: /Invalid job id/,
  lives: ['RUNNING', 'SUSPENDED', 'CONFIGURING', 'RESIZING', 'SIGNALING', 'STOPPED'],
  ended: ['COMPLETED', 'CANCELLED', 'FAILED', 'TIMEOUT', 'NODE_FAIL', 'BOOT_FAIL', 'DEADLINE'],
  never:
    /^(?:Part(?:ition)?(?:NodeLimit|TimeLimit|Down|Config)|PartitionInactive|BadConstraints|InvalidAccount|InvalidQOS|AccountNotAllowed|QOSNotAllowed|QOSJobLimit|Max\w*PerJob|Assoc\w*PerJob\w*|QOSMax\w*PerJob\w*|ReqNodeNotAvail|NodeDown|DependencyNeverSatisfied|JobHeldAdmin|JobHeldUser)/,
  rejects:
    /Requested (?:node|partition) configuration|Invalid |invalid |unrecognized option|More processors|Job violates|not permitted|Required node not available/,
};

/** qsub(1B), qstat(1B) and pbs_job_attributes(7B) of PBS Professional and OpenPBS; Torque's differ in their times. */
const pbs: Scheduler = {
  title: 'PBS',
  example: '-l select=4:ncpus=16 -l place=scatter:excl -l walltime=1:00:00',
  nodes: /(?:^|[\s,])(?:select|nodes)=(\d{1,6})(?=[:,\s]|$)(?!\S*\+)/,
  submit: ['qsub', '-N', 'predict', '-o', '/dev/null', '-e', '/dev/null'],
  batch: { id: String.raw`s/^\([0-9][^ ]*\)$/\1/p`, cancel: 'qdel' },
  ask: (job) => ['qstat', '-f', job],
  read: readQstat,
  unknown: /Unknown Job Id|Job has finished/,
  lives: ['R', 'S', 'U'],
  ended: ['E', 'F', 'X', 'C'],
  never: /^Can Never Run/,
  rejects: /^qsub: /m,
};

/** bsub(1), bjobs(1): -o has the fields. */
const lsf: Scheduler = {
  title: 'LSF',
  example: '-nnodes 4 -x -W 1:00',
  nodes: /(?:^|\s)-nnodes\s+(\d{1,6})(?=\s|$)/,
  submit: ['bsub', '-J', 'predict', '-o', '/dev/null'],
  batch: { id: String.raw`s/^Job <\([0-9]*\)> is submitted.*/\1/p`, cancel: 'bkill' },
  ask: (job) => ['bjobs', '-noheader', '-o', "stat time_left exec_host pend_reason delimiter='|'", job],
  read: (answer) => {
    const [state = '', left = '', hosts = '-', ...reason] = firstLine(answer).split('|').map(orNothing);
    const why = reason.join('|');
    return { state, leftS: parseLsfLeft(left), reason: why, ...(hosts !== '' && { hosts: lsfHosts(hosts) }) };
  },
  unknown: /is not found/,
  lives: ['RUN', 'USUSP', 'SSUSP', 'UNKWN'],
  ended: ['DONE', 'EXIT', 'ZOMBI'],
  never: /(?:cannot|will never) be satisfied|exceeds the limit/i,
  rejects: /Job not submitted/,
};

/** flux-batch(1), flux-jobs(1). */
const flux: Scheduler = {
  title: 'Flux',
  example: '-N 4 -t 1h',
  nodes: /(?:^|\s)(?:-N\s*|--nodes[= ]\s*)(\d{1,6})(?=\s|$)/,
  submit: ['flux', 'batch', '--job-name=predict', '--output=/dev/null'],
  batch: { id: String.raw`s/^\([^ ][^ ]*\)$/\1/p`, cancel: 'flux cancel' },
  // The job that this runs in is known to the instance around its own.
  ask: (job) => [
    ...['flux', ...(process.env.FLUX_ENCLOSING_ID === job ? ['--parent'] : []), 'jobs', '--no-header'],
    ...['-o', '{state}|{expiration}|{nodelist}|{exception.note}', job],
  ],
  read: (answer, now) => {
    const [state = '', expiration = '', hosts = '', ...reason] = firstLine(answer).split('|');
    const ends = Number(expiration);
    const leftS = ends > 0 ? Math.max(0, ends - now) : Number.POSITIVE_INFINITY;
    return { state, leftS, reason: reason.join('|'), ...(hosts !== '' && { hosts }) };
  },
  unknown: /JobID \S+ unknown|no such job/i,
  lives: ['RUN'],
  ended: ['CLEANUP', 'INACTIVE'],
  never: /unsatisfiable/,
  rejects: /unsatisfiable|flux-batch: ERROR|usage: /,
};

export const SCHEDULERS: Readonly<Record<SchedulerName, Scheduler>> = { slurm, pbs, lsf, flux };

const ASK_MS = 20_000;

/** Asks the scheduler about a job; null where it does not answer. */
export async function askJob({ scheduler, id }: BatchJob): Promise<JobState | null> {
  const [command = '', ...words] = SCHEDULERS[scheduler].ask(id);
  const { exitCode, stdout, stderr } = await execa(command, words, { reject: false, timeout: ASK_MS });
  return readJobState(scheduler, { exitCode: exitCode ?? null, stdout, stderr });
}

/** A job that has ended is gone from the list after a while, first from the lines, then by its number. */
export function readJobState(
  scheduler: SchedulerName,
  { exitCode, stdout, stderr }: Printed,
  now = Date.now() / 1000,
): JobState | null {
  const { unknown, read } = SCHEDULERS[scheduler];
  if (unknown.test(stderr)) return GONE;
  if (exitCode !== 0) return null;
  return stdout.trim() === '' ? GONE : read(stdout, now);
}

export function lives(scheduler: SchedulerName, { state }: JobState): boolean {
  return state !== null && SCHEDULERS[scheduler].lives.includes(state);
}

/** Whether a job that was submitted will never run, or has run. */
export function hasEnded(scheduler: SchedulerName, { state }: JobState): boolean {
  return state === null || SCHEDULERS[scheduler].ended.includes(state);
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? '';
}

/** LSF writes a dash for a field without a value. */
function orNothing(field: string): string {
  return field.trim() === '-' ? '' : field.trim();
}

/** `4*hostA:4*hostB` or `hostA:hostB` -> names. */
function lsfHosts(text: string): readonly string[] {
  return text.split(':').map((part) => part.replace(/^\d+\*/, ''));
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

/** bjobs' time_left, `hours:minutes L` of a run limit, `E` of an estimate; past an estimate (`X`) and without a limit nobody can tell. */
function parseLsfLeft(text: string): number | null {
  const parts = /^(\d{1,6}):(\d{1,2})(?::(\d{1,2}))? [LE]$/.exec(text);
  if (!parts) return null;
  const [hours = 0, minutes = 0, seconds = 0] = parts.slice(1).map((part) => Number(part ?? 0));
  return (hours * 60 + minutes) * 60 + seconds;
}

/** `    name = value` of each attribute; long ones go on in lines that begin with a tab. */
function readQstat(answer: string, now: number): JobState {
  const lines = answer.replace(/\r?\n\t/g, '').split('\n');
  const said = new Map(
    lines.flatMap((line) => {
      const at = line.indexOf(' = ');
      return at < 0 ? [] : [[line.slice(0, at).trim(), line.slice(at + 3).trim()] as const];
    }),
  );
  const seconds = (name: string): number | null => parseTimeLeft(said.get(name) ?? '');
  // One that cannot be read is not no limit.
  const limitS = said.has('Resource_List.walltime') ? seconds('Resource_List.walltime') : Number.POSITIVE_INFINITY;
  const beganS = Date.parse(said.get('stime') ?? said.get('start_time') ?? '') / 1000;
  // What was used is told late, and time that a job was suspended does not count: the shorter time is the safe one.
  const usedS = Math.max(seconds('resources_used.walltime') ?? 0, Number.isNaN(beganS) ? 0 : now - beganS);
  const hosts = said.get('exec_host');
  return {
    state: said.get('job_state') ?? '',
    leftS: limitS === null ? null : Math.max(0, limitS - usedS),
    reason: said.get('comment') ?? '',
    ...(hosts !== undefined && { hosts: hosts.split('+').map((part) => part.split('/')[0] ?? '') }),
  };
}

import { scriptWords, sh } from '../../base/shell.ts';
import type { Launch, Launcher, RankDeath, Refusal } from './launcher.ts';
import { mpiEnvironment, OWN_SIGNALS, SIGNALS } from './srun.ts';

/** flux-run(1), in the instance of an allocation. TCP is forced as under srun. */
export const flux: Launcher = {
  command: 'flux',
  says: 'flux-core',
  compilers: ['mpicc'],
  argv,
  library: null,
  daemon: null,
  startsSteps: true,
  faults:
    /type=(?:node-failure|alloc|timeout|cancel)|lost contact with job shell|unable to connect|flux-\w+: ERROR|start failed:|error while loading shared libraries/,
  lostHost: /(?:lost|node-failure)\b.{0,30} (?:host|on) (?<host>[^\s,()]+)/,
  death,
  endedByOthers,
  refusal,
};

/** As the job's shell tells of the first task that failed. */
function death(stderr: string): RankDeath | null {
  const told = /task rank (\d+) on host (\S+) failed \(([A-Za-z ]{1,40}?)(?: \(core dumped\))?\)/.exec(stderr);
  const signal = { ...SIGNALS, ...OWN_SIGNALS }[told?.[3] ?? ''];
  return told && signal !== undefined ? { rank: Number(told[1]), host: told[2], pid: undefined, signal } : null;
}

/** A job that was cancelled, has had its time, or lost a node has an exception that says so. */
function endedByOthers(stderr: string): string | null {
  return /(?<=job\.exception \S+ )type=(?:cancel|timeout|node-failure)[^\n]*/.exec(stderr)?.[0] ?? null;
}

function refusal(stderr: string): Refusal | null {
  const never = /unsatisfiable[^\n]*/.exec(stderr)?.[0];
  if (never === undefined) return null;
  const text = `Flux cannot allocate what the run needs (${never}): request fewer hosts or ranks, or a larger allocation.`;
  return { kind: 'badInput', text };
}

/** What the head's shell knows is the system's instance, so that of the job is looked up there. Arguments: flux, the job, a command. */
const IN_JOB = sh`
FLUX_URI=$("$1" uri --local "$2") || exit
export FLUX_URI
shift 2
exec "$@"`;

/** Ranks are placed in the order of the instance's hosts, block by block. */
function argv({ inventory, hosts, ranksPerNode, threads, argv, link }: Launch): readonly string[] {
  const { mpi, job } = inventory;
  const command = mpi.command ?? flux.command;
  const words = [
    ...[command, 'run', '-o', 'exit-on-error'],
    ...['--nodes', String(hosts.length)],
    ...['--ntasks', String(hosts.length * ranksPerNode)],
    ...(threads === undefined ? [] : ['--cores-per-task', String(threads)]),
    `--requires=hosts:${hosts.map(({ name }) => name).join(',')}`,
    ...mpi.args,
    ...argv,
  ];
  const environment = ['env', ...mpiEnvironment({ inventory, ranksPerNode, link })];
  return [...environment, ...(job === undefined ? words : scriptWords(IN_JOB, command, job.id, ...words))];
}

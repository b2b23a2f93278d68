import { constants } from 'node:os';
import type { Launch, Launcher, RankDeath, Refusal } from './launcher.ts';
import { tcpOnly } from './mpich.ts';

/** Slurm's srun, inside an allocation or as a job of its own. TCP is forced as for Open MPI's mpirun (openmpi.ts) and MPICH's mpiexec. */
export const srun: Launcher = {
  command: 'srun',
  says: null,
  compilers: ['mpicc'],
  argv,
  library: null,
  daemon: null,
  startsSteps: true,
  faults:
    /Unable to (create|allocate|confirm)|Communication connection failure|Node failure|Connection (refused|reset|timed out)|Socket timed out|Invalid job credential|Required node not available/,
  lostHost: /Node failure on (?<host>[^\s,]+)/,
  death,
  readsHostFile: true,
  ownExit,
  endedByOthers,
  crashAtStart,
  refusal,
  isWaiting,
};

/** In the words of strsignal(3). */
export const SIGNALS: Readonly<Record<string, number>> = {
  Killed: constants.signals.SIGKILL,
  'Out Of Memory': constants.signals.SIGKILL,
  Terminated: constants.signals.SIGTERM,
  Hangup: constants.signals.SIGHUP,
  Interrupt: constants.signals.SIGINT,
};

/** How srun tells of a task that ended by itself, at which it kills the others of the step: these are told as ended by a signal. */
const ITSELF =
  /^srun: error: \S+: tasks? [\d,-]+: (?:Exited with exit code (?<code>\d+)|(?<signal>Segmentation fault|Aborted|Bus error|Illegal instruction|Floating point exception))/m;
export const OWN_SIGNALS: Readonly<Record<string, number>> = {
  'Segmentation fault': constants.signals.SIGSEGV,
  Aborted: constants.signals.SIGABRT,
  'Bus error': constants.signals.SIGBUS,
  'Illegal instruction': constants.signals.SIGILL,
  'Floating point exception': constants.signals.SIGFPE,
};
/** Of a whole step that was ended: slurmstepd says why where it was not asked for by a user, srun waits for its tasks. */
const OTHERS =
  /Node failure on \S+|task \d+ launch failed: .*|(?<=\*\*\* )(?:JOB|STEP) (?=[^*\n]* DUE TO )[^*\n]*(?= \*\*\*)|Job step aborted: Waiting up to/;
/** An abort of a program ends its step as scancel does. */
const ABORT = /MPI_ABORT was invoked|application called MPI_Abort/;

function judge(stderr: string): 'itself' | 'others' | null {
  const others = OTHERS.exec(stderr);
  const itself = ITSELF.exec(stderr);
  if (ABORT.test(stderr) || (itself && (!others || itself.index < others.index))) return 'itself';
  return others ? 'others' : null;
}

function endedByOthers(stderr: string): string | null {
  if (judge(stderr) !== 'others') return null;
  const said = OTHERS.exec(stderr)?.[0] ?? '';
  // A user's scancel has no reason beside it.
  return said.startsWith('Job step aborted')
    ? (/(?<=\*\*\* )(?:JOB|STEP) [^*\n]*(?= \*\*\*)/.exec(stderr)?.[0] ?? said)
    : said;
}

/** srun's own code is that of the task that ended last, by the signal that the first one's end cost it. */
function ownExit(stderr: string): number | null {
  const { code, signal } = (judge(stderr) === 'itself' && ITSELF.exec(stderr)?.groups) || {};
  if (code !== undefined) return Number(code);
  return signal === undefined ? null : 128 + (OWN_SIGNALS[signal] ?? 0);
}

/** The first task that srun tells of, unless one ended by itself or the whole step was ended. */
function death(stderr: string): RankDeath | null {
  if (judge(stderr) !== null) return null;
  for (const told of stderr.matchAll(/^srun: error: (\S+): tasks? (\d+)(?:[,-][\d,-]*)?: (.+)$/gm)) {
    const signal = SIGNALS[(told[3] ?? '').replace(/ \(core dumped\)$/, '').trim()];
    if (signal !== undefined) return { host: told[1], rank: Number(told[2]), pid: undefined, signal };
  }
  return null;
}

/** Open MPI's warnings stand between two lines of dashes. */
const WARNINGS = /^-{20}-*\n[\s\S]*?^-{20}-*$/gm;
/** Lines of srun, of slurmstepd, and of Open MPI about a crash or a peer that it cost; whatever else is there the program has said. */
const NOT_THE_PROGRAM =
  /^(?:srun|slurmstepd\S*): |^\[[^\]\s]+:\d+\] |^\[[^\]\s]+\]\[\[\d+,\d+\],\d+\]\[[^\]\s]+:\d+:\w+\] |^\s*$/;

/** A crash in MPI_Init comes and goes with srun and PMIx (open-mpi/ompi issue 12495), so it is no word on the program. */
function crashAtStart({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }): RankDeath | null {
  const told = /^srun: error: (\S+): tasks? (\d+)(?:[,-][\d,-]*)?: Segmentation fault/m.exec(stderr);
  const hasSpoken =
    stdout.trim() !== '' ||
    stderr
      .replace(WARNINGS, '')
      .split('\n')
      .some((line) => !NOT_THE_PROGRAM.test(line));
  if (!told || hasSpoken || judge(stderr) !== 'itself') return null;
  return { host: told[1], rank: Number(told[2]), pid: undefined, signal: constants.signals.SIGSEGV };
}

/** What SLURM can never give, and an MPI that it was not told of. */
const NEVER =
  /Requested (?:node|partition) configuration (?:is )?not available|[Ii]nvalid (?:partition|node) name.*|More processors requested than permitted|Only allocated \d+ nodes asked for \d+/;

function refusal(stderr: string): Refusal | null {
  if (/not built with SLURM's PMI support/.test(stderr)) {
    const text =
      "srun started the ranks without PMIx, which Open MPI needs. Set SLURM's MpiDefault to pmix (slurm.conf), or write mpi.args: [--mpi=pmix] in the inventory ('srun --mpi=list' shows the choices).";
    return { kind: 'infrastructure', text };
  }
  const never = NEVER.exec(stderr)?.[0];
  if (never === undefined) return null;
  const text = `SLURM cannot allocate what the run needs (${never}): request fewer hosts or ranks, or a larger allocation.`;
  return { kind: 'badInput', text };
}

/** Whether it waits for nodes: it says when the wait begins, and with one exception when it ends. */
function isWaiting(stderr: string): boolean {
  const begins = Math.max(
    stderr.lastIndexOf('queued and waiting'),
    stderr.lastIndexOf('step creation temporarily disabled'),
  );
  const ends = Math.max(stderr.lastIndexOf('has been allocated resources'), stderr.lastIndexOf('Step created for'));
  return begins > ends;
}

function argv({ inventory, hosts, ranksPerNode, threads, argv, hostFile, link }: Launch): readonly string[] {
  const { mpi, job } = inventory;
  // srun sorts the names of --nodelist; only a host file keeps the order of the ranks.
  const places = hosts.map(({ name }) => name).join(',');
  const [file, order] =
    hostFile === undefined
      ? [[], ['--nodelist', places, '--ntasks-per-node', String(ranksPerNode), '--distribution=block']]
      : [[`SLURM_HOSTFILE=${hostFile}`], ['--distribution=arbitrary']];
  return [
    'env',
    ...file,
    ...mpiEnvironment({ inventory, ranksPerNode, link }),
    mpi.command ?? srun.command,
    // Without an allocation each run is a job, which shares its nodes with nobody.
    job === undefined ? '--exclusive' : `--jobid=${job.id}`,
    ...['--nodes', String(hosts.length)],
    ...['--ntasks', String(hosts.length * ranksPerNode)],
    ...order,
    '--kill-on-bad-exit=1',
    ...(threads === undefined ? [] : ['--cpus-per-task', String(threads)]),
    ...mpi.args,
    ...argv,
  ];
}

/** Variables `NAME=value` for ranks whose MPI has no launcher of its own: TCP on the data network, and what the inventory says. */
export function mpiEnvironment({
  inventory: { mpi, network },
  ranksPerNode,
  link,
}: Pick<Launch, 'inventory' | 'ranksPerNode' | 'link'>): readonly string[] {
  const networkName = network.interface ?? network.cidr ?? '';
  const env = {
    OMPI_MCA_pml: 'ob1',
    OMPI_MCA_btl: ranksPerNode > 1 ? 'self,vader,tcp' : 'self,tcp',
    OMPI_MCA_osc: '^ucx',
    OMPI_MCA_osc_rdma_priority: '1',
    OMPI_MCA_btl_tcp_if_include: networkName,
    OMPI_MCA_oob_tcp_if_include: networkName,
    ...tcpOnly(network.interface ?? link, ranksPerNode),
    ...mpi.env,
  };
  return Object.entries(env).map(([name, value]) => `${name}=${value}`);
}

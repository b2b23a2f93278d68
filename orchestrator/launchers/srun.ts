import { constants } from 'node:os';
import type { Launch, Launcher, RankDeath } from './launcher.ts';

/** Slurm's srun, inside an allocation or as a job of its own. TCP is forced for Open MPI and for MPICH's libfabric. */
export const srun: Launcher = {
  command: 'srun',
  compilers: ['mpicc'],
  argv,
  library: null,
  usesAgent: () => false,
  faults:
    /Unable to (create|allocate|confirm)|Communication connection failure|Node failure|Connection (refused|reset|timed out)|Socket timed out/,
  lostHost: /Node failure on (?<host>[^\s,]+)/,
  death,
  wasToldToEnd: () => false,
};

/** In the words of strsignal(3). */
const SIGNALS: Readonly<Record<string, number>> = {
  Killed: constants.signals.SIGKILL,
  'Out Of Memory': constants.signals.SIGKILL,
  Terminated: constants.signals.SIGTERM,
  Hangup: constants.signals.SIGHUP,
  Interrupt: constants.signals.SIGINT,
};

/**
 * The first task that srun tells of, unless one ended by itself: the others of its step are then killed by srun.
 */
function death(stderr: string): RankDeath | null {
  if (/: tasks? [\d,-]+: (Exited with exit code|Segmentation fault|Aborted|Bus error|Illegal|Floating)/.test(stderr)) {
    return null;
  }
  for (const told of stderr.matchAll(/^srun: error: (\S+): tasks? (\d+)[\d,-]*: (.+)$/gm)) {
    const signal = SIGNALS[(told[3] ?? '').replace(/ \(core dumped\)$/, '').trim()];
    if (signal !== undefined) return { host: told[1], rank: Number(told[2]), pid: undefined, signal };
  }
  return null;
}

function argv({ inventory, hosts, ranksPerNode, argv }: Launch): readonly string[] {
  const { mpi } = inventory;
  const env = { OMPI_MCA_pml: 'ob1', OMPI_MCA_btl: 'self,vader,tcp', FI_PROVIDER: 'tcp', ...mpi.env };
  return [
    'env',
    ...Object.entries(env).map(([name, value]) => `${name}=${value}`),
    mpi.command ?? srun.command,
    ...['--nodelist', hosts.map(({ name }) => name).join(',')],
    ...['--nodes', String(hosts.length)],
    ...['--ntasks', String(hosts.length * ranksPerNode)],
    ...['--ntasks-per-node', String(ranksPerNode)],
    '--distribution=block',
    '--kill-on-bad-exit=1',
    ...mpi.args,
    ...argv,
  ];
}

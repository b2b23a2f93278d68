import { faultPattern, type Launch, type Launcher, type RankDeath } from './launcher.ts';

/**
 * Open MPI's mpirun. TCP is forced (pml ob1, btl tcp): RDMA would pass by the throttle. One-sided operations go over it as well: without
 * a network that does them itself, version 4 has them in osc/pt2pt, which then has to come before osc/rdma, and version 5 in osc/rdma
 * alone. Both the data and the out-of-band connections stay on the data network.
 */
export const openmpi: Launcher = {
  command: 'mpirun',
  compilers: ['mpicc.openmpi', 'mpicc'],
  argv,
  library: 'Open MPI',
  usesAgent: (args) => !args.some((word) => /^plm_(rsh|ssh)_agent$/.test(word)),
  faults: faultPattern(
    /ORTE (was unable|has lost communication|daemon has failed)|unable to reliably start|not enough slots available|An error occurred in MPI_Init|unable to (find|launch) the specified|Error: unknown option/,
  ),
  lostHost: /Remote daemon: \S+ on node (?<host>\S+)/,
  death,
  // It catches SIGTERM and then ends with 1 and without a word; whatever else ends it is told between dashes.
  wasToldToEnd: (exitCode, stderr) => exitCode === 1 && !/^-{20}-*$/m.test(stderr),
};

/** A rank that is a shell's child is told by its shell's exit code, 128 + the signal. */
function death(stderr: string): RankDeath | null {
  const named = /process rank (\d+) with PID (\d+) on node (\S+) exited on signal (\d+)/.exec(stderr);
  if (named) {
    return { rank: Number(named[1]), pid: Number(named[2]), host: named[3], signal: Number(named[4]) };
  }
  const wrapped = /Process name: \[\[\d+,\d+\],(\d+)\]\s+Exit code:\s+(\d+)/.exec(stderr);
  const signal = Number(wrapped?.[2]) - 128;
  return wrapped && signal > 0 ? { rank: Number(wrapped[1]), pid: undefined, host: undefined, signal } : null;
}

function argv({ inventory, hosts, ranksPerNode, argv, agent }: Launch): readonly string[] {
  const { mpi, network } = inventory;
  const link = network.interface ?? network.cidr ?? '';
  return [
    'env',
    // mpirun refuses root without these; they mean nothing to other users.
    'OMPI_ALLOW_RUN_AS_ROOT=1',
    'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1',
    mpi.command ?? openmpi.command,
    ...['--host', hosts.map(({ name }) => `${name}:${ranksPerNode}`).join(',')],
    ...['-np', String(hosts.length * ranksPerNode)],
    ...['--mca', 'pml', 'ob1'],
    ...['--mca', 'btl', ranksPerNode > 1 ? 'self,vader,tcp' : 'self,tcp'],
    ...['--mca', 'osc', '^ucx', '--mca', 'osc_rdma_priority', '1'],
    // Every daemon looks for the agent's program, which has to be there on every host: sh is. Daemons that start others would need more.
    ...(agent === undefined ? [] : ['--mca', 'plm_rsh_agent', `sh ${agent}`, '--mca', 'plm_rsh_no_tree_spawn', '1']),
    ...['--mca', 'btl_tcp_if_include', link],
    ...['--mca', 'oob_tcp_if_include', link],
    ...Object.entries(mpi.env).flatMap(([name, value]) => ['-x', `${name}=${value}`]),
    ...mpi.args,
    ...argv,
  ];
}

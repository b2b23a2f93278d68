import { type LaunchedBy, withoutToken } from './daemon.ts';
import { faultPattern, type Launch, type Launcher, type RankDeath } from './launcher.ts';

/**
 * Open MPI's mpirun. TCP is forced (pml ob1, btl tcp): RDMA would pass by the throttle. One-sided operations go over it as well: without
 * a network that does them itself, version 4 has them in osc/pt2pt, which then has to come before osc/rdma, and version 5 in osc/rdma
 * alone. Both the data and the out-of-band connections stay on the data network.
 */
export const openmpi: Launcher = {
  command: 'mpirun',
  says: 'Open MPI',
  compilers: ['mpicc.openmpi', 'mpicc'],
  argv,
  library: 'Open MPI',
  daemon: { names: ['orted', 'prted'], otherWay: /^plm_(rsh|ssh)_agent$/, problem: daemonProblem },
  faults: faultPattern(
    /ORTE (was unable|has lost communication|daemon has failed)|unable to reliably start|not enough slots available|An error occurred in MPI_Init|unable to (find|launch) the specified|Error: unknown option/,
  ),
  lostHost: /Remote daemon: \S+ on node (?<host>\S+)/,
  death,
  // It catches SIGTERM and then ends with 1 and without a word; whatever else ends it is told between dashes.
  wasToldToEnd: (exitCode, stderr) => exitCode === 1 && !/^-{20}-*$/m.test(stderr),
};

/** Parameters that a daemon gets from its launcher alone: who it is, and where the launcher listens. */
const IDENTITY =
  /^(ess|ess_base_(jobid|nspace|vpid|num_procs)|orte_(node_regex|hnp_uri|parent_uri)|prte_(hnp_uri|parent_uri)|plm|pmix)$/;
/** What the launcher makes of its other options (`--bind-to`, `--map-by`, `--tag-output`), none of which names a file or a program. */
const OPTION = /^(hwloc_base|rmaps_base|orte|prte|iof_base)_[a-z_]+$/;
const NAMES_SOMETHING = /agent|path|file|dir|cmd|command|script|env|prefix|exec|launch|fork|wrapper/;
const FLAGS = ['--daemonize', '--leave-session-attached', '--debug-daemons', '--tree-spawn'];

/**
 * Daemons are told parameters (`-mca NAME VALUE`): their own identity, and what the launcher itself was told. Others could have them
 * load a library or run a program.
 */
function daemonProblem(words: readonly string[], { argv, environment, agent }: LaunchedBy): string | null {
  const told = new Set(environment);
  for (const [index, word] of argv.entries()) {
    if (PARAMETER.test(word)) told.add(`${argv[index + 1]}=${argv[index + 2]}`);
  }
  told.add(`plm_rsh_agent=sh ${agent}`).add(`plm_ssh_agent=sh ${agent}`);
  for (let index = 0; index < words.length; index += 1) {
    const [word = '', name = '', value = ''] = words.slice(index, index + 3);
    if (FLAGS.includes(word)) continue;
    if (!PARAMETER.test(word)) return `'${word}' is not an option of a daemon`;
    const isOption = OPTION.test(name) && !NAMES_SOMETHING.test(name) && /^[\w:,.-]*$/.test(value);
    if (!IDENTITY.test(name) && !isOption && !told.has(`${name}=${value}`))
      return `the option ${name} may not have the value '${value}'`;
    index += 2;
  }
  return null;
}

/** mca in Open MPI 4; 5 hands its parts (PRRTE, PMIx) their own. */
const PARAMETER = /^--?(mca|gmca|prtemca|pmixmca|omca)$/;

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

function argv({ inventory, hosts, ranksPerNode, threads, argv, agent }: Launch): readonly string[] {
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
    ...Object.entries({ ...mpi.env, ...withoutToken(agent) }).flatMap(([name, value]) => ['-x', `${name}=${value}`]),
    // A rank that is bound to a core has all its threads there.
    ...(threads === undefined || mpi.args.includes('--bind-to') ? [] : ['--bind-to', 'none']),
    ...mpi.args,
    ...argv,
  ];
}

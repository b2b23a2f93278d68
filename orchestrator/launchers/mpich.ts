import { type LaunchedBy, withoutToken } from './daemon.ts';
import { faultPattern, type Launch, type Launcher, type RankDeath } from './launcher.ts';

/** MPICH's mpiexec (hydra). ch3 uses TCP by itself, ch4 when its libraries are told so (`tcpOnly`). */
export const mpich: Launcher = {
  command: 'mpiexec',
  says: 'HYDRA',
  compilers: ['mpicc.mpich', 'mpicc'],
  argv,
  library: 'MPICH',
  daemon: {
    names: ['hydra_pmi_proxy'],
    otherWay: /^--?(launcher|launcher-exec|bootstrap|bootstrap-exec|rmk)$/,
    problem: proxyProblem,
  },
  faults: faultPattern(
    /unable to connect|proxy .{0,60}? (died|failed)|unrecognized argument|execvp error on file|Fatal error in (internal|P?MPI)_Init|Endpoint timeout/,
  ),
  lostHost: /\[proxy:[\d:]+@(?<host>[^[\]\s]+)\]/,
  death,
  mayHang,
};

/** Hydra's proxies are told by pairs of a name and a value where their launcher listens, and how they are to work. */
function proxyProblem(words: readonly string[], { agent }: LaunchedBy): string | null {
  for (let index = 0; index < words.length; index += 2) {
    const [name = '', value = ''] = words.slice(index, index + 2);
    if (!/^--[a-z][a-z-]*$/.test(name)) return `'${name}' is not an option of a proxy`;
    // A proxy that starts others would start them so.
    if (name === '--launcher-exec' ? value !== agent : !/^[\w.:,-]*$/.test(value))
      return `the option ${name} may not have the value '${value}'`;
  }
  return null;
}

/** Before 4.2 over UCX: a rank that waits in PMI's barrier answers none that still closes connections (pmodels/mpich pull request 6596). */
function mayHang(said: string): string | null {
  const [, version = '', major, minor] = /^[ \t]*Version:[ \t]+((\d+)\.(\d+)\S*)/m.exec(said) ?? [];
  const isOld = Number(major) < 4 || (Number(major) === 4 && Number(minor) < 2);
  return isOld && /ucx/.test(said) ? version : null;
}

/** Hydra's block "BAD TERMINATION", and the line about its exit string below. */
function death(stderr: string): RankDeath | null {
  const rank = /PID (\d+) RUNNING AT (\S+)/.exec(stderr);
  const [, signal] = /EXIT STRING: [^(\n]{0,40}\(signal (\d+)\)/.exec(stderr.slice(rank?.index ?? 0)) ?? [];
  if (!rank || signal === undefined) return null;
  return { rank: undefined, pid: Number(rank[1]), host: rank[2], signal: Number(signal) };
}

/**
 * What holds MPICH's ch4 to TCP on the data interface: ch4:ofi by libfabric's variables, ch4:ucx by UCX's; ranks of one host may share
 * memory.
 */
export function tcpOnly(link: string | undefined, ranksPerNode: number): Readonly<Record<string, string>> {
  return {
    FI_PROVIDER: 'tcp',
    UCX_TLS: ranksPerNode > 1 ? 'tcp,self,sm' : 'tcp,self',
    ...(link === undefined ? {} : { FI_TCP_IFACE: link, UCX_NET_DEVICES: link }),
  };
}

function argv({ inventory, hosts, ranksPerNode, argv, agent, link }: Launch): readonly string[] {
  const { mpi, network } = inventory;
  const name = network.interface ?? link;
  const env = { ...tcpOnly(name, ranksPerNode), ...mpi.env, ...withoutToken(agent) };
  return [
    mpi.command ?? mpich.command,
    ...['-hosts', hosts.map((host) => `${host.name}:${ranksPerNode}`).join(',')],
    ...['-ppn', String(ranksPerNode)],
    ...['-n', String(hosts.length * ranksPerNode)],
    ...(agent === undefined ? [] : ['-launcher', 'ssh', '-launcher-exec', agent]),
    ...(name === undefined ? [] : ['-iface', name]),
    ...Object.entries(env).flatMap(([key, value]) => ['-genv', key, value]),
    ...mpi.args,
    ...argv,
  ];
}

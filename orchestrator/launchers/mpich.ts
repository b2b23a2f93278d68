import type { Launch, Launcher, RankDeath } from './launcher.ts';

/** MPICH's mpiexec (hydra). ch4:ofi takes TCP sockets when told so by FI_PROVIDER; ch3 uses TCP by itself. */
export const mpich: Launcher = {
  command: 'mpiexec',
  compilers: ['mpicc.mpich', 'mpicc'],
  argv,
  faults:
    /unable to connect|proxy .* (died|failed)|Host key verification failed|Permission denied \(publickey|Connection (refused|reset|timed out)|No route to host/,
  lostHost: /\[proxy:\S+@(?<host>[^\]\s]+)\]/,
  death,
  wasToldToEnd: () => false,
};

/** Hydra's block "BAD TERMINATION", and the line about its exit string below. */
function death(stderr: string): RankDeath | null {
  const named = /PID (?<pid>\d+) RUNNING AT (?<host>\S+)[\s\S]*?EXIT STRING: [^\n]*\(signal (?<signal>\d+)\)/.exec(
    stderr,
  )?.groups;
  if (!named) return null;
  return { rank: undefined, pid: Number(named.pid), host: named.host, signal: Number(named.signal) };
}

function argv({ inventory, hosts, ranksPerNode, argv }: Launch): readonly string[] {
  const { mpi, network } = inventory;
  const env = { FI_PROVIDER: 'tcp', ...mpi.env };
  return [
    mpi.command ?? mpich.command,
    ...['-hosts', hosts.map(({ name }) => `${name}:${ranksPerNode}`).join(',')],
    ...['-ppn', String(ranksPerNode)],
    ...['-n', String(hosts.length * ranksPerNode)],
    ...(network.interface === undefined ? [] : ['-iface', network.interface]),
    ...Object.entries(env).flatMap(([name, value]) => ['-genv', name, value]),
    ...mpi.args,
    ...argv,
  ];
}

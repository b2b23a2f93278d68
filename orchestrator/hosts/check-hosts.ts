import type { HostPrograms } from '../../agents/index.ts';
import { lastLines, messageOf } from '../../base/index.ts';
import type { Host } from '../../inventory/index.ts';
import type { Cluster } from './cluster.ts';
import { deployPrograms } from './deployment.ts';
import type { Executor } from './executor.ts';
import { type ProbedHost, probeHosts } from './facts.ts';
import { showLinks } from './throttle-hosts.ts';

/** One line of `predict inventory check`; null where the host could not tell. */
interface HostCheck {
  readonly host: string;
  readonly reached: boolean;
  readonly kernel: string | null;
  readonly cores: number | null;
  readonly memoryBytes: number | null;
  readonly interface: string | null;
  readonly address: string | null;
  /** State of the data link: free, throttled or foreign. */
  readonly link: string | null;
  readonly privilege: 'root' | 'sudo' | 'none' | null;
  readonly mpi: string | null;
  readonly clockOffsetNs: number | null;
  readonly clockErrorNs: number | null;
  /** What would keep a sweep from running, a sentence each. */
  readonly problems: readonly string[];
}

const MPI_COMMANDS = {
  openmpi: 'mpirun --version',
  mpich: "mpiexec --version | grep -i 'version'",
  srun: 'srun --version',
} as const;

/** Probes hosts side by side; a host that fails is a line with its problem, not an error. */
export function checkHosts(cluster: Cluster, hosts: readonly Host[], programs: HostPrograms): Promise<HostCheck[]> {
  return cluster.onEach(hosts, async (executor, host) => {
    try {
      return await check(cluster, executor, host, programs);
    } catch (error) {
      return { ...UNKNOWN, host: host.name, reached: false, problems: [withoutName(host, messageOf(error))] };
    }
  });
}

const UNKNOWN = {
  kernel: null,
  cores: null,
  memoryBytes: null,
  interface: null,
  address: null,
  link: null,
  privilege: null,
  mpi: null,
  clockOffsetNs: null,
  clockErrorNs: null,
} as const;

async function check(cluster: Cluster, executor: Executor, host: Host, programs: HostPrograms): Promise<HostCheck> {
  await executor.exec('true');
  const problems: string[] = [];
  const attempt = async <T>(task: () => Promise<T>): Promise<T | null> => {
    try {
      return await task();
    } catch (error) {
      problems.push(withoutName(host, messageOf(error)));
      return null;
    }
  };
  const probed = await attempt(async () => {
    await deployPrograms(cluster, [host], { programs });
    return (await probeHosts(cluster, [host]))[0] ?? null;
  });
  const privilege = await privilegeOf(executor);
  const link = privilege === 'none' ? null : await attempt(() => showLinks(cluster, [host]));
  const state = link?.get(host.name);
  const mpi = await mpiVersion(cluster, executor);
  if (privilege === 'none') {
    problems.push('its links cannot be throttled: the ssh user is not root and has no passwordless sudo.');
  }
  if (state?.state === 'foreign')
    problems.push(`${state.interface} carries a qdisc that is not ours (${state.qdisc}).`);
  if (mpi === null) problems.push(`the launcher ${cluster.inventory.mpi.launcher} is not installed.`);
  if (probed && probed.facts.dataAddress === null) {
    const { interface: name, cidr } = cluster.inventory.network;
    problems.push(`it has no address on ${name ?? `the data network ${cidr}`}.`);
  }
  const known = { host: host.name, reached: true, link: state?.state ?? null, privilege, mpi, problems };
  return { ...UNKNOWN, ...(probed && factsOf(probed)), ...known };
}

function factsOf({ facts, clockOffsetNs, clockErrorNs }: ProbedHost) {
  const { kernel, cores, memoryBytes, dataInterface, dataAddress } = facts;
  return { kernel, cores, memoryBytes, interface: dataInterface, address: dataAddress, clockOffsetNs, clockErrorNs };
}

async function privilegeOf(executor: Executor): Promise<'root' | 'sudo' | 'none'> {
  const { stdout } = await executor.exec(
    'if [ "$(id -u)" = 0 ]; then echo root; elif sudo -n true 2>/dev/null; then echo sudo; else echo none; fi',
  );
  const word = stdout.trim();
  return word === 'root' || word === 'sudo' ? word : 'none';
}

async function mpiVersion(cluster: Cluster, executor: Executor): Promise<string | null> {
  const { launcher, command } = cluster.inventory.mpi;
  const result = await executor.exec(command === undefined ? MPI_COMMANDS[launcher] : `${command} --version`);
  if (result.exitCode !== 0) return null;
  return /\d+\.\d+(\.\d+)*/.exec(result.stdout)?.[0] ?? lastLines(result.stdout, 1);
}

function withoutName({ name }: Host, message: string): string {
  return message.startsWith(`${name}: `) ? message.slice(name.length + 2) : message;
}

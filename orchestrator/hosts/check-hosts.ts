import type { HostPrograms } from '../../agents/host-programs.ts';
import { messageOf } from '../../base/errors.ts';
import { joinWords, lastLines, withoutEnd } from '../../base/text.ts';
import type { Host } from '../../inventory/inventory-schema.ts';
import { LAUNCHERS } from '../launchers/launchers.ts';
import type { Cluster } from './cluster.ts';
import { deployPrograms } from './deployment.ts';
import type { Executor } from './executor.ts';
import { factsToKeep, type ProbedHost, probeHosts } from './facts.ts';
import { lacksPrivilege } from './installed-agent.ts';
import { showLinks } from './throttle-hosts.ts';

/** One line of `predict inventory check`; null where the host could not tell. */
interface HostCheck {
  readonly host: string;
  readonly reached: boolean;
  readonly kernel: string | null;
  readonly cores: number | null;
  readonly memoryBytes: number | null;
  readonly interface: string | null;
  readonly mtu: number | null;
  readonly speedMbit: number | null;
  /** At the root of the data interface, and net.core.default_qdisc. */
  readonly qdisc: string | null;
  readonly defaultQdisc: string | null;
  readonly congestionControl: string | null;
  readonly address: string | null;
  /** State of the data link: free, throttled or foreign. */
  readonly link: string | null;
  readonly privilege: 'root' | 'sudo' | 'none' | null;
  readonly mpi: string | null;
  /** Whether systemd manages the host's services. */
  readonly systemd: boolean | null;
  readonly clockOffsetNs: number | null;
  readonly clockErrorNs: number | null;
  /** What would keep a sweep from running, a sentence each. */
  readonly problems: readonly string[];
}

interface CheckOptions {
  readonly programs?: HostPrograms;
  /** Links are to stay as they are: a host where nothing may run as root has no problem. */
  readonly orAsUser?: boolean;
}

/** Probes hosts side by side; a host that fails is a line with its problem, not an error. */
export function checkHosts(cluster: Cluster, hosts: readonly Host[], options: CheckOptions = {}): Promise<HostCheck[]> {
  return cluster.onEach(hosts, async (executor, host) => {
    try {
      return await check(cluster, executor, host, options);
    } catch (error) {
      return { ...UNKNOWN, host: host.name, reached: false, problems: [withoutName(host, messageOf(error))] };
    }
  });
}

/** Hosts whose links nothing but processes of predict's own restores, in one sentence; null where there is none. */
export function withoutSystemd(rows: readonly HostCheck[]): string | null {
  const without = rows.filter(({ systemd, privilege }) => systemd === false && privilege !== 'none');
  if (without.length === 0) return null;
  const hosts = without.length === rows.length ? 'these hosts' : joinWords(without.map(({ host }) => host));
  return `There is no systemd on ${hosts}: a link there stays throttled if all processes of predict on its host are killed together.`;
}

const UNKNOWN = {
  kernel: null,
  cores: null,
  memoryBytes: null,
  interface: null,
  mtu: null,
  speedMbit: null,
  qdisc: null,
  defaultQdisc: null,
  congestionControl: null,
  address: null,
  link: null,
  privilege: null,
  mpi: null,
  systemd: null,
  clockOffsetNs: null,
  clockErrorNs: null,
} as const;

async function check(cluster: Cluster, executor: Executor, host: Host, options: CheckOptions): Promise<HostCheck> {
  await executor.exec(['true']);
  const problems: string[] = [];
  const attempt = async <T>(task: () => Promise<T>): Promise<T | null> => {
    try {
      return await task();
    } catch (error) {
      problems.push(withoutName(host, messageOf(error)));
      return null;
    }
  };
  const privilege = await privilegeOn(cluster, host, options, problems);
  const deployed = cluster.has(host.name);
  const probed = deployed ? await attempt(async () => (await probeHosts(cluster, [host]))[0] ?? null) : null;
  const mayLook = privilege !== null && (privilege !== 'none' || cluster.isUnprivileged(host.name));
  const link = mayLook ? await attempt(() => showLinks(cluster, [host])) : null;
  const state = link?.get(host.name);
  const mpi = await mpiVersion(cluster, executor);
  if (state?.state === 'foreign') problems.push(`${state.interface} has a foreign qdisc (${state.qdisc}).`);
  if (mpi === null) problems.push(`the launcher ${cluster.inventory.mpi.launcher} is not installed.`);
  if (probed && probed.facts.dataAddress === null) {
    const { interface: name, cidr } = cluster.inventory.network;
    problems.push(`it has no address on ${name ?? `the data network ${cidr}`}.`);
  }
  const known = { host: host.name, reached: true, link: state?.state ?? null, privilege, mpi, problems };
  return { ...UNKNOWN, ...(probed && factsOf(probed)), ...known };
}

function factsOf({ facts, clockOffsetNs, clockErrorNs }: ProbedHost) {
  const { dataInterface, cpuQuota: _, ...kept } = factsToKeep(facts);
  const { dataAddress: address, systemd } = facts;
  return { ...kept, interface: dataInterface, address, systemd, clockOffsetNs, clockErrorNs };
}

/** How the agent runs as root there; null where that could not be found out. */
async function privilegeOn(
  cluster: Cluster,
  host: Host,
  { programs, orAsUser }: CheckOptions,
  problems: string[],
): Promise<HostCheck['privilege']> {
  try {
    await deployPrograms(cluster, [host], { programs, orAsUser: orAsUser ?? false });
    if (cluster.isUnprivileged(host.name)) return 'none';
    return cluster.account(host.name).uid === 0 ? 'root' : 'sudo';
  } catch (error) {
    problems.push(withoutName(host, messageOf(error)));
    return lacksPrivilege(error) ? 'none' : null;
  }
}

async function mpiVersion(cluster: Cluster, executor: Executor): Promise<string | null> {
  const { launcher, command } = cluster.inventory.mpi;
  const result = await executor.exec([command ?? LAUNCHERS[launcher].command, '--version']);
  if (result.exitCode !== 0) return null;
  const [version] = /(?<!\d)\d+\.\d[\d.]*/.exec(result.stdout) ?? [];
  return version === undefined ? lastLines(result.stdout, 1) : withoutEnd(version, '.');
}

function withoutName({ name }: Host, message: string): string {
  return message.startsWith(`${name}: `) ? message.slice(name.length + 2) : message;
}

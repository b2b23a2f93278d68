import { infrastructure, type PredictError } from '../../base/errors.ts';
import { joinWords, lastLines } from '../../base/text.ts';
import { type Percent, rateOf, type Seconds } from '../../base/units.ts';
import type { Host } from '../../inventory/inventory-schema.ts';
import {
  clearCommand,
  type DataLink,
  type Lease,
  LINK_EXIT,
  type LinkLevel,
  netemCommand,
  renewCommand,
  setCommand,
  showCommand,
} from '../../throttle/link-command.ts';
import { type LinkState, readState } from '../../throttle/state.ts';
import type { Cluster } from './cluster.ts';
import { controllerName, lockHosts } from './controller-lock.ts';
import { type CommandResult, hostFault } from './executor.ts';

export type LinkStates = ReadonlyMap<string, LinkState>;

/** What is on the hosts' data links; like all below, through the agent, which must have been deployed. */
export function showLinks(cluster: Cluster, hosts: readonly Host[]): Promise<LinkStates> {
  return onLinks(cluster, hosts, showCommand);
}

/**
 * Errors: `infrastructure` naming the hosts whose kernels cannot add latency. One that cannot tell passes: predict-agent says so when
 * the first latency is set.
 */
export async function requireNetem(cluster: Cluster, hosts: readonly Host[]): Promise<void> {
  const states = await onLinks(cluster, hosts, netemCommand);
  const without = [...states].filter(([, { netem }]) => netem === false).map(([host]) => host);
  const [host] = without;
  if (host === undefined) return;
  const [whose, where] = without.length === 1 ? ['its kernel has', 'there'] : ['their kernels have', 'on these hosts'];
  throw infrastructure(
    `${joinWords(without)} cannot add latency: ${whose} no netem (module sch_netem). Leave out --latency, or install the kernel's modules ${where} (on Debian: linux-image-amd64).`,
    { host },
  );
}

/** Reads every link and refuses, before anything is changed, when one carries somebody else's qdisc. */
export async function requireOwnLinks(cluster: Cluster, hosts: readonly Host[]): Promise<LinkStates> {
  const states = await showLinks(cluster, hosts);
  const foreign = [...states].filter(([, { state }]) => state === 'foreign');
  if (foreign.length === 0) return states;
  const list = foreign.map(([host, state]) => `${host} ${state.interface} (${state.qdisc})`).join(', ');
  throw infrastructure(
    `The data link has a foreign qdisc on ${list}, so nothing was changed: remove it, or name another interface in the inventory.`,
  );
}

/** Throttles the hosts' links to a rate in both directions, with a latency added to what each sends. */
export async function throttleLinks(
  cluster: Cluster,
  hosts: readonly Host[],
  level: LinkLevel,
  lease: Lease,
): Promise<LinkStates> {
  if (cluster.throttler) {
    await cluster.throttler.set(hosts, level.rateBps);
    return showLinks(cluster, hosts);
  }
  return onLinks(cluster, hosts, (link) => setCommand(link, level, lease));
}

export function renewLinks(cluster: Cluster, hosts: readonly Host[], lease: Lease): Promise<LinkStates> {
  if (cluster.throttler) return showLinks(cluster, hosts);
  return onLinks(cluster, hosts, (link) => renewCommand(link, lease));
}

export async function clearLinks(cluster: Cluster, hosts: readonly Host[]): Promise<LinkStates> {
  if (cluster.throttler) {
    await cluster.throttler.clear();
    return showLinks(cluster, hosts);
  }
  return onLinks(cluster, hosts, clearCommand);
}

async function onLinks(
  cluster: Cluster,
  hosts: readonly Host[],
  args: (link: DataLink) => readonly string[],
): Promise<LinkStates> {
  const { interface: name, cidr: network, queue } = cluster.inventory.network;
  const states = await cluster.onEach(hosts, async (executor, host) => {
    const command = args({ interface: name, network, sshPort: executor.sshPort, queue });
    const asked = executor.traffic;
    const result = await cluster.asRoot(executor, command);
    if (result.exitCode !== 0) throw explain(result);
    const state = readState(host.name, result.stdout);
    const answered = executor.traffic;
    return [host.name, asked && answered ? { ...state, controller: { asked, answered } } : state] as const;
  });
  return new Map(states);
}

function explain({ host, exitCode, stderr, timedOut }: CommandResult): PredictError {
  const said = lastLines(stderr, 1).replace(/^predict-agent link: /, '');
  const text = timedOut
    ? 'the throttle command did not return in time'
    : exitCode === LINK_EXIT.foreign
      ? `${said}; remove it yourself if it is not needed`
      : exitCode === LINK_EXIT.noNetem
        ? `${said}; leave out --latency, or install its modules`
        : exitCode === LINK_EXIT.noPrivilege || /^sudo:/.test(said)
          ? `the user may not change qdiscs (${said}): use root or passwordless sudo`
          : said || `the throttle command ended with exit code ${exitCode}`;
  return hostFault(host, `${text}.`);
}

/**
 * Throttles all hosts under a lease, or none: the controllers' locks are held meanwhile. 100 % removes the throttle. The
 * agent must have been deployed.
 */
export async function setThrottle(
  cluster: Cluster,
  hosts: readonly Host[],
  { percent, leaseS }: { readonly percent: Percent; readonly leaseS: Seconds },
): Promise<LinkStates> {
  const owner = controllerName('throttle set');
  const locks = await lockHosts(cluster, hosts, owner);
  try {
    await requireOwnLinks(cluster, hosts);
    if (percent === 100) return await clearLinks(cluster, hosts);
    const lease = { seconds: leaseS, owner };
    const rateBps = rateOf(cluster.inventory.lineRate, percent);
    return await throttleLinks(cluster, hosts, { rateBps, latencyMs: 0 }, lease).catch(async (error: unknown) => {
      // Some hosts may carry the new level already.
      await clearLinks(cluster, hosts).catch(() => undefined);
      throw error;
    });
  } finally {
    await locks.release();
  }
}

/**
 * Restores the hosts' links under the controllers' locks; the agent must be installed. Hosts in use are a `busy` error,
 * but with `force` they are restored all the same, after `say` was told whose work that breaks.
 */
export async function clearThrottle(
  cluster: Cluster,
  hosts: readonly Host[],
  { force, say }: { readonly force: boolean; readonly say: (text: string) => void },
): Promise<LinkStates> {
  const despite = (reason: string): void => say(`${reason} Its link is restored anyway, because of --force.`);
  const locks = await lockHosts(cluster, hosts, controllerName('throttle clear'), force ? { despite } : {});
  try {
    return await clearLinks(cluster, hosts);
  } finally {
    await locks.release();
  }
}

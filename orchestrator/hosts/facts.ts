import { infrastructure } from '../../base/errors.ts';
import { lastLines } from '../../base/text.ts';
import type { Host } from '../../inventory/inventory-schema.ts';
import { linkArguments } from '../../throttle/link-command.ts';
import type { Cluster } from './cluster.ts';
import { AGENT } from './deployment.ts';
import type { Executor } from './executor.ts';
import { type HostFacts, parseFacts } from './parse-facts.ts';

export interface ProbedHost {
  readonly host: string;
  readonly facts: HostFacts;
  /** The host's clock minus the controller's, ns; true within `clockErrorNs` (half the round trip). */
  readonly clockOffsetNs: number;
  readonly clockErrorNs: number;
}

/**
 * Facts and clock offset of each host, side by side; the agent must have been deployed. `now` is the controller's clock,
 * CLOCK_REALTIME in ns.
 */
export async function probeHosts(cluster: Cluster, hosts: readonly Host[], now = realtimeNs): Promise<ProbedHost[]> {
  const probed = await cluster.onEach(hosts, (executor) => probe(cluster, executor, now));
  for (const { host, facts } of probed) {
    const [address] = facts.dataAddress?.split('/') ?? [];
    if (address) cluster.addresses.set(host, address);
  }
  return probed;
}

/** Addresses in the data network, by host name. */
export async function dataAddresses(cluster: Cluster, hosts: readonly Host[]): Promise<ReadonlyMap<string, string>> {
  const { addresses } = cluster;
  const missing = hosts.filter(({ name }) => !addresses.has(name));
  if (missing.length > 0) await probeHosts(cluster, missing);
  const without = missing.find(({ name }) => !addresses.has(name));
  if (without) {
    const { interface: name, cidr } = cluster.inventory.network;
    const where = [name, cidr && `the data network ${cidr}`].filter((part) => part !== undefined).join(' in ');
    throw infrastructure(`${without.name} has no address on ${where}: correct network in the inventory.`, {
      host: without.name,
    });
  }
  return addresses;
}

async function probe(cluster: Cluster, executor: Executor, now: () => bigint): Promise<ProbedHost> {
  const { interface: name, cidr: network } = cluster.inventory.network;
  const where = linkArguments({ interface: name, network });
  const sentAt = now();
  const result = await executor.exec([cluster.remotePath(AGENT), 'facts', ...where]);
  const receivedAt = now();
  if (result.exitCode !== 0) {
    throw infrastructure(`${executor.host}: its facts could not be read: ${lastLines(result.stderr, 1)}`, {
      host: executor.host,
    });
  }
  const facts = parseFacts(result.stdout, executor.host);
  return {
    host: executor.host,
    facts,
    clockOffsetNs: Number(BigInt(facts.clock.realtimeNs) - (sentAt + receivedAt) / 2n),
    clockErrorNs: Number((receivedAt - sentAt) / 2n),
  };
}

/** Realtime in ns: performance's origin keeps the sub-millisecond part. */
function realtimeNs(): bigint {
  return BigInt(Math.round((performance.timeOrigin + performance.now()) * 1000)) * 1000n;
}

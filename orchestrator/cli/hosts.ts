import { badInput } from '../../base/index.ts';
import { expandHosts, type Host, type Inventory, loadInventory, withHead } from '../../inventory/index.ts';
import { Cluster } from '../hosts/cluster.ts';
import type { Optional, Switches } from './flags.ts';
import { requireInventory } from './inventory-file.ts';

/** What every command about the hosts of an inventory takes. */
export type HostFlags = Optional<'inventory' | 'hosts'> & Switches;

/** Opens the cluster of an inventory file (that of `requireInventory`) for one command and closes it afterwards. */
export async function withCluster<T>(path: string | undefined, task: (cluster: Cluster) => Promise<T>): Promise<T> {
  const cluster = new Cluster(loadInventory(requireInventory(path)));
  try {
    return await task(cluster);
  } finally {
    cluster.close();
  }
}

/** The hosts that a flag names; all without it. */
export function pickHosts(inventory: Inventory, names: string | undefined): readonly Host[] {
  if (names === undefined) return inventory.hosts;
  const all = withHead(inventory);
  return expandHosts(names).map((name) => {
    const host = all.find((candidate) => candidate.name === name);
    if (!host) throw badInput(`--hosts: '${name}' is not in ${inventory.path}.`);
    return host;
  });
}

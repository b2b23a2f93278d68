import { existsSync } from 'node:fs';
import { badInput } from '../../base/errors.ts';
import { expandHosts } from '../../inventory/expand-hosts.ts';
import { type Host, type Inventory, withHead } from '../../inventory/inventory-schema.ts';
import { loadInventory } from '../../inventory/load-inventory.ts';
import { Cluster } from '../hosts/cluster.ts';
import type { Optional, Switches } from './flags.ts';

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

/** What an inventory is called that is found without being named. */
const USUAL = 'cluster.yaml';

/** The inventory of a command: as its flag says, else PREDICT_INVENTORY, else cluster.yaml here; undefined without any. */
export function inventoryFile(
  flag: string | undefined,
  { PREDICT_INVENTORY: named = '' }: Readonly<NodeJS.ProcessEnv> = process.env,
): string | undefined {
  return flag ?? (named || (existsSync(USUAL) ? USUAL : undefined));
}

/** As `inventoryFile`. Errors: `badInput` without any. */
export function requireInventory(flag: string | undefined): string {
  const file = inventoryFile(flag);
  if (file !== undefined) return file;
  throw badInput(
    `No inventory is given: name one with --inventory FILE or PREDICT_INVENTORY, or write ${USUAL} here (docs/cluster.md).`,
  );
}

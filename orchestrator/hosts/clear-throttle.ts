import type { Host } from '../../inventory/inventory-schema.ts';
import type { Cluster } from './cluster.ts';
import { controllerName, lockHosts } from './controller-lock.ts';
import { clearLinks, type LinkStates } from './throttle-hosts.ts';

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

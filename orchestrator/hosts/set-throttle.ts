import { type Percent, rateOf, type Seconds } from '../../base/units.ts';
import type { Host } from '../../inventory/inventory-schema.ts';
import type { Cluster } from './cluster.ts';
import { controllerName, lockHosts } from './controller-lock.ts';
import { clearLinks, type LinkStates, requireOwnLinks, throttleLinks } from './throttle-hosts.ts';

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
    return await throttleLinks(cluster, hosts, rateBps, lease).catch(async (error: unknown) => {
      // Some hosts may carry the new level already.
      await clearLinks(cluster, hosts).catch(() => undefined);
      throw error;
    });
  } finally {
    await locks.release();
  }
}

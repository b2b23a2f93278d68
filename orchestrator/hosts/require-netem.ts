import { infrastructure } from '../../base/errors.ts';
import { joinWords } from '../../base/text.ts';
import type { Host } from '../../inventory/inventory-schema.ts';
import type { Cluster } from './cluster.ts';
import { probeHosts } from './facts.ts';

/**
 * Errors: `infrastructure` naming the hosts whose kernels cannot add latency. A host where only root could find out passes: there
 * predict-agent says so when the first level is set.
 */
export async function requireNetem(cluster: Cluster, hosts: readonly Host[]): Promise<void> {
  const probed = await probeHosts(cluster, hosts);
  const without = probed.filter(({ facts }) => facts.features.netem === false).map(({ host }) => host);
  const [host] = without;
  if (host === undefined) return;
  const [whose, where] = without.length === 1 ? ['its kernel has', 'there'] : ['their kernels have', 'on these hosts'];
  throw infrastructure(
    `${joinWords(without)} cannot add latency: ${whose} no netem (module sch_netem). Leave out --latency, or install the kernel's modules ${where} (on Debian: linux-image-amd64).`,
    { host },
  );
}

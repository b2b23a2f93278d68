// TCP goodput between lab hosts under each throttle level, both directions, as a share of the set rate.
//   npm run bench -- throttle
import { buildHostPrograms } from '../../agents/build.ts';
import { asBitsPerSecond, asPercent, asSeconds, rateOf } from '../../base/units.ts';
import { labDown } from '../../inventory/lab/lifecycle.ts';
import { labSpec } from '../../inventory/lab/spec.ts';
import { loadInventory } from '../../inventory/load-inventory.ts';
import { probeRing } from '../../orchestrator/cell/probe-ring.ts';
import { startLab } from '../../orchestrator/cli/lab.ts';
import { Cluster } from '../../orchestrator/hosts/cluster.ts';
import { deployPrograms } from '../../orchestrator/hosts/deployment.ts';
import { clearLinks, throttleLinks } from '../../orchestrator/hosts/throttle-hosts.ts';

const programs = await buildHostPrograms();
const spec = labSpec({ name: 'bench', hosts: 4, cpuPercent: asPercent(20), linkBps: asBitsPerSecond(200e6) });
const lab = await startLab(spec, programs);
const cluster = new Cluster(loadInventory(lab.inventory));
try {
  const { hosts, lineRate } = cluster.inventory;
  await deployPrograms(cluster, hosts, { programs });
  console.log('bw %  set Mbit/s  out min..max of set  in min..max of set');
  for (const bw of [100, 50, 20, 10]) {
    const rateBps = rateOf(lineRate, asPercent(bw));
    const lease = { seconds: asSeconds(60), owner: 'bench' };
    if (bw < 100) await throttleLinks(cluster, hosts, rateBps, lease);
    const probes = await probeRing(cluster, hosts, rateBps);
    const span = (values: readonly number[]): string =>
      `${(Math.min(...values) / rateBps).toFixed(3)}..${(Math.max(...values) / rateBps).toFixed(3)}`;
    console.log(
      [
        String(bw).padStart(4),
        String(rateBps / 1e6).padStart(10),
        span(probes.map(({ outBps }) => outBps)).padStart(19),
        span(probes.map(({ inBps }) => inBps)).padStart(18),
      ].join('  '),
    );
  }
  await clearLinks(cluster, hosts);
} finally {
  cluster.close();
  await labDown(spec.name);
}

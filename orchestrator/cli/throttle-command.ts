import { parseSeconds } from '../../base/bounds.ts';
import { parsePercent } from '../../base/units.ts';
import type { Host } from '../../inventory/inventory-schema.ts';
import type { Cluster } from '../hosts/cluster.ts';
import { deployPrograms } from '../hosts/deployment.ts';
import { clearThrottle, type LinkStates, setThrottle, showLinks } from '../hosts/throttle-hosts.ts';
import { type HostFlags, pickHosts, withCluster } from './pick-hosts.ts';
import { left, note, printJson, printTable, right } from './print.ts';

export async function set({ bw, lease, ...flags }: HostFlags & { bw: string; lease: string }): Promise<void> {
  const percent = parsePercent(bw, '--bw');
  const leaseS = parseSeconds(lease, 'throttle set --lease');
  await onLinks(flags, (cluster, hosts) => setThrottle(cluster, hosts, { percent, leaseS }));
  if (flags.json || percent === 100) return;
  note(`predict: the hosts restore their links in ${leaseS} s, or after 'predict throttle clear'.`);
}

export async function show(flags: HostFlags): Promise<void> {
  await onLinks(flags, showLinks);
}

export async function clear({ force = false, ...flags }: HostFlags & { force?: boolean }): Promise<void> {
  const say = (text: string): void => note(`predict: ${text}`);
  await onLinks(flags, (cluster, hosts) => clearThrottle(cluster, hosts, { force, say }));
}

/** Does something to the links of the chosen hosts and shows what is on them then. */
async function onLinks(
  { inventory, hosts, json }: HostFlags,
  task: (cluster: Cluster, hosts: readonly Host[]) => Promise<LinkStates>,
): Promise<void> {
  const states = await withCluster(inventory, async (cluster) => {
    const chosen = pickHosts(cluster.inventory, hosts);
    await deployPrograms(cluster, chosen);
    return task(cluster, chosen);
  });
  const rows = [...states].map(([host, state]) => ({ host, ...state }));
  if (json) {
    return printJson(
      rows.map(({ host, interface: name, state, rateBps, leaseEndsInS, owner, expired }) => {
        return { host, interface: name, state, rateBps, leaseEndsInS, owner, expired };
      }),
    );
  }
  printTable(rows, [
    left('host', ({ host }) => host),
    left('interface', (row) => row.interface),
    left('state', ({ state, qdisc, expired }) => {
      return `${state === 'foreign' ? `foreign (${qdisc})` : state}${expired ? ', lease expired' : ''}`;
    }),
    right('Mbit/s', ({ rateBps }) => (rateBps === null ? '-' : rateBps / 1e6)),
    right('lease ends in', ({ leaseEndsInS }) => (leaseEndsInS === null ? '-' : `${Math.round(leaseEndsInS)} s`)),
    left('set by', ({ owner }) => owner ?? '-'),
  ]);
}

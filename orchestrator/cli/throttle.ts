import type { Command } from 'commander';
import type { LinkState } from '../../throttle/index.ts';
import type { LinkStates } from '../hosts/throttle-hosts.ts';
import { HELP } from './help.ts';
import { note, print, printJson, table } from './print.ts';

interface Flags {
  readonly inventory: string;
  readonly hosts?: string;
  readonly json?: boolean;
}

export function registerThrottle(program: Command): void {
  const throttle = program.command('throttle').description("limit the hosts' links with tc, and restore them");
  const verb = (name: string, description: string): Command =>
    throttle
      .command(name)
      .description(description)
      .requiredOption('--inventory <file>', HELP.inventory)
      .option('--hosts <names>', HELP.hosts)
      .option('--json', 'print [{host, interface, state, rateBps, leaseEndsInS}]');
  verb('set', 'throttle the links, both directions, under a lease')
    .requiredOption('--bw <percent>', 'available bandwidth in percent of the line rate; 100 removes the throttle')
    .option('--lease <time>', 'the hosts restore themselves after this time', '10m')
    .addHelpText('after', '\nExample:\n  predict throttle set --inventory lab.yaml --bw 20 --lease 5m')
    .action(set);
  verb('show', 'what is on the links')
    .addHelpText('after', '\nExample:\n  predict throttle show --inventory lab.yaml --json')
    .action(show);
  verb('clear', 'restore the links')
    .addHelpText('after', '\nExample:\n  predict throttle clear --inventory lab.yaml')
    .action(clear);
}

async function set({ inventory, hosts, json, bw, lease }: Flags & { bw: string; lease: string }): Promise<void> {
  const { parsePercent } = await import('../../base/index.ts');
  const { parseSeconds } = await import('./flags.ts');
  const percent = parsePercent(bw, { what: '--bw' });
  const seconds = parseSeconds(lease, '--lease');
  const { pickHosts, withCluster } = await import('./hosts.ts');
  const { buildHostPrograms } = await import('../../agents/index.ts');
  const { rateOf } = await import('../../base/index.ts');
  const { AGENT, deployPrograms } = await import('../hosts/deployment.ts');
  const { controllerName, lockHosts } = await import('../hosts/controller-lock.ts');
  const { clearLinks, requireOwnLinks, throttleLinks } = await import('../hosts/throttle-hosts.ts');
  const states = await withCluster(inventory, async (cluster) => {
    const chosen = pickHosts(cluster.inventory, hosts);
    await deployPrograms(cluster, chosen, { programs: await buildHostPrograms() });
    const owner = controllerName('throttle set');
    const locks = await lockHosts(cluster, chosen, owner);
    try {
      await requireOwnLinks(cluster, chosen);
      if (percent === 100) return await clearLinks(cluster, chosen);
      const rateBps = rateOf(cluster.inventory.lineRate, percent);
      const lease = { agent: cluster.remotePath(AGENT), seconds, owner };
      return await throttleLinks(cluster, chosen, rateBps, lease).catch(async (error: unknown) => {
        // All or nothing: some hosts may carry the new level already.
        await clearLinks(cluster, chosen).catch(() => undefined);
        throw error;
      });
    } finally {
      await locks.release();
    }
  });
  printStates(states, json);
  if (!json && percent < 100)
    note(`predict: the hosts restore their links in ${seconds} s, or at 'predict throttle clear'.`);
}

async function show({ inventory, hosts, json }: Flags): Promise<void> {
  const { pickHosts, withCluster } = await import('./hosts.ts');
  const { showLinks } = await import('../hosts/throttle-hosts.ts');
  const states = await withCluster(inventory, (cluster) => showLinks(cluster, pickHosts(cluster.inventory, hosts)));
  printStates(states, json);
}

async function clear({ inventory, hosts, json }: Flags): Promise<void> {
  const { pickHosts, withCluster } = await import('./hosts.ts');
  const { clearLinks } = await import('../hosts/throttle-hosts.ts');
  const states = await withCluster(inventory, (cluster) => clearLinks(cluster, pickHosts(cluster.inventory, hosts)));
  printStates(states, json);
}

function printStates(states: LinkStates, json: boolean | undefined): void {
  const rows = [...states].map(([host, state]) => ({ host, ...state }));
  if (json) {
    const plain = rows.map(({ host, interface: name, state, rateBps, leaseEndsInS, owner, expired }) => ({
      host,
      interface: name,
      state,
      rateBps,
      leaseEndsInS,
      owner,
      expired,
    }));
    printJson(plain);
    return;
  }
  print(
    table<LinkState & { host: string }>(rows, [
      { title: 'host', value: ({ host }) => host },
      { title: 'interface', value: (row) => row.interface },
      { title: 'state', value: ({ state, qdisc }) => (state === 'foreign' ? `foreign (${qdisc})` : state) },
      {
        title: 'Mbit/s',
        value: ({ rateBps }) => (rateBps === null ? '-' : String(rateBps / 1e6)),
        align: 'right',
      },
      {
        title: 'lease ends in',
        value: ({ leaseEndsInS }) => (leaseEndsInS === null ? '-' : `${Math.round(leaseEndsInS)} s`),
        align: 'right',
      },
      { title: 'set by', value: ({ owner }) => owner ?? '-' },
    ]),
  );
}

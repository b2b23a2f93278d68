import { basename } from 'node:path';
import { at } from '../../base/lists.ts';
import { joinWords } from '../../base/text.ts';
import { withHead } from '../../inventory/inventory-schema.ts';
import { agentOn } from '../hosts/deployment.ts';
import { installedAgent } from '../hosts/installed-agent.ts';
import { sudoersText } from '../hosts/sudoers.ts';
import { type HostFlags, pickHosts, withCluster } from './pick-hosts.ts';
import { print, printExactly, printJson } from './print.ts';

/** Prints the sudo rules of the chosen hosts, all and the head without a choice; the agent is put on them for that. */
export async function printSudoers(flags: HostFlags): Promise<void> {
  const rows = await withCluster(flags.inventory, async (cluster) => {
    const { inventory } = cluster;
    const chosen = flags.hosts === undefined ? withHead(inventory) : pickHosts(inventory, flags.hosts);
    const files = new Map<string, string>();
    await cluster.deploy(chosen, async ({ machine }, host) => {
      const file = await agentOn(host, machine);
      files.set(host, file);
      return [file];
    });
    return chosen.map(({ name }) => {
      const file = files.get(name) ?? '';
      const source = cluster.remotePath(basename(file));
      return { host: name, ...cluster.account(name), source, agent: installedAgent(file) };
    });
  });
  if (flags.json) {
    const needed = (row: (typeof rows)[number]) => (row.uid === 0 ? null : sudoersText(row, row));
    return printJson(rows.map((row) => ({ host: row.host, user: row.user, uid: row.uid, sudoers: needed(row) })));
  }
  const others = rows.filter(({ uid }) => uid !== 0);
  if (others.length === 0) print('# The ssh user is root on every host: nothing is needed.');
  for (const user of new Set(others.map((row) => row.user))) {
    const hosts = others.filter((row) => row.user === user);
    printExactly(`# On ${joinWords(hosts.map(({ host }) => host))}:`);
    printExactly(sudoersText({ user }, at(hosts, 0)));
  }
}

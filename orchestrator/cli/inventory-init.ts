import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { badInput, infrastructure, PredictError } from '../../base/errors.ts';
import { at, groupBy } from '../../base/lists.ts';
import { joinWords, sameOfHosts } from '../../base/text.ts';
import { writeFileWhole } from '../../experiments/store/whole.ts';
import { allocationOf } from '../../inventory/allocation.ts';
import { draftInventory } from '../../inventory/draft.ts';
import { expandHosts } from '../../inventory/expand-hosts.ts';
import { withHead } from '../../inventory/inventory-schema.ts';
import { parseInventory } from '../../inventory/load-inventory.ts';
import { sshConfigHosts } from '../../inventory/ssh-config.ts';
import { Cluster } from '../hosts/cluster.ts';
import { agentOn } from '../hosts/deployment.ts';
import { installedAgent, sudoersText } from '../hosts/installed-agent.ts';
import { lookAround } from '../hosts/look-around.ts';
import { given, type Optional, type Switches } from './flags.ts';
import { type HostFlags, pickHosts, withCluster } from './pick-hosts.ts';
import { type Answer, note, print, printExactly } from './print.ts';

interface InitFlags extends Optional<'hosts' | 'config' | 'user' | 'inventory'>, Switches<'sudoers'> {
  readonly out: string;
}

/** Asks hosts what they are and writes an inventory of them: those named, else those of the allocation, else those of ssh_config. */
export async function init({ hosts, user, out, inventory, sudoers, ...files }: InitFlags): Promise<Answer> {
  if (sudoers) return await printSudoers({ inventory, hosts });
  if (inventory !== undefined) throw badInput('--inventory is for --sudoers: a new inventory is written to --out.');
  const config = given(files.config, (path) => resolve(path));
  if (out !== '-' && existsSync(out))
    throw badInput(`${out} already exists: name another file with --out, or remove it.`);
  const { written, names, mayMiss } = chosen(hosts, config);
  const ssh = { ...(user !== undefined && { user }), ...(config !== undefined && { config }) };
  // Only the way to the hosts counts here.
  const text = JSON.stringify({ cluster: 'new', hosts: names, ssh, network: { interface: 'lo' }, lineRate: '1gbit' });
  const cluster = new Cluster(parseInventory(text, out));
  try {
    const missing: PredictError[] = [];
    const answers = await cluster.onEach(cluster.inventory.hosts, async (executor) => {
      try {
        return await lookAround(executor);
      } catch (error) {
        if (!mayMiss || !(error instanceof PredictError)) throw error;
        missing.push(error);
        return null;
      }
    });
    const found = answers.filter((answer) => answer !== null);
    if (found.length === 0) throw infrastructure(sameOfHosts(missing).join('\n'));
    const name = process.env.SLURM_CLUSTER_NAME ?? 'cluster';
    const reached = mayMiss ? found.map((host) => host.name) : written;
    const draft = draftInventory(found, { cluster: name, hosts: reached, ssh });
    await writeFileWhole(out, draft.text);
    const notes = [...missing.map(({ message }) => `left out: ${message}`), ...draft.notes];
    const say = (): void => {
      print(`${out}: ${found.length} ${found.length === 1 ? 'host' : 'hosts'}`);
      for (const each of notes) note(`predict: ${each}`);
      if (out !== '-') note(`predict: next: predict inventory check --inventory ${out}`);
    };
    return { json: { inventory: out, hosts: found.map((host) => host.name), notes }, say };
  } finally {
    cluster.close();
  }
}

/**
 * What stands under `hosts` in the file, and the names that it means; whether those that do not answer are left out, because nobody named
 * them: an ssh_config has other hosts too.
 */
function chosen(
  hosts: string | undefined,
  config: string | undefined,
): { written: string | string[]; names: string[]; mayMiss: boolean } {
  if (hosts !== undefined) return { written: [hosts], names: [...expandHosts(hosts)], mayMiss: false };
  const allocation = allocationOf(process.env);
  if (allocation !== null) {
    const { scheduler: written, hosts: given } = allocation;
    return { written, names: given.map(({ name }) => name), mayMiss: false };
  }
  const path = config ?? join(homedir(), '.ssh', 'config');
  const names = existsSync(path) ? sshConfigHosts(readFileSync(path, 'utf8')) : [];
  if (names.length > 0) return { written: [...names], names: [...names], mayMiss: true };
  throw badInput(
    `No host is named: ${path} has none, and this is not inside an allocation of a scheduler. Give --hosts node[01-16].`,
  );
}

/** Prints the sudo rules of the chosen hosts, all and the head without a choice; the agent is put on them for that. */
async function printSudoers(flags: HostFlags): Promise<Answer> {
  const rows = await withCluster(flags.inventory, async (cluster) => {
    const { inventory } = cluster;
    const chosen = flags.hosts === undefined ? withHead(inventory) : pickHosts(inventory, flags.hosts);
    const files = new Map<string, string>();
    await cluster.deploy(chosen, async (account, executor) => {
      const file = await agentOn(executor, account);
      files.set(executor.host, file);
      return [file];
    });
    return chosen.map(({ name }) => {
      const file = files.get(name) ?? '';
      const source = cluster.remotePath(basename(file));
      return { host: name, ...cluster.account(name), source, agent: installedAgent(file) };
    });
  });
  const needed = (row: (typeof rows)[number]) => (row.uid === 0 ? null : sudoersText(row, row));
  const others = rows.filter(({ uid }) => uid !== 0);
  const say = (): void => {
    if (others.length === 0) print('# The ssh user is root on every host: nothing is needed.');
    for (const hosts of groupBy(others, ({ user }) => user)) {
      printExactly(`# On ${joinWords(hosts.map(({ host }) => host))}:`);
      printExactly(sudoersText(at(hosts, 0), at(hosts, 0)));
    }
  };
  return { json: rows.map((row) => ({ host: row.host, user: row.user, uid: row.uid, sudoers: needed(row) })), say };
}

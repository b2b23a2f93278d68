import { quote, quoteAll } from '../../base/index.ts';
import { type Host, headOf, type Inventory } from '../../inventory/index.ts';
import { LAUNCHERS } from '../launchers/index.ts';
import type { Cluster } from './cluster.ts';
import { AGENT } from './deployment.ts';
import type { CommandOptions, CommandResult } from './executor.ts';
import { openRemoteStarts } from './remote-starts.ts';

type RunOptions = CommandOptions & { readonly timeoutMs: number; readonly signal: AbortSignal };

/** Runs words on the head host, in the work folder, under a guard that ends them when this controller or its connection is gone. */
export async function runOnHead(
  cluster: Cluster,
  argv: readonly string[],
  options: RunOptions,
): Promise<CommandResult> {
  const guard = quoteAll([cluster.remotePath(AGENT), 'guard', '--', ...argv]);
  const running = await cluster
    .on(headOf(cluster.inventory))
    .start(`cd ${quote(cluster.workFolder)} && exec ${guard}`, options);
  const result = await running.done;
  running.end();
  return result;
}

/**
 * Runs a program on every rank through the inventory's launcher, which reaches the hosts over this controller's connections unless
 * the inventory's `mpi.args` say how. `command` is what ran on the head.
 */
export async function runOnRanks(
  cluster: Cluster,
  hosts: readonly Host[],
  {
    argv,
    ranksPerNode,
    link,
    options,
    inventory = cluster.inventory,
  }: {
    readonly argv: readonly string[];
    readonly ranksPerNode: number;
    /** The name of the data interface, where it is the same on all hosts. */
    readonly link: string | undefined;
    readonly options: RunOptions;
    /** The cluster's, or with more in its `mpi`. */
    readonly inventory?: Inventory;
  },
): Promise<{ readonly result: CommandResult; readonly command: string }> {
  const launcher = LAUNCHERS[inventory.mpi.launcher];
  const head = headOf(inventory);
  const isAway = hosts.some(({ name }) => name !== head.name);
  const way = isAway && launcher.usesAgent(inventory.mpi.args) ? await openRemoteStarts(cluster, hosts, options) : null;
  try {
    const words = launcher.argv({ inventory, hosts, ranksPerNode, argv, agent: way?.agent, link });
    return { result: await runOnHead(cluster, words, options), command: quoteAll(words) };
  } finally {
    await way?.close();
  }
}

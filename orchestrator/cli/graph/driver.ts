import { resolve } from 'node:path';
import { quote } from '../../../base/shell.ts';
import { headOf } from '../../../inventory/inventory-schema.ts';
import { writeDriver } from '../../driver/write-driver.ts';
import { compiledProgram } from '../../hosts/compile.ts';
import { agentOn } from '../../hosts/deployment.ts';
import type { Optional, Switches } from '../flags.ts';
import { withCluster } from '../pick-hosts.ts';
import { print, printJson } from '../print.ts';

/** Writes a platform driver for the Graphalytics harness. */
export async function graphDriver(
  out: string,
  { inventory: file, json }: Optional<'inventory'> & Switches,
): Promise<void> {
  const folder = resolve(out);
  const inventory = await withCluster(file, async (cluster) => {
    const head = headOf(cluster.inventory);
    await cluster.deploy([head], async (account, executor) => [await agentOn(executor, account)]);
    const agent = await agentOn(cluster.on(head), cluster.account(head.name));
    const kernels = await compiledProgram(cluster, 'graphalytics');
    await writeDriver(folder, { inventory: cluster.inventory, programs: [agent, kernels] });
    return cluster.inventory;
  });
  const hosts = inventory.hosts.map(({ name }) => name);
  if (json) return printJson({ driver: folder, hosts });
  print(`${folder}: a driver for ${hosts.length} ${hosts.length === 1 ? 'host' : 'hosts'} of ${inventory.cluster}.`);
  print(
    `Copy it into a distribution folder of the harness (cp -R ${quote(`${folder}/.`)} DISTRIBUTION); see README.md.`,
  );
}

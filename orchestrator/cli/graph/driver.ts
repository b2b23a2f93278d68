import { resolve } from 'node:path';
import { buildHostPrograms } from '../../../agents/index.ts';
import { quote } from '../../../base/index.ts';
import { loadInventory } from '../../../inventory/index.ts';
import { writeDriver } from '../../driver/write-driver.ts';
import { print, printJson } from '../print.ts';

/** Writes a platform driver for the Graphalytics harness. */
export async function graphDriver({
  out,
  inventory: file,
  json,
}: {
  readonly out: string;
  readonly inventory: string;
  readonly json?: boolean;
}): Promise<void> {
  const inventory = await loadInventory(file);
  const { agent, graphalytics } = await buildHostPrograms();
  const folder = resolve(out);
  await writeDriver(folder, { inventory, programs: [agent, graphalytics] });
  const hosts = inventory.hosts.map(({ name }) => name);
  if (json) return printJson({ driver: folder, hosts });
  print(`${folder}: a driver for ${hosts.length} ${hosts.length === 1 ? 'host' : 'hosts'} of ${inventory.cluster}.`);
  print(
    `Put it over a distribution folder of the harness (cp -R ${quote(`${folder}/.`)} DISTRIBUTION); README.md says how.`,
  );
}

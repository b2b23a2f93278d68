import { existsSync } from 'node:fs';
import { chmod, copyFile, cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { driverTemplate } from '../../agents/host-programs.ts';
import { badInput, unwritable } from '../../base/errors.ts';
import { formatRate } from '../../base/units.ts';
import { headOf, type Inventory } from '../../inventory/inventory-schema.ts';
import { LAUNCH_SIGN, launchScript } from './launch-script.ts';

/**
 * Writes a platform driver of the Graphalytics harness for an inventory: scripts, templates of its configuration, the Java class
 * that the harness loads, and `programs` (files that hosts run). A folder that holds anything but such a driver is refused.
 */
export async function writeDriver(
  folder: string,
  { inventory, programs }: { readonly inventory: Inventory; readonly programs: readonly string[] },
): Promise<void> {
  await refuseOthers(folder);
  try {
    await cp(driverTemplate(), folder, { recursive: true });
    await mkdir(join(folder, 'bin', 'exe'), { recursive: true });
    for (const program of programs) {
      await copyFile(program, join(folder, 'bin', 'exe', basename(program)));
      await chmod(join(folder, 'bin', 'exe', basename(program)), 0o755);
    }
    const launch = join(folder, 'bin', 'sh', 'launch.sh');
    await writeFile(launch, launchScript(inventory));
    await chmod(launch, 0o755);
    await writeFile(join(folder, 'config-template', 'platform.properties'), platformProperties(inventory));
    await writeFile(join(folder, 'config-template', 'environment.properties'), environmentProperties(inventory));
  } catch (error) {
    throw unwritable(`The driver folder ${folder}`, error);
  }
}

async function refuseOthers(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  const found = await readdir(folder).catch(() => {
    throw badInput(`${folder} is not a folder: name one that is new for the driver.`);
  });
  const launch = await readFile(join(folder, 'bin', 'sh', 'launch.sh'), 'utf8').catch(() => '');
  if (found.length === 0 || launch.startsWith(LAUNCH_SIGN)) return;
  throw badInput(`${folder} contains something other than a driver of predict: name a new folder.`);
}

function platformProperties({ hosts }: Inventory): string {
  return [
    'platform.name = predict',
    'platform.acronym = predict',
    'platform.version = 1',
    'platform.link = -',
    '',
    '# Number of hosts of the inventory to use, from the first one on.',
    `platform.predict.num-machines = ${hosts.length}`,
    '',
  ].join('\n');
}

function environmentProperties(inventory: Inventory): string {
  const { cluster, hosts, lineRate } = inventory;
  return [
    `environment.name = ${cluster}`,
    `environment.acronym = ${cluster}`,
    'environment.version = 1',
    'environment.link = -',
    '',
    `# MPI jobs start on ${headOf(inventory).name}.`,
    `environment.machine.quantity = ${hosts.length}`,
    'environment.machine.cpu =',
    'environment.machine.memory =',
    `environment.machine.network = ${formatRate(lineRate)}`,
    'environment.machine.storage =',
    '',
  ].join('\n');
}

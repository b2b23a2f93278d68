import { existsSync } from 'node:fs';
import { chmod, copyFile, cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { driverTemplate } from '../../agents/host-programs.ts';
import { badInput, unwritable } from '../../base/errors.ts';
import { quote, quoteAll } from '../../base/shell.ts';
import { formatRate } from '../../base/units.ts';
import { headOf, type Inventory } from '../../inventory/inventory-schema.ts';
import { LAUNCHERS } from '../launchers/launchers.ts';

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

/** The first line of every launch.sh, by which a driver folder of ours is known. */
const LAUNCH_SIGN = '#!/bin/sh\n# Starts a program through MPI on the first hosts of the inventory';

/**
 * A POSIX shell script `launch.sh PROGRAM [ARGUMENT]...` that starts one job on as many hosts as `PREDICT_NODES` says (all
 * without it), in the words of the inventory's launcher. `PREDICT_HOSTS`, the names with commas, must be the same hosts.
 */
export function launchScript(inventory: Inventory): string {
  const { hosts, mpi, ranksPerNode, cluster } = inventory;
  const cases = hosts.map((_, index) => {
    const used = hosts.slice(0, index + 1);
    const words = LAUNCHERS[mpi.launcher].argv({ inventory, hosts: used, ranksPerNode, argv: [] });
    const names = used.map(({ name }) => name).join(',');
    return `${used.length})\n  hosts=${quote(names)}\n  set -- ${quoteAll(words)} "$@" ;;`;
  });
  return `${LAUNCH_SIGN} ${cluster}: launch.sh PROGRAM [ARGUMENT]...
# PREDICT_NODES says how many hosts, all of them without it.
nodes=\${PREDICT_NODES:-${hosts.length}}
case $nodes in
${cases.join('\n')}
*)
  printf 'launch.sh: %s is not a number of hosts from 1 to ${hosts.length}, the size of the inventory\\n' "$nodes" >&2
  exit 2 ;;
esac
if [ "\${PREDICT_HOSTS:-$hosts}" != "$hosts" ]; then
  printf 'launch.sh: this driver is for the hosts %s, not for %s: write it again with predict export --format graphalytics-driver\\n' "$hosts" "$PREDICT_HOSTS" >&2
  exit 2
fi
exec "$@"
`;
}

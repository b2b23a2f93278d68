import { availableParallelism, totalmem } from 'node:os';
import { asBitsPerSecond, asPercent, badInput, COUNTS } from '../../base/index.ts';
import { type Inventory, loadInventory, parseInventory } from '../../inventory/index.ts';
import { LAB_NETWORK, labHosts, labSpec } from '../../inventory/lab/index.ts';
import { withOwnLab } from '../own-lab.ts';
import { setUp } from '../setup/set-up.ts';
import { inventoryFile } from './inventory-file.ts';
import { note } from './print.ts';

/** The hosts that a sweep runs on. */
export interface SweepPlace {
  readonly inventory: Inventory;
  /** Memory of a host as far as it is known, bytes. */
  readonly memoryBytes: number | undefined;
  /** The hosts live in one machine. */
  readonly emulated: boolean;
  /** What people should know of the place before it is used; null for nothing. */
  readonly says: string | null;
  /** Does something on the hosts, whose inventory may have been made for it. */
  use<T>(task: (inventory: Inventory) => Promise<T>): Promise<T>;
}

/** The lab of a sweep that has no other hosts: the same command finds the same hosts again. */
const NAME = 'sweep';
const LINK = asBitsPerSecond(200e6);
/** Of the machine's processors, for the ranks. */
const SHARE = 0.6;

/** Where a sweep on so many hosts runs: on those of its inventory (`inventoryFile`), else on a lab that is made for it. */
export function sweepPlace(flag: string | undefined, hosts: number): SweepPlace {
  const file = inventoryFile(flag);
  if (file === undefined) return labPlace(hosts);
  const inventory = loadInventory(file);
  const { memoryPerNode, sampling } = inventory;
  const says = flag === undefined ? `the hosts are those of ${inventory.path}.` : null;
  return {
    inventory,
    // Emulated hosts share this machine's memory.
    memoryBytes: memoryPerNode ?? (sampling.cores === undefined ? undefined : totalmem() / inventory.hosts.length),
    emulated: sampling.cores !== undefined,
    says,
    use: (task) => task(inventory),
  };
}

function labPlace(hosts: number): SweepPlace {
  if (hosts > COUNTS['--hosts'].most) {
    throw badInput(
      `No inventory says which hosts, and a lab inside this machine has at most ${COUNTS['--hosts'].most}: name one with --inventory, or fewer nodes.`,
    );
  }
  const cpuPercent = Math.max(2, Math.min(25, Math.floor((SHARE * 100 * availableParallelism()) / hosts)));
  const spec = labSpec({ name: NAME, hosts, cpuPercent: asPercent(cpuPercent), linkBps: LINK });
  const names = labHosts(spec).flatMap(({ name, cpuPercent: share }) => (share === null ? [] : [name]));
  const inventory = parseInventory(
    JSON.stringify({ cluster: NAME, hosts: names, network: { cidr: LAB_NETWORK }, lineRate: `${LINK}bit` }),
    `lab ${NAME}`,
  );
  return {
    inventory,
    memoryBytes: totalmem() / hosts,
    emulated: true,
    says: `no inventory is named, so the hosts are ${hosts} of a lab inside this machine (${cpuPercent} % of a core each), which is gone afterwards.`,
    use: async (task) => {
      const { programs } = await setUp(note);
      return withOwnLab(spec, programs, ({ inventory: file }) => task(loadInventory(file)));
    },
  };
}

import { availableParallelism, totalmem } from 'node:os';
import { COUNTS } from '../../base/bounds.ts';
import { badInput } from '../../base/errors.ts';
import { asBitsPerSecond, asPercent } from '../../base/units.ts';
import type { Inventory } from '../../inventory/inventory-schema.ts';
import { LAB_NETWORK, labHosts, labSpec } from '../../inventory/lab/spec.ts';
import { loadInventory, parseInventory } from '../../inventory/load-inventory.ts';
import { setUp } from '../setup/set-up.ts';
import { duringJob, expectedInventory, inAllocation, type SlurmFlags, type SlurmSite } from './in-allocation.ts';
import { withOwnLab } from './lab.ts';
import { inventoryFile } from './pick-hosts.ts';
import { note } from './print.ts';

/** The hosts that a sweep runs on. */
export interface SweepPlace {
  /** As it is expected before the place is used. */
  readonly inventory: Inventory;
  /** Memory of a host as far as it is known, bytes. */
  readonly memoryBytes: number | undefined;
  /** The hosts live in one machine. */
  readonly emulated: boolean;
  /** What people should know of the place before it is used; null for nothing. */
  readonly says: string | null;
  /** Does something on the hosts, whose inventory may have been made for it. */
  use<T>(signal: AbortSignal, task: (site: SlurmSite) => Promise<T>): Promise<T>;
}

/** The lab of a sweep that has no other hosts: the same command finds the same hosts again. */
const NAME = 'sweep';
const LINK = asBitsPerSecond(200e6);
/** Of the machine's processors, for the ranks. */
const SHARE = 0.6;

interface PlaceFlags extends Omit<SlurmFlags, 'slurm'> {
  readonly slurm?: SlurmFlags['slurm'] | undefined;
}

/**
 * Where a sweep runs that needs so many hosts (undefined: all that there are): on those of SLURM, on those of its inventory
 * (`inventoryFile`), else on a lab that is made for it.
 */
export function sweepPlace({ slurm, ...flags }: PlaceFlags, hosts: number | undefined): SweepPlace {
  if (slurm !== undefined) {
    const asked = { ...flags, slurm };
    return {
      ...placeOnHosts(expectedInventory(asked, hosts)),
      says: null,
      use: (signal, task) => inAllocation(asked, signal, task),
    };
  }
  const file = inventoryFile(flags.inventory);
  if (file === undefined) return labPlace(hosts ?? 1);
  const inventory = loadInventory(file);
  return {
    ...placeOnHosts(inventory),
    says: flags.inventory === undefined ? `the hosts are those of ${inventory.path}.` : null,
    use: (_, task) =>
      inventory.slurmJob === undefined ? task({ inventory, term: undefined }) : duringJob(inventory, task),
  };
}

/** What is known of an inventory's hosts before they are asked. */
export function placeOnHosts(inventory: Inventory): Pick<SweepPlace, 'inventory' | 'memoryBytes' | 'emulated'> {
  const { memoryPerNode, sampling } = inventory;
  return {
    inventory,
    // Emulated hosts share this machine's memory.
    memoryBytes: memoryPerNode ?? (sampling.cores === undefined ? undefined : totalmem() / inventory.hosts.length),
    emulated: sampling.cores !== undefined,
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
    use: async (_, task) => {
      const { programs } = await setUp(note);
      return withOwnLab(spec, programs, ({ inventory: file }) =>
        task({ inventory: loadInventory(file), term: undefined }),
      );
    },
  };
}

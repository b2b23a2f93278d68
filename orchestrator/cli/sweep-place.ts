import { availableParallelism, totalmem } from 'node:os';
import { COUNTS } from '../../base/bounds.ts';
import { badInput } from '../../base/errors.ts';
import { asPercent, formatRate, type Seconds } from '../../base/units.ts';
import { type Allocation, allocationOf, allocation as allocationOfNames } from '../../inventory/expand-hosts.ts';
import type { Inventory } from '../../inventory/inventory-schema.ts';
import { LAB_LINK, LAB_NETWORK, labHosts, labSpec } from '../../inventory/lab/spec.ts';
import { loadInventory, parseInventory } from '../../inventory/load-inventory.ts';
import { setUp } from '../setup/set-up.ts';
import { describeAllocation, requireMpi } from '../slurm/describe-allocation.ts';
import { JobTerm } from '../slurm/job-term.ts';
import { withAllocation } from '../slurm/request.ts';
import { withOwnLab } from './lab.ts';
import { inventoryFile } from './pick-hosts.ts';
import { note } from './print.ts';

/** Hosts, as they are when something is done there. */
interface Site {
  readonly inventory: Inventory;
  /** Where the hosts are of a batch job. */
  readonly term: JobTerm | undefined;
}

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
  use<T>(signal: AbortSignal, task: (site: Site) => Promise<T>): Promise<T>;
}

interface PlaceFlags {
  /** What to ask SLURM for; true for the allocation that this runs in. */
  readonly slurm?: string | true | undefined;
  readonly slurmWait: Seconds;
  readonly inventory?: string | undefined;
}

type SlurmFlags = PlaceFlags & { readonly slurm: string | true };

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
  const emulated = sampling.cores !== undefined;
  // Emulated hosts share this machine's memory.
  return {
    inventory,
    memoryBytes: memoryPerNode ?? (emulated ? totalmem() / inventory.hosts.length : undefined),
    emulated,
  };
}

/** The lab of a sweep that has no other hosts: the same command finds the same hosts again. */
const LAB = 'sweep';
/** Of the machine's processors, for the ranks. */
const SHARE = 0.6;

function labPlace(hosts: number): SweepPlace {
  if (hosts > COUNTS['--hosts'].most) {
    throw badInput(
      `No inventory says which hosts, and a lab inside this machine has at most ${COUNTS['--hosts'].most}: name one with --inventory, or fewer nodes.`,
    );
  }
  const cpuPercent = Math.max(2, Math.min(25, Math.floor((SHARE * 100 * availableParallelism()) / hosts)));
  const spec = labSpec({ name: LAB, hosts, cpuPercent: asPercent(cpuPercent), linkBps: LAB_LINK });
  const names = labHosts(spec).flatMap(({ name, cpuPercent: share }) => (share === null ? [] : [name]));
  const expected = { cluster: LAB, hosts: names, network: { cidr: LAB_NETWORK }, lineRate: `${LAB_LINK}bit` };
  return {
    inventory: parseInventory(JSON.stringify(expected), `lab ${LAB}`),
    memoryBytes: totalmem() / hosts,
    emulated: true,
    says: `no inventory is named, so the hosts are ${hosts} of a lab inside this machine (each ${cpuPercent} % of a core, ${formatRate(LAB_LINK)}), gone afterwards.`,
    use: async (_, task) => {
      const { programs } = await setUp(note);
      return withOwnLab(spec, programs, (lab) => task({ inventory: loadInventory(lab.inventory), term: undefined }));
    },
  };
}

const OUTSIDE =
  "--slurm: there is no SLURM allocation here (no SLURM_JOB_ID). Run this by salloc or sbatch, or request an allocation: --slurm '-N 4 -t 1:00:00'.";

const say = (text: string): void => note(`predict: ${text}`);

/**
 * The hosts that a plan is made for: nothing is asked of SLURM. What it would be asked for says how many there are, else `hosts`, as many
 * as the plan needs. Errors: `badInput` where neither says it.
 */
function expectedInventory({ slurm, inventory: file }: SlurmFlags, hosts: number | undefined): Inventory {
  const allocation = slurm === true ? allocationOf(process.env) : allocationFor(slurm, hosts);
  if (!allocation) throw badInput(OUTSIDE);
  if (file !== undefined) return loadInventory(file, { allocation });
  const text = 'cluster: slurm\nhosts: slurm\nnetwork: { cidr: 0.0.0.0/0 }\nlineRate: 1gbit\n';
  return parseInventory(text, '--slurm', { allocation });
}

function allocationFor(request: string, hosts: number | undefined): Allocation {
  const nodes = /(?:^|\s)(?:-N\s*|--nodes[= ]\s*)(?:\d+-)?(\d{1,6})(?=\s|$)/.exec(request)?.[1];
  const count = nodes ?? hosts;
  if (count === undefined) throw badInput(`--slurm '${request}': with --preset, give the number of hosts: -N 4.`);
  return allocationOfNames('0', `node[1-${count}]`);
}

/** Does `task` with the hosts of the allocation that this runs in, or of one that is asked for. */
async function inAllocation<T>(
  { slurm, slurmWait: waitS, inventory: file }: SlurmFlags,
  signal: AbortSignal,
  task: (site: Site) => Promise<T>,
): Promise<T> {
  if (slurm === true) {
    const allocation = allocationOf(process.env);
    if (!allocation) throw badInput(OUTSIDE);
    return duringJob(await inventoryOf(allocation, file), task);
  }
  return withAllocation(slurm, { waitS, signal, say }, async (allocation) => {
    say(`SLURM's job ${allocation.jobId} has ${allocation.hosts.length} hosts.`);
    return duringJob(await inventoryOf(allocation, file), task);
  });
}

async function inventoryOf(allocation: Allocation, file: string | undefined): Promise<Inventory> {
  if (file === undefined) {
    return describeAllocation(allocation, { clusterName: process.env.SLURM_CLUSTER_NAME, say });
  }
  const inventory = loadInventory(file, { allocation });
  if (inventory.slurmJob !== undefined) return inventory;
  throw badInput(`${file} lists hosts, but --slurm uses those of the allocation: write 'hosts: slurm' there.`);
}

/**
 * Does `task` on the hosts of a batch job: SLURM's warning (sbatch --signal=B:USR1@60) lets no further cell begin, its TERM stops the one
 * that runs.
 */
async function duringJob<T>(inventory: Inventory, task: (site: Site) => Promise<T>): Promise<T> {
  await requireMpi(inventory);
  const term = new JobTerm(inventory.slurmJob ?? '');
  const warn = (): void => {
    say('the SLURM job ends soon, so no more cells are started.');
    term.warn();
  };
  process.on('SIGUSR1', warn);
  try {
    return await task({ inventory, term });
  } finally {
    process.off('SIGUSR1', warn);
  }
}

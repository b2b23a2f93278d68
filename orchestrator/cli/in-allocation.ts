import { badInput } from '../../base/errors.ts';
import type { Seconds } from '../../base/units.ts';
import { type Allocation, allocationOf, allocation as allocationOfNames } from '../../inventory/expand-hosts.ts';
import type { Inventory } from '../../inventory/inventory-schema.ts';
import { loadInventory, parseInventory } from '../../inventory/load-inventory.ts';
import { describeAllocation, requireMpi } from '../slurm/describe-allocation.ts';
import { JobTerm } from '../slurm/job-term.ts';
import { withAllocation } from '../slurm/request.ts';
import { note } from './print.ts';

export interface SlurmFlags {
  /** What to ask for; true for the allocation that this runs in. */
  readonly slurm: string | true;
  readonly slurmWait: Seconds;
  readonly inventory?: string | undefined;
}

/** Hosts, as they are when something is done there. */
export interface SlurmSite {
  readonly inventory: Inventory;
  /** Where the hosts are of a batch job. */
  readonly term: JobTerm | undefined;
}

const OUTSIDE =
  "--slurm: there is no SLURM allocation here (no SLURM_JOB_ID). Run this by salloc or sbatch, or request an allocation: --slurm '-N 4 -t 1:00:00'.";

/** Does `task` with the hosts of the allocation that this runs in, or of one that is asked for. */
export async function inAllocation<T>(
  { slurm, slurmWait: waitS, inventory: file }: SlurmFlags,
  signal: AbortSignal,
  task: (site: SlurmSite) => Promise<T>,
): Promise<T> {
  if (slurm === true) {
    const allocation = allocationOf(process.env);
    if (!allocation) throw badInput(OUTSIDE);
    return duringJob(await inventoryOf(allocation, file), task);
  }
  const say = (text: string): void => note(`predict: ${text}`);
  return withAllocation(slurm, { waitS, signal, say }, async (allocation) => {
    const { jobId, hosts } = allocation;
    say(`SLURM's job ${jobId} has ${hosts.length} hosts.`);
    return duringJob(await inventoryOf(allocation, file), task);
  });
}

async function inventoryOf(allocation: Allocation, file: string | undefined): Promise<Inventory> {
  if (file !== undefined) {
    const inventory = loadInventory(file, { allocation });
    if (inventory.slurmJob !== undefined) return inventory;
    throw badInput(`${file} lists hosts, but --slurm uses those of the allocation: write 'hosts: slurm' there.`);
  }
  const say = (text: string): void => note(`predict: ${text}`);
  return describeAllocation(allocation, { clusterName: process.env.SLURM_CLUSTER_NAME, say });
}

/**
 * Does `task` on the hosts of a batch job: SLURM's warning (sbatch --signal=B:USR1@60) lets no further cell begin, its TERM stops the one
 * that runs.
 */
export async function duringJob<T>(inventory: Inventory, task: (site: SlurmSite) => Promise<T>): Promise<T> {
  await requireMpi(inventory);
  const term = new JobTerm(inventory.slurmJob ?? '');
  const warn = (): void => {
    note('predict: the SLURM job ends soon, so no more cells are started.');
    term.warn();
  };
  process.on('SIGUSR1', warn);
  try {
    return await task({ inventory, term });
  } finally {
    process.off('SIGUSR1', warn);
  }
}

/**
 * The hosts that a plan is made for: nothing is asked of SLURM. What it would be asked for says how many there are, else `hosts`, as many
 * as the plan needs. Errors: `badInput` where neither says it.
 */
export function expectedInventory({ slurm, inventory: file }: SlurmFlags, hosts: number | undefined): Inventory {
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

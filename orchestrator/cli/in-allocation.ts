import { buildHostPrograms } from '../../agents/index.ts';
import { badInput, PredictError, parseSeconds } from '../../base/index.ts';
import {
  type Allocation,
  allocationOf,
  allocation as allocationOfNames,
  type Inventory,
  loadInventory,
  parseInventory,
} from '../../inventory/index.ts';
import { describeAllocation, requireMpi, Term, withAllocation } from '../slurm/index.ts';
import { note } from './print.ts';

export interface SlurmFlags {
  /** What to ask for; true for the allocation that this runs in. */
  readonly slurm?: string | boolean;
  readonly slurmWait: string;
  readonly inventory?: string;
}

interface Site {
  readonly inventory: Inventory;
  /** Where the hosts are of a batch job. */
  readonly term: Term | undefined;
}

/** Does `task` with the hosts of an inventory, of the allocation that this runs in, or of one that is asked for. */
export async function inAllocation<T>(
  flags: SlurmFlags,
  signal: AbortSignal,
  task: (site: Site) => Promise<T>,
): Promise<T> {
  const { slurm, inventory: file } = flags;
  if (slurm === undefined || slurm === false) {
    const inventory = loadInventory(named(file));
    return inventory.slurmJob === undefined ? task({ inventory, term: undefined }) : during(inventory, task);
  }
  if (slurm === true) {
    const allocation = allocationOf(process.env);
    if (!allocation) {
      throw badInput(
        "--slurm: this is not inside an allocation (there is no SLURM_JOB_ID): run it by salloc or sbatch, or say what to ask for: --slurm '-N 4 -t 1:00:00'.",
      );
    }
    return during(await inventoryOf(allocation, file), task);
  }
  const waitS = parseSeconds(flags.slurmWait, '--slurm-wait');
  const say = (text: string): void => note(`predict: ${text}`);
  return withAllocation(slurm, { waitS, signal, say }, async (allocation) => {
    const { jobId, hosts } = allocation;
    say(`SLURM's job ${jobId} has ${hosts.length} hosts.`);
    return during(await inventoryOf(allocation, file), task);
  });
}

function named(file: string | undefined): string {
  if (file !== undefined) return file;
  throw badInput(
    '--inventory FILE is missing: name an inventory, or take the hosts of a SLURM allocation with --slurm.',
  );
}

async function inventoryOf(allocation: Allocation, file: string | undefined): Promise<Inventory> {
  if (file !== undefined) {
    const inventory = loadInventory(file, { allocation });
    if (inventory.slurmJob !== undefined) return inventory;
    throw badInput(`${file} lists its hosts, but --slurm takes those of the allocation: write 'hosts: slurm' there.`);
  }
  const { agent } = await buildHostPrograms();
  const say = (text: string): void => note(`predict: ${text}`);
  return describeAllocation(allocation, { agent, clusterName: process.env.SLURM_CLUSTER_NAME, say });
}

/** Ends with the job: SLURM's warning (sbatch --signal=B:USR1@60) lets no further cell begin, its TERM stops the one that runs. */
async function during<T>(inventory: Inventory, task: (site: Site) => Promise<T>): Promise<T> {
  await requireMpi(inventory);
  const term = new Term(inventory.slurmJob ?? '');
  const warn = (): void => {
    note('predict: the job ends soon: no further cell begins.');
    term.warn();
  };
  process.on('SIGUSR1', warn);
  try {
    return await task({ inventory, term });
  } catch (error) {
    const stopped = error instanceof PredictError && error.kind === 'interrupted';
    throw (stopped ? await term.whyOver() : null) ?? error;
  } finally {
    process.off('SIGUSR1', warn);
  }
}

/** The hosts that a plan alone is made for: nothing is asked of SLURM, and what it would be asked for says how many there are. */
export function dryInventory({ slurm, inventory: file }: SlurmFlags): Inventory {
  if (slurm === undefined || slurm === false) return loadInventory(named(file));
  const allocation = typeof slurm === 'string' ? allocationFor(slurm) : allocationOf(process.env);
  if (!allocation)
    throw badInput("--slurm: this is not inside an allocation: say what to ask for: --slurm '-N 4 -t 1:00:00'.");
  if (file !== undefined) return loadInventory(file, { allocation });
  const text = 'cluster: slurm\nhosts: slurm\nnetwork: { cidr: 0.0.0.0/0 }\nlineRate: 1gbit\n';
  return parseInventory(text, '--slurm', { allocation });
}

function allocationFor(request: string): Allocation {
  const nodes = /(?:^|\s)(?:-N\s*|--nodes[= ]\s*)(?:\d+-)?(\d{1,6})(?=\s|$)/.exec(request)?.[1];
  if (nodes === undefined) throw badInput(`--slurm '${request}': with --dry-run, say how many hosts: -N 4.`);
  return allocationOfNames('0', `node[1-${nodes}]`);
}

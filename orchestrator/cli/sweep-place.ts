import { availableParallelism, totalmem } from 'node:os';
import { COUNTS } from '../../base/bounds.ts';
import { badInput } from '../../base/errors.ts';
import { asPercent, formatRate, type Seconds } from '../../base/units.ts';
import { type Allocation, allocationOf, allocation as allocationOfNames } from '../../inventory/allocation.ts';
import { type Inventory, type SchedulerName, schedulerSchema } from '../../inventory/inventory-schema.ts';
import { LAB_LINK, LAB_NETWORK, labHosts, labSpec } from '../../inventory/lab/spec.ts';
import { loadInventory, parseInventory } from '../../inventory/load-inventory.ts';
import { describeAllocation, requireMpi } from '../schedulers/describe-allocation.ts';
import { JobTerm } from '../schedulers/job-term.ts';
import { withAllocation } from '../schedulers/request.ts';
import { SCHEDULERS } from '../schedulers/schedulers.ts';
import { setUp } from '../setup/set-up.ts';
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

/** What to ask a scheduler for; true for the allocation that this runs in. */
type RequestFlags = { readonly [Scheduler in SchedulerName]?: string | true | undefined };

interface PlaceFlags extends RequestFlags {
  readonly jobWait: Seconds;
  readonly inventory?: string | undefined;
}

interface Asked extends Pick<PlaceFlags, 'jobWait' | 'inventory'> {
  readonly scheduler: SchedulerName;
  readonly request: string | true;
}

/**
 * Where a sweep runs that needs so many hosts (undefined: all that there are): on those of a scheduler, on those of its inventory
 * (`inventoryFile`), else on a lab that is made for it.
 */
export function sweepPlace(flags: PlaceFlags, hosts: number | undefined): SweepPlace {
  const asked = askedOf(flags);
  if (asked !== null) {
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
    use: (_, task) => (inventory.job === undefined ? task({ inventory, term: undefined }) : duringJob(inventory, task)),
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

function askedOf(flags: PlaceFlags): Asked | null {
  const asked = schedulerSchema.options.flatMap((scheduler) => {
    const request = flags[scheduler];
    return request === undefined ? [] : [{ scheduler, request, jobWait: flags.jobWait, inventory: flags.inventory }];
  });
  const [first, second] = asked;
  if (second)
    throw badInput(`--${first?.scheduler} and --${second.scheduler}: a sweep runs under one of them, name that.`);
  return first ?? null;
}

function outside(scheduler: SchedulerName): Error {
  const { title, example } = SCHEDULERS[scheduler];
  return badInput(
    `--${scheduler}: this is not inside an allocation of ${title}. Run it in a job, or request one: --${scheduler} '${example}'.`,
  );
}

const say = (text: string): void => note(`predict: ${text}`);

/**
 * The hosts that a plan is made for: nothing is asked of a scheduler. What it would be asked for says how many there are, else `hosts`, as
 * many as the plan needs. Errors: `badInput` where neither says it.
 */
function expectedInventory({ scheduler, request, inventory: file }: Asked, hosts: number | undefined): Inventory {
  const allocation =
    request === true ? allocationOf(process.env, scheduler) : allocationFor({ scheduler, request }, hosts);
  if (!allocation) throw outside(scheduler);
  if (file !== undefined) return inventoryWith(allocation, file);
  const text = `cluster: ${scheduler}\nhosts: ${scheduler}\nnetwork: { cidr: 0.0.0.0/0 }\nlineRate: 1gbit\n`;
  return parseInventory(text, `--${scheduler}`, { allocation });
}

function allocationFor(
  { scheduler, request }: { readonly scheduler: SchedulerName; readonly request: string },
  hosts: number | undefined,
): Allocation {
  const { nodes, example } = SCHEDULERS[scheduler];
  const count = nodes.exec(request)?.[1] ?? hosts;
  if (count !== undefined) return allocationOfNames(scheduler, '0', `node[1-${count}]`);
  throw badInput(`--${scheduler} '${request}': with --preset, give the number of hosts, as in '${example}'.`);
}

/** Does `task` with the hosts of the allocation that this runs in, or of one that is asked for. */
async function inAllocation<T>(
  { scheduler, request, jobWait: waitS, inventory: file }: Asked,
  signal: AbortSignal,
  task: (site: Site) => Promise<T>,
): Promise<T> {
  if (request === true) {
    const allocation = allocationOf(process.env, scheduler);
    if (!allocation) throw outside(scheduler);
    return duringJob(await inventoryOf(allocation, file), task);
  }
  return withAllocation({ scheduler, text: request }, { waitS, signal, say }, async (allocation) => {
    say(`${SCHEDULERS[scheduler].title}'s job ${allocation.jobId} has ${allocation.hosts.length} hosts.`);
    return duringJob(await inventoryOf(allocation, file), task);
  });
}

async function inventoryOf(allocation: Allocation, file: string | undefined): Promise<Inventory> {
  if (file !== undefined) return inventoryWith(allocation, file);
  return describeAllocation(allocation, { clusterName: process.env.SLURM_CLUSTER_NAME, say });
}

function inventoryWith(allocation: Allocation, file: string): Inventory {
  const inventory = loadInventory(file, { allocation });
  if (inventory.job !== undefined) return inventory;
  const { scheduler } = allocation;
  throw badInput(
    `${file} lists hosts, but --${scheduler} uses those of the allocation: write 'hosts: ${scheduler}' there.`,
  );
}

/** SLURM and Flux send the first of their own accord or by `--signal`, LSF the second at its run limit. */
const WARNINGS = ['SIGUSR1', 'SIGUSR2'] as const;

/** Does `task` on the hosts of a batch job: the scheduler's warning lets no further cell begin, its TERM stops the one that runs. */
async function duringJob<T>(inventory: Inventory, task: (site: Site) => Promise<T>): Promise<T> {
  const { job } = inventory;
  if (job === undefined) throw new Error('the hosts are not those of a job');
  await requireMpi(inventory);
  const term = new JobTerm(job);
  const warn = (): void => {
    say(`${SCHEDULERS[job.scheduler].title}'s job ends soon, so no more cells are started.`);
    term.warn();
  };
  for (const signal of WARNINGS) process.on(signal, warn);
  try {
    return await task({ inventory, term });
  } finally {
    for (const signal of WARNINGS) process.off(signal, warn);
  }
}

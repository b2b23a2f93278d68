import { randomBytes } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { isIPv4 } from 'node:net';
import { execa } from 'execa';
import { z } from 'zod';
import { infrastructure } from '../../base/errors.ts';
import { scriptWords, sh } from '../../base/shell.ts';
import { formatRate } from '../../base/units.ts';
import type { Allocation } from '../../inventory/allocation.ts';
import { networkOf } from '../../inventory/draft.ts';
import type { Host, Inventory, SchedulerName } from '../../inventory/inventory-schema.ts';
import { parseInventory } from '../../inventory/load-inventory.ts';
import { Cluster } from '../hosts/cluster.ts';
import { agentOn } from '../hosts/deployment.ts';
import { hostFault, type OpenExecutor } from '../hosts/executor.ts';
import { probeHosts } from '../hosts/facts.ts';

const interfacesSchema = z.array(
  z.looseObject({ name: z.string(), speedMbit: z.number().positive().nullable(), addresses: z.array(z.string()) }),
);

/**
 * An inventory of an allocation for which no file was given: the data network is the one that the hosts' names lead to, its
 * line rate what the interface says. The agent is put on a host to see that. Errors: `infrastructure` where a host does not tell.
 */
export async function describeAllocation(
  allocation: Allocation,
  {
    open,
    clusterName,
    say,
  }: {
    readonly open?: OpenExecutor | undefined;
    readonly clusterName: string | undefined;
    readonly say: (text: string) => void;
  },
): Promise<Inventory> {
  const { scheduler } = allocation;
  const { host, address } = await outsideAddress(allocation);
  const name = (clusterName ?? scheduler).replace(/[^A-Za-z0-9._-]/g, '-');
  const inventory = (network: string, rate: string, shared: boolean): Inventory =>
    parseInventory(
      JSON.stringify({ cluster: name, hosts: scheduler, network: { cidr: network }, lineRate: rate, work: { shared } }),
      `the allocation of job ${allocation.jobId}`,
      { allocation },
    );
  const cluster = new Cluster(inventory(`${address}/32`, '1gbit', false), open);
  try {
    await cluster.deploy([host], async (account, executor) => [await agentOn(executor, account)]);
    const [probed] = await probeHosts(cluster, [host]);
    const interfaces = interfacesSchema.safeParse(probed?.facts.interfaces).data ?? [];
    const link = interfaces.find(({ addresses }) => addresses.some((each) => each.split('/')[0] === address));
    const prefix = link?.addresses.find((each) => each.split('/')[0] === address)?.split('/')[1];
    if (!link || prefix === undefined)
      throw unknown(scheduler, host, `no interface has the address ${address} of its name`);
    if (link.speedMbit === null) throw unknown(scheduler, host, `${link.name} does not report its speed`);
    const found = inventory(
      networkOf(`${address}/${prefix}`),
      `${link.speedMbit}mbit`,
      await isShared(cluster, allocation.hosts),
    );
    say(
      `no inventory: using the data network ${found.network.cidr} (${link.name} of ${host.name}) and the interface's line rate ${formatRate(found.lineRate)}; an inventory with 'hosts: ${scheduler}' can change this.`,
    );
    return found;
  } finally {
    cluster.close();
  }
}

/** A host and the address that its name has for others: on the host itself it may be one of the loopback. */
async function outsideAddress({
  scheduler,
  hosts,
}: Allocation): Promise<{ readonly host: Host; readonly address: string }> {
  for (const host of hosts) {
    const found = await lookup(host.name, { family: 4 }).catch(() => null);
    if (found && isIPv4(found.address) && !found.address.startsWith('127.')) return { host, address: found.address };
  }
  throw infrastructure(
    `The host names of the allocation (${hosts[0]?.name}, ...) have no IPv4 address here: write an inventory with 'hosts: ${scheduler}' and the data network (docs/cluster.md).`,
  );
}

function unknown(scheduler: SchedulerName, { name: host }: Host, why: string): Error {
  return hostFault(
    host,
    `${why}: write an inventory with 'hosts: ${scheduler}', network and lineRate (docs/cluster.md).`,
  );
}

const TOUCH = sh`mkdir -p -- "\${1%/*}" && : > "$1"`;

/** Whether the work folder of the first host is that of the last too. */
async function isShared(cluster: Cluster, hosts: readonly Host[]): Promise<boolean> {
  const [first, last] = [hosts[0], hosts.at(-1)];
  if (!first || !last || first === last) return false;
  const file = cluster.remotePath(`.seen-${randomBytes(8).toString('hex')}`);
  const here = cluster.on(first);
  await here.exec(scriptWords(TOUCH, file));
  try {
    return (await cluster.on(last).exec(['test', '-e', file])).exitCode === 0;
  } finally {
    await here.exec(['rm', '-f', '--', file]);
  }
}

/** Refuses, before anything is done, a SLURM that starts ranks as so many programs of one rank. Errors: `infrastructure`. */
export async function requireMpi({ mpi }: Inventory): Promise<void> {
  if (mpi.launcher !== 'srun' || mpi.args.some((word) => /^--mpi\b/.test(word)) || mpi.env.SLURM_MPI_TYPE) return;
  const { stdout, exitCode } = await execa('scontrol', ['show', 'config'], { reject: false, timeout: 20_000 });
  if (exitCode !== 0 || mpiDefault(stdout) !== 'none') return;
  throw infrastructure(
    "SLURM's MpiDefault is none, so srun would start every rank as a separate program. Write mpi.args: [--mpi=pmix] in the inventory ('srun --mpi=list' shows the choices), or have MpiDefault set in slurm.conf.",
  );
}

/** `MpiDefault = pmix` of `scontrol show config`. */
export function mpiDefault(config: string): string | undefined {
  return /^MpiDefault\s*=\s*(\S+)/m.exec(config)?.[1];
}

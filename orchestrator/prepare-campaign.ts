import { basename } from 'node:path';
import { findLargestNeed, refuseTooLarge } from '../experiments/estimate.ts';
import { type Campaign, inspectCampaign } from '../experiments/store/campaign.ts';
import { createOrOpenCampaign } from '../experiments/store/create-campaign.ts';
import { findChangedHosts, findOddHosts, parseHostFacts } from '../experiments/store/host-facts.ts';
import { type CampaignLock, lockCampaign } from '../experiments/store/lock.ts';
import type { Host, Inventory } from '../inventory/inventory-schema.ts';
import type { Cluster } from './hosts/cluster.ts';
import { factsToKeep, type ProbedHost, probeHosts } from './hosts/facts.ts';
import { clearLinks, requireOwnLinks } from './hosts/throttle-hosts.ts';
import type { Job } from './job.ts';

/**
 * Opens the campaign's folder once the hosts are fit for it: it is locked for this sweep, every link is read (somebody else's
 * qdisc refuses the sweep), then what a killed controller left is restored, and the mark of a lease that ran out is taken away.
 * The caller releases the lock, its last step.
 */
export async function prepareCampaign(
  job: Job,
  { cluster, hosts, owner }: { readonly cluster: Cluster; readonly hosts: readonly Host[]; readonly owner: string },
): Promise<{ readonly campaign: Campaign; readonly probed: readonly ProbedHost[]; readonly lock: CampaignLock }> {
  const lock = await lockCampaign(job.out, owner);
  try {
    return { ...(await openLocked(job, { cluster, hosts })), lock };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Plans more cells in a campaign that is open. */
export async function extendCampaign(
  job: Job,
  { probed }: { readonly probed: readonly ProbedHost[] },
): Promise<Campaign> {
  const { out, sweep, file, workload, inventory, cells } = job;
  return createOrOpenCampaign(out, {
    name: basename(out),
    createdAt: new Date().toISOString(),
    sweep,
    file,
    workload: workload.definition,
    inventory: summary(inventory, probed),
    cells: [...cells],
  });
}

async function openLocked(
  job: Job,
  { cluster, hosts }: { readonly cluster: Cluster; readonly hosts: readonly Host[] },
): Promise<{ readonly campaign: Campaign; readonly probed: readonly ProbedHost[] }> {
  const found = await probeHosts(cluster, hosts);
  refuseTooLargeFor(job, found);
  const states = await requireOwnLinks(cluster, hosts);
  // The mark alone changes no measurement.
  const left = hosts.filter(({ name }) => {
    const { state, expired = false } = states.get(name) ?? {};
    return state === 'throttled' || (expired && !cluster.isUnprivileged(name));
  });
  if (left.length > 0) await clearLinks(cluster, left);
  // What a killed controller left is no fact of a host.
  const probed = left.length > 0 ? await probeHosts(cluster, hosts) : found;
  await tellDifferences(job, probed);
  return { campaign: await extendCampaign(job, { probed }), probed };
}

/** Says which hosts differ from each other, and from what they were in the campaign. */
async function tellDifferences({ out, tell }: Job, probed: readonly ProbedHost[]): Promise<void> {
  const now = keptFacts(probed);
  const { campaign: before } = await inspectCampaign(out);
  const changed = before === null ? [] : findChangedHosts(parseHostFacts(before), now);
  for (const text of [...findOddHosts(now), ...changed]) tell({ kind: 'note', text });
}

function keptFacts(probed: readonly ProbedHost[]) {
  return probed.map(({ host, facts }) => ({ name: host, facts: factsToKeep(facts) }));
}

/** Errors: `badInput` for a graph that the hosts, as they tell, cannot hold. */
function refuseTooLargeFor({ workload, inventory, cells }: Job, probed: readonly ProbedHost[]): void {
  if (workload.edgeFactor === null || workload.choices !== null) return;
  const told = probed.flatMap(({ facts }) => facts.memoryBytes ?? []);
  const least = inventory.memoryPerNode ?? (told.length === 0 ? undefined : Math.min(...told));
  refuseTooLarge({ memory: findLargestNeed(cells) }, least);
}

function summary(inventory: Inventory, probed: readonly ProbedHost[]): Campaign['inventory'] {
  return {
    cluster: inventory.cluster,
    hosts: keptFacts(probed),
    lineRateBps: inventory.lineRate,
    ranksPerNode: inventory.ranksPerNode,
    launcher: inventory.mpi.launcher,
    ...(inventory.costPerNodeHour === undefined ? {} : { costPerNodeHour: inventory.costPerNodeHour }),
    ...(inventory.memoryPerNode === undefined ? {} : { memoryPerNode: inventory.memoryPerNode }),
    ...(inventory.sampling.cores === undefined ? {} : { emulatedCores: inventory.sampling.cores }),
  };
}

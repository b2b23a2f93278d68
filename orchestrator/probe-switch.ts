import { at } from '../base/lists.ts';
import type { Host } from '../inventory/inventory-schema.ts';
import { judgeFreeProbes } from '../throttle/proof.ts';
import { proveRing } from './cell/probe-ring.ts';
import { mayGoInParallel } from './host-groups.ts';
import type { Cluster } from './hosts/cluster.ts';
import type { Job } from './job.ts';

/** Shares of the hosts by which pairs are apart: neighbours, which one switch may serve, and those as far away as there are. */
const APART = [0, 1 / 3, 1 / 2] as const;

/** Whether runs may go in parallel, by the inventory or by a probe of all links at once. Locks must be held. */
export async function mayRunAtOnce(
  { inventory, cells, tell }: Job,
  { cluster, hosts }: { readonly cluster: Cluster; readonly hosts: readonly Host[] },
): Promise<boolean> {
  if (!mayGoInParallel(inventory)) return false;
  if (inventory.network.blocking !== 'probe' || cells.every(({ nodes }) => 2 * nodes > hosts.length)) return true;
  const doubt = await switchDoubt(cluster, hosts);
  const found =
    doubt === null
      ? 'all links carry their full rate at once'
      : `not all links carry their full rate at once (${doubt})`;
  tell({ kind: 'note', text: `${found}: runs go ${doubt === null ? 'in parallel' : 'one at a time'}.` });
  return doubt === null;
}

/**
 * Why runs on different hosts would hinder each other on the network, null where all hosts send and receive at the full rate of their
 * links at once, each to its neighbour and to hosts far from it in the inventory.
 */
async function switchDoubt(cluster: Cluster, hosts: readonly Host[]): Promise<string | null> {
  const { lineRate, accept } = cluster.inventory;
  for (const step of new Set(APART.map((share) => stepFor(share * hosts.length, hosts.length)))) {
    const ring = hosts.map((_, index) => at(hosts, (index * step) % hosts.length));
    const { doubt } = await proveRing(cluster, ring, {
      rateBps: lineRate,
      judge: (probes) => judgeFreeProbes(probes, lineRate, accept),
    });
    if (doubt !== null) return doubt;
  }
  return null;
}

/** The number next to `wanted`, from below, that leads around all of `count` hosts. */
export function stepFor(wanted: number, count: number): number {
  for (let step = Math.floor(wanted); step > 1; step -= 1) if (gcd(step, count) === 1) return step;
  return 1;
}

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}

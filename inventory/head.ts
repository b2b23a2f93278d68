import { at } from '../base/at.ts';
import type { Host, Inventory } from './inventory-schema.ts';

type Known = Pick<Inventory, 'hosts' | 'mpi'>;

/** The host that starts every run: the inventory's head, else the first host. */
export function headOf({ hosts, mpi }: Known): Host {
  return mpi.head ?? at(hosts, 0);
}

/** The hosts of a run on the first `nodes` of them, all by default, and the one that starts it; it may be one of them. */
export function withHead(inventory: Known, nodes?: number): readonly Host[] {
  const used = inventory.hosts.slice(0, nodes);
  const head = headOf(inventory);
  return used.some(({ name }) => name === head.name) ? used : [...used, head];
}

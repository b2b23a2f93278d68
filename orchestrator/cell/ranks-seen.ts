import type { Inventory } from '../../inventory/inventory-schema.ts';
import { otherLibrary } from '../launchers/other-library.ts';
import type { Sampled } from './sampled.ts';

/** A rank that lives shorter than this may end between two readings, seconds. */
const LEAST_S = 2;

/**
 * Why the processes that samplers saw are not the run that was asked for, one sentence; null where nothing speaks against it. A
 * program that ends between two readings is not seen, but by checkProgram before.
 */
export function ranksDoubt(
  seen: readonly Pick<Sampled, 'host' | 'seconds' | 'ranks' | 'libraries'>[],
  { inventory, ranksPerNode, hasEnded }: { inventory: Inventory; ranksPerNode: number; hasEnded: boolean },
): string | null {
  for (const { host, libraries } of seen) {
    const [other] = libraries.flatMap((each) => otherLibrary(inventory, each) ?? []);
    if (other !== undefined) return `${host}: ${other}`;
  }
  if (!hasEnded) return null;
  const few = seen.find(({ ranks, seconds }) => seconds >= LEAST_S && ranks.length > 0 && ranks.length < ranksPerNode);
  if (few === undefined) return null;
  return `${few.host}: ${few.ranks.length} of ${ranksPerNode} ranks ran there: check mpi.args in the inventory.`;
}

import type { Inventory } from '../../inventory/index.ts';
import { LAUNCHERS } from '../launchers/index.ts';
import type { Sampled } from './sampled.ts';

/** A rank that lives shorter than this may end between two readings, seconds. */
const LEAST_S = 2;

/**
 * Why the processes that samplers saw are not the run that was asked for, one sentence; null where nothing speaks against it. Under
 * the launcher of another MPI each rank is a run of its own, which nothing in its exit status tells.
 */
export function ranksDoubt(
  seen: readonly Pick<Sampled, 'host' | 'seconds' | 'ranks' | 'libraries'>[],
  { inventory, ranksPerNode, hasEnded }: { inventory: Inventory; ranksPerNode: number; hasEnded: boolean },
): string | null {
  const { launcher } = inventory.mpi;
  const { library } = LAUNCHERS[launcher];
  for (const { host, libraries } of seen) {
    const other = libraries.find((each) => library !== null && each !== library);
    if (other !== undefined) {
      return `${host}: the program uses ${other}, and mpi.launcher is ${launcher}, which starts programs of ${library} only: each of its ranks ran alone. Name the launcher of the program's MPI in the inventory, or build it with the other one.`;
    }
  }
  if (!hasEnded) return null;
  const few = seen.find(({ ranks, seconds }) => seconds >= LEAST_S && ranks.length > 0 && ranks.length < ranksPerNode);
  if (few === undefined) return null;
  return `${few.host}: ${few.ranks.length} of ${ranksPerNode} ranks ran there: look at mpi.args in the inventory, which may say otherwise.`;
}

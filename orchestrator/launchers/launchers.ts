import type { Inventory, LauncherName } from '../../inventory/inventory-schema.ts';
import { flux } from './flux.ts';
import type { Launcher } from './launcher.ts';
import { mpich } from './mpich.ts';
import { openmpi } from './openmpi.ts';
import { srun } from './srun.ts';

export const LAUNCHERS: Readonly<Record<LauncherName, Launcher>> = { openmpi, mpich, srun, flux };

/** Whether it starts daemons on other hosts by the way of `Launch.agent`: these arguments of its may name another. */
export function usesAgent({ daemon }: Launcher, args: readonly string[]): boolean {
  return daemon !== null && !args.some((word) => daemon.otherWay.test(word));
}

/**
 * Why the launcher of an inventory cannot start programs of this MPI, one sentence; null where it can. Under the launcher of another MPI
 * each rank is a run of its own, which nothing in its exit status tells.
 */
export function otherLibrary({ mpi }: Pick<Inventory, 'mpi'>, used: 'Open MPI' | 'MPICH'): string | null {
  const { library } = LAUNCHERS[mpi.launcher];
  if (library === null || library === used) return null;
  return `the program uses ${used}, but mpi.launcher is ${mpi.launcher}, which starts only programs of ${library}: each rank would run alone. Name the launcher of the program's MPI in the inventory, or build the program with ${library}.`;
}

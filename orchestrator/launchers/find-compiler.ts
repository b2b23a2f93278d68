import { dirname, join } from 'node:path';
import { quoteAll } from '../../base/index.ts';
import type { Inventory } from '../../inventory/index.ts';
import { LAUNCHERS } from './launchers.ts';

/** Shell words that set `c` to the compiler of the launcher's MPI, those beside the inventory's own mpirun first; empty without any. */
export function findCompiler({ mpi }: Pick<Inventory, 'mpi'>): string {
  const { compilers } = LAUNCHERS[mpi.launcher];
  const beside = mpi.command?.includes('/') ? compilers.map((name) => join(dirname(mpi.command ?? ''), name)) : [];
  return `for c in ${quoteAll([...beside, ...compilers])} ''; do command -v "$c" >/dev/null && break; done`;
}

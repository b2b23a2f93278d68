import { execa } from 'execa';
import { infrastructure } from '../../base/errors.ts';
import type { Inventory } from '../../inventory/inventory-schema.ts';

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

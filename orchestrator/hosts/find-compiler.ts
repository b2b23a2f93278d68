import { dirname, join } from 'node:path';
import { scriptWords, sh } from '../../base/shell.ts';
import { headOf } from '../../inventory/inventory-schema.ts';
import { LAUNCHERS } from '../launchers/launchers.ts';
import type { Cluster } from './cluster.ts';

/** A compiler of the launcher's MPI on the head host. */
interface Compiler {
  readonly path: string;
  /** The kind of machine, what the compiler says of itself, the C library. */
  readonly about: readonly string[];
}

const FIND = sh`
for compiler; do
  command -v "$compiler" || continue
  uname -m
  { "$compiler" -show; "$compiler" --version; getconf GNU_LIBC_VERSION; } 2>/dev/null
  break
done
true`;

/** The first compiler that the head has, those beside the inventory's own mpirun before others; null without any. */
export async function findCompiler(cluster: Cluster): Promise<Compiler | null> {
  const { mpi } = cluster.inventory;
  const { compilers } = LAUNCHERS[mpi.launcher];
  const beside = mpi.command?.includes('/') ? compilers.map((name) => join(dirname(mpi.command ?? ''), name)) : [];
  const { stdout } = await cluster.on(headOf(cluster.inventory)).exec(scriptWords(FIND, ...beside, ...compilers));
  const [path = '', ...about] = stdout.trim().split('\n');
  return path.startsWith('/') ? { path, about } : null;
}

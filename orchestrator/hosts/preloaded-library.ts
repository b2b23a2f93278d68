import { type Host, headOf, type Inventory } from '../../inventory/inventory-schema.ts';
import { LAUNCHERS } from '../launchers/launchers.ts';
import type { Cluster } from './cluster.ts';
import { compileOnHead } from './compile.ts';
import { deployFiles } from './work-folder.ts';

/** An inventory whose ranks have libraries preloaded, beside whatever it preloads into them itself. */
export function preloading(inventory: Inventory, libraries: readonly string[]): Inventory {
  if (libraries.length === 0) return inventory;
  const { env } = inventory.mpi;
  const all = [...libraries, ...(env.LD_PRELOAD ? [env.LD_PRELOAD] : [])];
  return { ...inventory, mpi: { ...inventory.mpi, env: { ...env, LD_PRELOAD: all.join(':') } } };
}

/**
 * Compiles a library on the head host with the compiler of its MPI and puts it on all hosts. Returns why it could not be compiled;
 * null where it was. Something must have been deployed to the hosts before.
 */
export async function provideLibrary(
  cluster: Cluster,
  hosts: readonly Host[],
  library: Parameters<typeof compileOnHead>[1],
): Promise<string | null> {
  const compiled = await compileOnHead(cluster, library);
  if (!('path' in compiled)) return compiled.said;
  const { path } = compiled;
  await cluster.onEach(cluster.places(hosts), (executor) => deployFiles(executor, [path], cluster.workFolder));
  return null;
}

const NAME = 'libpredict-mpich-end.so';

/**
 * Where the head's launcher is of an MPI whose MPI_Finalize may wait for ever (`Launcher.mayHang`), all runs of this cluster get
 * the library that mends it (agents/mpich-end). Returns why they do not, one sentence; null otherwise.
 */
export async function provideEnd(cluster: Cluster, hosts: readonly Host[]): Promise<string | null> {
  const { inventory } = cluster;
  const launcher = LAUNCHERS[inventory.mpi.launcher];
  if (launcher.mayHang === undefined) return null;
  const head = headOf(inventory);
  const { stdout } = await cluster.on(head).exec([inventory.mpi.command ?? launcher.command, '--version']);
  const version = launcher.mayHang(stdout);
  if (version === null) return null;
  const why = await provideLibrary(cluster, hosts, { build: 'mpich-end', file: NAME });
  if (why === null) {
    cluster.preloads.push(cluster.remotePath(NAME));
    return null;
  }
  return `MPICH ${version} over UCX sometimes hangs in MPI_Finalize, and the workaround could not be installed on ${head.name} (${why.replace(/\.$/, '')}). Install its MPI compiler there (libmpich-dev), or use MPICH 4.2 or a build for ch4:ofi.`;
}

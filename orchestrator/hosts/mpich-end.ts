import { mpichEndSource } from '../../agents/host-programs.ts';
import { sh } from '../../base/shell.ts';
import { type Host, headOf } from '../../inventory/inventory-schema.ts';
import { LAUNCHERS } from '../launchers/launchers.ts';
import type { Cluster } from './cluster.ts';
import { provideLibrary } from './preloaded-library.ts';

const NAME = 'libpredict-mpich-end.so';
const BUILD = sh`cd -- "$1" && "$2" -O2 -fPIC -shared -o "$3.new" mpich-end.c -ldl && mv -f -- "$3.new" "$3"`;

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
  const why = await provideLibrary(cluster, hosts, {
    ...{ sources: [mpichEndSource()], folder: 'mpich-end', name: NAME, build: BUILD },
  });
  if (why === null) {
    cluster.preloads.push(cluster.remotePath(NAME));
    return null;
  }
  return `MPICH ${version} over UCX sometimes hangs in MPI_Finalize, and the workaround could not be installed on ${head.name} (${why.replace(/\.$/, '')}). Install its MPI compiler there (libmpich-dev), or use MPICH 4.2 or a build for ch4:ofi.`;
}

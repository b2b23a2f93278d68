import { type MpiTrace, mpiTrace } from '../../experiments/mpi-trace/join-ranks.ts';
import { type Host, headOf, type Inventory } from '../../inventory/inventory-schema.ts';
import type { Cluster } from './cluster.ts';
import { hostFault } from './executor.ts';
import { preloading, provideLibrary } from './preloaded-library.ts';

const FOLDER = 'mpi-trace';
/** Calls that a rank may record: as many as make some 100 MB of text for all ranks, within these bounds. */
const [MOST_CALLS, LEAST_PER_RANK, MOST_PER_RANK] = [1_000_000, 10_000, 200_000];

/** Name in the work folder: one library is for one MPI. */
function libraryName({ mpi }: Inventory): string {
  return `libpredict-mpi-trace-${mpi.launcher}.so`;
}

/**
 * Compiles the recorder on the head host with the compiler of its MPI and puts it on all hosts. Errors: `infrastructure`
 * where there is no compiler, with what it said.
 */
export async function provideRecorder(cluster: Cluster, hosts: readonly Host[]): Promise<void> {
  const { inventory } = cluster;
  const why = await provideLibrary(cluster, hosts, { build: 'mpi-trace', file: libraryName(inventory) });
  if (why === null) return;
  throw hostFault(
    headOf(inventory).name,
    `the recorder of MPI calls could not be compiled (${why}). Install the MPI compiler there, or remove 'trace: mpi' from the workload.`,
  );
}

/** The folder of a run's files of the recorder, below its output folder. */
export function recordFolder(outputFolder: string): string {
  return `${outputFolder}/${FOLDER}`;
}

/** An inventory whose ranks are recorded, beside whatever it preloads into them itself. */
export function recorded(
  cluster: Cluster,
  { folder, ranks }: { readonly folder: string; readonly ranks: number },
): Inventory {
  const { inventory } = cluster;
  const { mpi } = preloading(inventory, [cluster.remotePath(libraryName(inventory))]);
  const most = Math.min(MOST_PER_RANK, Math.max(LEAST_PER_RANK, Math.floor(MOST_CALLS / ranks)));
  const own = { PREDICT_MPI_TRACE: folder, PREDICT_MPI_TRACE_RECORDS: String(most) };
  return { ...inventory, mpi: { ...mpi, env: { ...mpi.env, ...own } } };
}

/** Joins what the ranks on these hosts left. Errors: `infrastructure` for a host that does not answer. */
export async function fetchRecords(cluster: Cluster, hosts: readonly Host[], folder: string): Promise<MpiTrace> {
  const files = new Map<string, Buffer>();
  await cluster.onEach(cluster.places(hosts), async (executor) => {
    const { stdout } = await executor.exec(['ls', '-1', '--', folder]);
    for (const name of stdout.split('\n').filter((line) => /^rank-\d+\.(calls|messages)$/.test(line))) {
      const content = await executor.fetch(`${folder}/${name}`);
      if (content !== null) files.set(name, content);
    }
  });
  return mpiTrace(files);
}

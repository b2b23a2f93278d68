import { scriptWords, sh } from '../../base/shell.ts';
import { joinWords } from '../../base/text.ts';
import type { Workload } from '../../experiments/workloads/workload.ts';
import type { Host } from '../../inventory/inventory-schema.ts';
import { otherLibrary } from '../launchers/other-library.ts';
import type { Cluster } from './cluster.ts';
import { remoteProgram } from './deployment.ts';

/** The first word of what runs on each rank; null where it differs from cell to cell, or a harness chooses it. */
export function programOnHosts(cluster: Cluster, { definition, programs, launch }: Workload): string | null {
  if (launch !== 'ranks') return null;
  const [ours] = programs;
  if (ours !== undefined) return remoteProgram(cluster, ours);
  const words = definition.kind === 'command' ? definition.command : 'binary' in definition ? [definition.binary] : [];
  const [program] = words;
  return program === undefined || /[{}]/.test(program) ? null : program;
}

/** Arguments: the work folder, the program, what env(1) sets for ldd(1). Names of libraries as in agents/host/mpi-library.c. */
const LOOK = sh`
cd -- "$1" && found=$(command -v -- "$2") || { echo @absent; exit; }
[ -x "$found" ] || { echo @absent; exit; }
shift 2
linked=$(env "$@" ldd "$found" 2>&1)
printf '%s\n' "$linked" |
  sed -n 's/^[[:space:]]*\([^ ]*\) => not found.*/@lacks \1/p; s/.*version .\([^ ]*\). not found.*/@lacks \1/p'
case $linked in
  *libopen-pal.so* | *libopen-rte.so* | *libmpi.so.40*) echo @mpi Open MPI ;;
  *libmpich.so* | *libmpi.so.12* | *libmpi_cray* | *libmpi_gnu* | *libmpi_intel*) echo @mpi MPICH ;;
esac`;

/**
 * What keeps a program from starting on a host, a sentence each, by the host's name: it is not there, lacks libraries, or is linked
 * with another MPI than the launcher's.
 */
export async function checkProgram(
  cluster: Cluster,
  hosts: readonly Host[],
  program: string,
): Promise<ReadonlyMap<string, string>> {
  const path = cluster.inventory.mpi.env.LD_LIBRARY_PATH;
  const libraries = path === undefined ? [] : [`LD_LIBRARY_PATH=${path}`];
  const words = scriptWords(LOOK, cluster.workFolder, program, ...libraries);
  const found = await cluster.onEach(hosts, async (executor, { name }): Promise<readonly [string, string] | null> => {
    const { stdout } = await executor.exec(words);
    if (stdout.includes('@absent')) return [name, `there is no program ${program} that the ssh user can execute.`];
    const lacking = [...new Set([...stdout.matchAll(/^@lacks (\S+)$/gm)].map((match) => match[1] ?? ''))];
    if (lacking.length === 0) {
      const used = (['Open MPI', 'MPICH'] as const).find((each) => stdout.split('\n').includes(`@mpi ${each}`));
      const other = used === undefined ? null : otherLibrary(cluster.inventory, used);
      return other === null ? null : [name, other];
    }
    return [
      name,
      `${program} lacks ${joinWords(lacking)}: install the libraries, or set LD_LIBRARY_PATH in mpi.env to their folder.`,
    ];
  });
  return new Map(found.filter((each) => each !== null));
}

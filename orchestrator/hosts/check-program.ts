import { infrastructure, PredictError } from '../../base/errors.ts';
import { scriptWords, sh } from '../../base/shell.ts';
import { joinWords, lastLines } from '../../base/text.ts';
import { firstSaid } from '../../experiments/workloads/said.ts';
import type { Workload } from '../../experiments/workloads/workload.ts';
import { type Host, headOf } from '../../inventory/inventory-schema.ts';
import { LAUNCHERS, otherLibrary } from '../launchers/launchers.ts';
import type { Cluster } from './cluster.ts';
import { remoteProgram } from './deployment.ts';
import { type CommandResult, hostFault } from './executor.ts';
import { runOnRanks } from './start-ranks.ts';

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

/** For `hostname` on every rank, beside a launcher's wait for busy hosts. */
const CHECK_MS = 120_000;

/**
 * Starts `hostname` on these hosts as runs are started. Errors: `infrastructure` where it cannot, or not every rank comes up on its
 * host; nothing else is tried then. The agent must have been deployed.
 */
export async function checkLauncher(
  cluster: Cluster,
  hosts: readonly Host[],
  {
    ranksPerNode,
    signal,
    waitMs,
  }: {
    readonly ranksPerNode: number;
    readonly signal: AbortSignal;
    /** Longest wait of a launcher for busy hosts; two minutes by default. */
    readonly waitMs?: number;
  },
): Promise<void> {
  const { launcher, command } = cluster.inventory.mpi;
  const program = command ?? LAUNCHERS[launcher].command;
  const options = { timeoutMs: CHECK_MS, signal };
  const run = { argv: ['hostname'], ranksPerNode, link: undefined, options, waitMs };
  const { result, givenUp } = await runOnRanks(cluster, hosts, run);
  if (signal.aborted) throw new PredictError('Interrupted.', { kind: 'interrupted' });
  if (givenUp !== null) throw infrastructure(givenUp);
  const refusal = result.exitCode === 0 ? null : LAUNCHERS[launcher].refusal?.(result.stderr);
  if (refusal) throw new PredictError(refusal.text, { kind: refusal.kind });
  const why = problemOf(result, { ranks: hosts.length * ranksPerNode, hosts: hosts.length });
  if (why === null) return;
  const { name } = headOf(cluster.inventory);
  throw hostFault(
    name,
    `the launcher ${launcher} (${program}) could not start 'hostname' on ${hosts.length} hosts with ${ranksPerNode} each: ${why}. Correct mpi in the inventory, or fix the launcher on this host.`,
  );
}

function problemOf(
  { exitCode, stdout, stderr, timedOut }: CommandResult,
  asked: { readonly ranks: number; readonly hosts: number },
): string | null {
  if (timedOut) return `it did not end within ${CHECK_MS / 1000} s: ${lastLines(stderr, 1)}`;
  if (exitCode !== 0)
    return firstSaid({ stdout, stderr }).replace(/\.$/, '') || `it ended with exit status ${exitCode}`;
  // What else a launcher prints has blanks in it.
  const names = stdout.split('\n').filter((line) => /^[\w.-]+$/.test(line.trim()));
  const distinct = new Set(names).size;
  if (names.length === asked.ranks && distinct === asked.hosts) return null;
  return `${names.length} ranks started on ${distinct} hosts, not ${asked.ranks} on ${asked.hosts}`;
}

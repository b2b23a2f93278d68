import { infrastructure, PredictError } from '../../base/errors.ts';
import { joinWords, sameOfHosts } from '../../base/text.ts';
import { formatBytes, formatSeconds } from '../../base/units.ts';
import { findOddHosts } from '../../experiments/store/host-facts.ts';
import { parseSweep } from '../../experiments/sweep.ts';
import { loadWorkload } from '../../experiments/workloads/load-workload.ts';
import type { Workload } from '../../experiments/workloads/workload.ts';
import { type Host, headOf } from '../../inventory/inventory-schema.ts';
import { areRootless } from '../../inventory/lab/spec.ts';
import { checkHosts, withoutSystemd } from '../hosts/check-hosts.ts';
import { checkLauncher } from '../hosts/check-program.ts';
import type { Cluster } from '../hosts/cluster.ts';
import { deployPrograms } from '../hosts/deployment.ts';
import { AS_ROOT, findProgramProblems } from '../run-sweep.ts';
import type { Optional } from './flags.ts';
import { interruptible } from './interrupt.ts';
import { type HostFlags, pickHosts, withCluster } from './pick-hosts.ts';
import { type Answer, left, print, printTable, right } from './print.ts';
import { sweepOutlook } from './sweep-outlook.ts';

type CheckFlags = HostFlags & Optional<'nodes' | 'scales' | 'bw' | 'roots' | 'workload'>;

/** Probes the hosts, then does on them what a sweep does before its first cell. */
export async function check(flags: CheckFlags): Promise<Answer> {
  const workload = flags.workload === undefined ? null : await loadWorkload(flags.workload);
  const bundled = await loadWorkload('graph500');
  const { rows, faults, launched, outlook, rootless } = await withCluster(flags.inventory, async (cluster) => {
    const hosts = pickHosts(cluster.inventory, flags.hosts);
    const { nodes, scales, bw, roots } = flags;
    const site = { inventory: cluster.inventory, workload: workload ?? bundled };
    const outlookWith = (leastMemory: number | undefined) =>
      sweepOutlook({ nodes, scales, bw, roots }, { ...site, leastMemory });
    // Bad flags are refused before a host is asked.
    outlookWith(undefined);
    const probed = await checkHosts(cluster, hosts, { orAsUser: isFree(bw) });
    const known = probed.flatMap(({ memoryBytes }) => memoryBytes ?? []);
    const expected = outlookWith(known.length === 0 ? undefined : Math.min(...known));
    const rest = { rows: probed, outlook: expected, rootless: areRootless(cluster.inventory) };
    // What a launcher says of hosts that have problems of their own is no news.
    if (probed.some(({ problems }) => problems.length > 0)) return { ...rest, faults: [], launched: null };
    return { ...rest, ...(await interruptible((signal) => tryRuns(cluster, hosts, { workload, signal }))) };
  });
  const say = (): void => {
    printHosts(rows);
    const odd = findOddHosts(rows.map(({ host: name, ...facts }) => ({ name, facts })));
    const asRoot = !rootless && rows.some(({ privilege }) => privilege === 'root') ? AS_ROOT : null;
    const said = [launched, asRoot, withoutRoot(rows), withoutSystemd(rows), ...odd, ...outlook.says];
    for (const line of said) if (line !== null) print(line);
  };
  const after = (): void => {
    const problems = rows.flatMap(({ host, problems: found }) =>
      found.map((problem) => ({ host, message: `${host}: ${problem}` })),
    );
    if (problems.length + faults.length > 0) throw infrastructure([...sameOfHosts(problems), ...faults].join('\n'));
    outlook.refuse();
  };
  return { json: rows, say, after };
}

function printHosts(rows: Awaited<ReturnType<typeof checkHosts>>): void {
  const seconds = (ns: number | null): string => formatSeconds(Math.abs(ns ?? 0) / 1e9);
  printTable(rows, [
    left('host', ({ host }) => host),
    left('reached', ({ reached }) => (reached ? 'yes' : 'no')),
    left('kernel', ({ kernel }) => kernel ?? '-'),
    right('cores', ({ cores }) => cores ?? '-'),
    right('memory', ({ memoryBytes }) => (memoryBytes ? formatBytes(memoryBytes) : '-')),
    left('interface', (row) => row.interface ?? '-'),
    left('address', ({ address }) => address ?? '-'),
    left('tc', ({ link }) => link ?? '-'),
    left('privilege', ({ privilege }) => privilege ?? '-'),
    left('MPI', ({ mpi }) => mpi ?? '-'),
    right('clock offset', ({ clockOffsetNs: ns, clockErrorNs }) =>
      ns === null ? '-' : `${ns < 0 ? '-' : ''}${seconds(ns)} ± ${seconds(clockErrorNs)}`,
    ),
  ]);
}

/** Whether no link is to be throttled. */
function isFree(bw: string | undefined): boolean {
  return bw !== undefined && parseSweep({ nodes: '1', bw }).bw.every((percent) => percent === 100);
}

function withoutRoot(rows: Awaited<ReturnType<typeof checkHosts>>): string | null {
  const without = rows.filter(({ privilege, problems }) => privilege === 'none' && problems.length === 0);
  if (without.length === 0) return null;
  return `Nothing can run as root on ${joinWords(without.map(({ host }) => host))}: only sweeps at --bw 100 are possible.`;
}

/** The launcher on all these hosts, and the libraries of a workload's program there. */
async function tryRuns(
  cluster: Cluster,
  hosts: readonly Host[],
  { workload, signal }: { readonly workload: Workload | null; readonly signal: AbortSignal },
): Promise<{ readonly faults: readonly string[]; readonly launched: string | null }> {
  const { inventory } = cluster;
  const faults: string[] = [];
  const attempt = async (task: () => Promise<void>): Promise<boolean> => {
    try {
      await task();
      return true;
    } catch (error) {
      if (!(error instanceof PredictError) || error.kind !== 'infrastructure') throw error;
      faults.push(error.message);
      return false;
    }
  };
  const wanted = workload?.programs ?? [];
  const everyone = hosts.some(({ name }) => name === headOf(inventory).name) ? hosts : [...hosts, headOf(inventory)];
  await attempt(async () => {
    await deployPrograms(cluster, everyone, { wanted, orAsUser: true });
    if (workload !== null) faults.push(...(await findProgramProblems(cluster, hosts, workload)));
  });
  const began = performance.now();
  const { ranksPerNode, mpi } = inventory;
  const started = await attempt(() => checkLauncher(cluster, hosts, { ranksPerNode, signal }));
  if (!started) return { faults, launched: null };
  const seconds = formatSeconds((performance.now() - began) / 1000);
  return {
    faults,
    launched: `${mpi.launcher} starts ${hosts.length * ranksPerNode} ranks on these hosts in ${seconds}.`,
  };
}

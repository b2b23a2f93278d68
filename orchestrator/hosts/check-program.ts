import { joinWords, quote } from '../../base/index.ts';
import type { Workload } from '../../experiments/index.ts';
import type { Host } from '../../inventory/index.ts';
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

/** What keeps a program from starting on a host, a sentence each, by the host's name: it is not there, or lacks libraries (ldd(1)). */
export async function checkProgram(
  cluster: Cluster,
  hosts: readonly Host[],
  program: string,
): Promise<ReadonlyMap<string, string>> {
  const path = cluster.inventory.mpi.env.LD_LIBRARY_PATH;
  const libraries = path === undefined ? '' : `LD_LIBRARY_PATH=${quote(path)} `;
  const script = [
    `cd ${quote(cluster.workFolder)} && found=$(command -v ${quote(program)}) || { echo @absent; exit; }`,
    `[ -x "$found" ] || { echo @absent; exit; }`,
    `${libraries}ldd "$found" 2>&1 | sed -n 's/^[[:space:]]*\\([^ ]*\\) => not found.*/@lacks \\1/p; s/.*version .\\([^ ]*\\). not found.*/@lacks \\1/p'`,
  ].join('\n');
  const found = await cluster.onEach(hosts, async (executor, { name }): Promise<readonly [string, string] | null> => {
    const { stdout } = await executor.exec(script);
    if (stdout.includes('@absent')) return [name, `there is no program ${program} that ${executor.host} may run.`];
    const lacking = [...new Set([...stdout.matchAll(/^@lacks (\S+)$/gm)].map((match) => match[1] ?? ''))];
    if (lacking.length === 0) return null;
    return [
      name,
      `${program} lacks ${joinWords(lacking)}: install what it needs, or name its folder in mpi.env as LD_LIBRARY_PATH.`,
    ];
  });
  return new Map(found.filter((each) => each !== null));
}

import { buildHostPrograms } from '../../agents/index.ts';
import { formatBytes, formatSeconds, infrastructure } from '../../base/index.ts';
import { checkHosts } from '../hosts/check-hosts.ts';
import { type HostFlags, pickHosts, withCluster } from './hosts.ts';
import { left, printJson, printTable, right } from './print.ts';

export async function check(flags: HostFlags): Promise<void> {
  const programs = await buildHostPrograms();
  const rows = await withCluster(flags.inventory, (cluster) =>
    checkHosts(cluster, pickHosts(cluster.inventory, flags.hosts), programs),
  );
  if (flags.json) printJson(rows);
  else {
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
  const problems = rows.flatMap(({ host, problems: found }) => found.map((problem) => `${host}: ${problem}`));
  if (problems.length > 0) throw infrastructure(problems.join('\n'));
}

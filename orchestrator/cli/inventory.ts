import type { Command } from 'commander';
import { HELP } from './help.ts';
import { print, printJson, table } from './print.ts';

export function registerInventory(program: Command): void {
  const inventory = program.command('inventory').description('the hosts that take part');
  inventory
    .command('check')
    .description('probe all hosts side by side: reach, privilege, data interface, tc, MPI, clock')
    .requiredOption('--inventory <file>', HELP.inventory)
    .option('--hosts <names>', HELP.hosts)
    .option('--json', HELP.json)
    .addHelpText('after', '\nExample:\n  predict inventory check --inventory cluster.yaml')
    .action(check);
}

async function check(flags: { inventory: string; hosts?: string; json?: boolean }): Promise<void> {
  const { formatBytes, formatSeconds, PredictError } = await import('../../base/index.ts');
  const { pickHosts, withCluster } = await import('./hosts.ts');
  const { checkHosts } = await import('../hosts/check-hosts.ts');
  const { buildHostPrograms } = await import('../../agents/index.ts');
  const programs = await buildHostPrograms();
  const rows = await withCluster(flags.inventory, (cluster) =>
    checkHosts(cluster, pickHosts(cluster.inventory, flags.hosts), programs),
  );
  if (flags.json) printJson(rows);
  else {
    print(
      table(rows, [
        { title: 'host', value: ({ host }) => host },
        { title: 'reached', value: ({ reached }) => (reached ? 'yes' : 'no') },
        { title: 'kernel', value: ({ kernel }) => kernel ?? '-' },
        { title: 'cores', value: ({ cores }) => String(cores ?? '-'), align: 'right' },
        { title: 'memory', value: ({ memoryBytes }) => (memoryBytes ? formatBytes(memoryBytes) : '-'), align: 'right' },
        { title: 'interface', value: (row) => row.interface ?? '-' },
        { title: 'address', value: ({ address }) => address ?? '-' },
        { title: 'tc', value: ({ link }) => link ?? '-' },
        { title: 'privilege', value: ({ privilege }) => privilege ?? '-' },
        { title: 'MPI', value: ({ mpi }) => mpi ?? '-' },
        {
          title: 'clock offset',
          value: ({ clockOffsetNs, clockErrorNs }) =>
            clockOffsetNs === null
              ? '-'
              : `${clockOffsetNs < 0 ? '-' : ''}${formatSeconds(Math.abs(clockOffsetNs) / 1e9)} ± ${formatSeconds((clockErrorNs ?? 0) / 1e9)}`,
          align: 'right',
        },
      ]),
    );
  }
  const problems = rows.flatMap(({ host, problems: found }) => found.map((problem) => `${host}: ${problem}`));
  if (problems.length > 0) throw new PredictError(problems.join('\n'), { kind: 'infrastructure' });
}

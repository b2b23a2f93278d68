import type { Command } from 'commander';
import { note, print, printJson, table } from './print.ts';

interface UpFlags {
  readonly name: string;
  readonly hosts: string;
  readonly cpu: string;
  readonly link: string;
  readonly json?: boolean;
}

export function registerLab(program: Command): void {
  const lab = program
    .command('lab')
    .description('an emulated cluster inside this machine: hosts with their own network, sshd and CPU quota');
  lab
    .command('up')
    .description('start the lab and write its inventory')
    .option('--hosts <n>', 'number of hosts', '4')
    .option('--cpu <percent>', 'CPU of each host in percent of one core', '6%')
    .option('--link <rate>', "rate of each host's link, both directions", '200mbit')
    .option('--name <name>', 'name of the lab', 'lab')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  predict lab up --hosts 25 --cpu 6% --link 200mbit')
    .action(up);
  lab
    .command('status')
    .description('what is running')
    .option('--name <name>', 'name of the lab', 'lab')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  predict lab status --json')
    .action(async ({ name, json }: { name: string; json?: boolean }) => {
      const { labStatus } = await import('../../inventory/lab/index.ts');
      const status = labStatus(name);
      if (json) return printJson(status);
      print(
        table(
          [status],
          [
            { title: 'lab', value: (row) => row.name },
            { title: 'state', value: (row) => row.state },
            { title: 'hosts', value: (row) => String(row.hosts.length), align: 'right' },
            { title: 'processes', value: (row) => String(row.processes), align: 'right' },
            { title: 'inventory', value: (row) => row.inventory ?? '-' },
          ],
        ),
      );
    });
  lab
    .command('down')
    .description('end the lab and everything that is left of it, also after a killed `up`')
    .option('--name <name>', 'name of the lab', 'lab')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  predict lab down')
    .action(async ({ name, json }: { name: string; json?: boolean }) => {
      const { labDown } = await import('../../inventory/lab/index.ts');
      const result = await labDown(name);
      if (json) printJson(result);
      else note(`predict: the lab '${name}' is down (${result.ended} processes ended).`);
    });
}

async function up({ name, hosts, cpu, link, json }: UpFlags): Promise<void> {
  const { parsePercent, parseRate } = await import('../../base/index.ts');
  const { labSpec, labUp } = await import('../../inventory/lab/index.ts');
  const spec = labSpec({
    name,
    hosts: /^\d+$/.test(hosts) ? Number(hosts) : Number.NaN,
    cpuPercent: parsePercent(cpu, { what: '--cpu', max: 100 }),
    linkBps: parseRate(link),
  });
  const { setUp } = await import('../setup/set-up.ts');
  const { programs } = await setUp(note);
  const lab = await labUp(spec, programs);
  if (json) return printJson({ inventory: lab.inventory, hosts: lab.hosts });
  print(`${lab.hosts.length} hosts are up. Inventory: ${lab.inventory}`);
}

import type { Command } from 'commander';
import { addCommand, HOSTS, INVENTORY } from './command.ts';

/** Commands about this machine, the lab, and the hosts and their links. */
export function registerHosts(program: Command): void {
  program.commandsGroup('On this machine:');
  addCommand(program, 'demo', ['demo'])
    .description('the main job from start to end on an emulated cluster inside this machine (about 5 minutes)')
    .option('--out <dir>', 'campaign folder, made anew', 'predict-demo')
    .action(async (flags) => (await import('../demo.ts')).demo(flags));
  addCommand(program, 'setup', ['setup'])
    .description('make this machine fit for labs: install Debian packages that it lacks and compile the host programs')
    .action(async (flags) => (await import('../setup.ts')).setup(flags));
  registerLab(program);
  program.commandsGroup('Hosts and their links:');
  registerInventory(program);
  addCommand(program, 'exec', ['exec --inventory lab.yaml -- uname -r'])
    .description('run a command on all hosts side by side')
    .option(...INVENTORY)
    .option(...HOSTS)
    .option('--timeout <time>', 'end the command after this time', '60s')
    .argument('<command...>', 'command and arguments, after --')
    .action(async (words, flags) => (await import('../exec.ts')).exec(words, flags));
  registerThrottle(program);
}

function registerInventory(program: Command): void {
  const inventory = program.command('inventory').description('the hosts that take part');
  const verb = (name: string, about: string): Command =>
    addCommand(inventory, name, [`inventory ${name} --inventory cluster.yaml`])
      .description(about)
      .option(...INVENTORY)
      .option(...HOSTS);
  verb(
    'check',
    'probe all hosts side by side (reach, privilege, data interface, tc, MPI, clock), then start the launcher',
  )
    .option('--workload <name|file>', 'look for its program and the libraries of that on every host too')
    .option('--nodes <range>', 'say what a sweep of these takes; by default of the largest node counts that can run')
    .option('--scales <range>', 'dataset scales of that sweep')
    .option('--bw <range>', 'bandwidths of that sweep; 100 alone needs no root')
    .option('--roots <n>', 'searches per run of that sweep')
    .action(async (flags) => (await import('../inventory.ts')).check(flags));
  addCommand(inventory, 'init', ['inventory init --hosts node[01-16] --out cluster.yaml'])
    .description('write an inventory of hosts, asking them for their network, memory and launcher')
    .option('--hosts <list>', 'these hosts: node[01-16]; else those of the SLURM allocation, else those of ssh_config')
    .option('--config <file>', 'an ssh_config file; ~/.ssh/config by default')
    .option('--user <name>', 'user on the hosts, where ssh_config does not say')
    .option('--out <file>', 'where to write it', 'cluster.yaml')
    .action(async (flags) => (await import('../inventory-init.ts')).init(flags));
  verb('sudoers', 'print the sudo rules that an ssh user other than root needs on the hosts').action(async (flags) =>
    (await import('../inventory.ts')).sudoers(flags),
  );
}

function registerLab(program: Command): void {
  const lab = program
    .command('lab')
    .description('an emulated cluster inside this machine: hosts with their own network, sshd and CPU quota');
  const verb = (name: string, about: string, example: string): Command =>
    addCommand(lab, name, [example]).description(about).option('--name <name>', 'name of the lab', 'lab');
  verb('up', 'start the lab and write its inventory', 'lab up --hosts 25 --cpu 6% --link 200mbit')
    .option('--hosts <n>', 'number of hosts', '4')
    .option('--cpu <percent>', 'CPU of each host in percent of one core', '6%')
    .option('--link <rate>', "rate of each host's link, both directions", '200mbit')
    .option('--root', 'log in and run programs as root, not as a user of the lab without privileges')
    .action(async (flags) => (await import('../lab.ts')).labUpCommand(flags));
  verb('status', 'what is running', 'lab status --json').action(async (flags) =>
    (await import('../lab.ts')).labStatusCommand(flags),
  );
  verb('down', 'end the lab and everything that is left of it, also after a killed `up`', 'lab down').action(
    async (flags) => (await import('../lab.ts')).labDownCommand(flags),
  );
}

function registerThrottle(program: Command): void {
  const throttle = program.command('throttle').description("limit the hosts' links with tc, and restore them");
  const verb = (name: string, about: string, example: string): Command =>
    addCommand(throttle, name, [example])
      .description(about)
      .option(...INVENTORY)
      .option(...HOSTS);
  verb(
    'set',
    'throttle the links, both directions, under a lease',
    'throttle set --inventory lab.yaml --bw 20 --lease 5m',
  )
    .requiredOption('--bw <percent>', 'available bandwidth in percent of the line rate; 100 removes the throttle')
    .option('--lease <time>', 'the hosts restore themselves after this time', '10m')
    .action(async (flags) => (await import('../throttle.ts')).set(flags));
  verb('show', 'what is on the links', 'throttle show --inventory lab.yaml --json').action(async (flags) =>
    (await import('../throttle.ts')).show(flags),
  );
  verb('clear', 'restore the links', 'throttle clear --inventory lab.yaml')
    .option('--force', 'also where another controller uses the hosts, which breaks its measurement')
    .action(async (flags) => (await import('../throttle.ts')).clear(flags));
}

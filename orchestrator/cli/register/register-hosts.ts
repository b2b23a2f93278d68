import { addCommand, HOSTS, INVENTORY, type Verb } from './add-command.ts';

/** Commands about this machine, the lab, and the hosts and their links. */
export function registerHosts(program: Verb): void {
  program.commandsGroup('On this machine:');
  addCommand(program, 'demo', ['demo'])
    .description('the whole workflow on an emulated cluster inside this machine (about 4 minutes)')
    .option('--out <dir>', 'new campaign folder', 'predict-demo')
    .runs(async () => (await import('../demo-command.ts')).demo);
  addCommand(program, 'setup', ['setup'])
    .description('install the Debian packages and build the agents that a lab needs')
    .runs(async () => (await import('../lab.ts')).setup);
  registerLab(program);
  program.commandsGroup('Hosts and their links:');
  registerInventory(program);
  addCommand(program, 'exec', ['exec --inventory lab.yaml -- uname -r'])
    .description('run a command on all hosts in parallel')
    .option(...INVENTORY)
    .option(...HOSTS)
    .option('--timeout <time>', 'time-out of the command', '60s')
    .argument('<command...>', 'command and arguments, after --')
    .runs(async () => (await import('../host-commands.ts')).exec);
  registerThrottle(program);
}

function registerInventory(program: Verb): void {
  const inventory = program.command('inventory').description('check or write the inventory of hosts');
  addCommand(inventory, 'check', ['inventory check --inventory cluster.yaml'])
    .description(
      'check all hosts in parallel (connection, privilege, data link, tc, MPI, clock), then start the launcher',
    )
    .option(...INVENTORY)
    .option(...HOSTS)
    .option('--workload <name|file>', 'also check its program and libraries on every host')
    .optionsGroup('A sweep whose time and memory are estimated:')
    .option('--nodes <range>', 'node counts; default: the largest possible ones')
    .option('--scales <range>', 'dataset scales')
    .option('--bw <range>', 'bandwidths; 100 alone needs no root')
    .option('--roots <n>', 'searches per run')
    .runs(async () => (await import('../inventory.ts')).check);
  addCommand(inventory, 'init', ['inventory init --hosts node[01-16] --out cluster.yaml', 'inventory init --sudoers'])
    .description('write an inventory with the network, memory and launcher found on the hosts')
    .option('--hosts <list>', 'hosts: node[01-16]; default: those of an allocation, else of ssh_config')
    .option('--config <file>', 'ssh_config file; default: ~/.ssh/config')
    .option('--user <name>', 'user on the hosts, if not in ssh_config')
    .option('--out <file>', 'output file', 'cluster.yaml')
    .optionsGroup('Of an inventory that is there:')
    .option('--sudoers', 'print the sudo rules that an unprivileged ssh user needs on its hosts, and write nothing')
    .option(...INVENTORY)
    .runs(async () => (await import('../inventory-init.ts')).init);
}

function registerLab(program: Verb): void {
  const lab = program
    .command('lab')
    .description('an emulated cluster inside this machine: hosts with their own network, sshd and CPU quota');
  const verb = (name: string, about: string, example: string): Verb =>
    addCommand(lab, name, [example]).description(about).option('--name <name>', 'name of the lab', 'lab');
  verb('up', 'start the lab and write its inventory', 'lab up --hosts 25 --cpu 6% --link 200mbit')
    .option('--hosts <n>', 'number of hosts', '4')
    .option('--cpu <percent>', 'CPU of each host in percent of one core', '6%')
    .option('--link <rate>', "rate of each host's link, both directions", '200mbit')
    .option('--root', 'log in and run programs as root, not as an unprivileged user of the lab; without root always')
    .runs(async () => (await import('../lab.ts')).labUpCommand);
  verb('status', 'list running labs', 'lab status --json').runs(
    async () => (await import('../lab.ts')).labStatusCommand,
  );
  verb('down', 'stop the lab and clean up, also after a killed `up`', 'lab down').runs(
    async () => (await import('../lab.ts')).labDownCommand,
  );
}

function registerThrottle(program: Verb): void {
  const throttle = program.command('throttle').description("limit the hosts' links with tc, and restore them");
  const verb = (name: string, about: string, example: string): Verb =>
    addCommand(throttle, name, [example])
      .description(about)
      .option(...INVENTORY)
      .option(...HOSTS);
  verb('set', 'throttle the links, both directions, under a lease', 'throttle set --bw 20 --lease 5m')
    .requiredOption('--bw <percent>', 'available bandwidth in percent of the line rate; 100 removes the throttle')
    .option('--lease <time>', 'the hosts restore their links after this time', '10m')
    .runs(async () => (await import('../host-commands.ts')).set);
  verb('show', 'show the state of the links', 'throttle show --inventory lab.yaml --json').runs(
    async () => (await import('../host-commands.ts')).show,
  );
  verb('clear', 'restore the links', 'throttle clear --inventory lab.yaml')
    .option('--force', 'also if another controller uses the hosts (invalidates its measurement)')
    .runs(async () => (await import('../host-commands.ts')).clear);
}

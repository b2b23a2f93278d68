import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { execa } from 'execa';
import { parse } from 'yaml';
import { type LabCgroups, labCgroups } from '../../inventory/lab/cgroups.ts';
import { predict, predictJson } from '../lab/predict.ts';
import { lookAt, type Process } from './processes.ts';

export interface SiteHost {
  readonly name: string;
  /** The host's first process, through whose /proc entry its namespaces and files are reached. */
  readonly first: number;
  /** The switch's port towards it. */
  readonly port: string;
}

const LINE_RATE = '200mbit';
/** Room on a host's /run, so that it can be filled. */
const RUN_SIZE = '64m';

/** A lab that is looked at and disturbed from outside: by control groups, namespaces and /proc. */
export class Site {
  readonly name: string;
  readonly #count: number;
  #groups: LabCgroups;
  #inventory = '';
  #switch = 0;
  #workFolder = '';
  #hosts: readonly SiteHost[] = [];
  #own: ReadonlySet<number> = new Set();

  constructor(name: string, hosts: number) {
    this.name = name;
    this.#count = hosts;
    this.#groups = labCgroups(name);
  }

  get inventory(): string {
    return this.#inventory;
  }

  /** Compute hosts in the inventory's order; the head is last. */
  get hosts(): readonly SiteHost[] {
    return this.#hosts;
  }

  get groupRoots(): readonly string[] {
    return this.#groups.roots;
  }

  /** Below the hosts' shared work folder: what runs leave there. */
  get runFolder(): string {
    return join(this.#workFolder, 'cells');
  }

  async up(cpu = '100%'): Promise<void> {
    await this.down();
    const flags = ['--name', this.name, '--hosts', String(this.#count), '--cpu', cpu, '--link', LINE_RATE, '--json'];
    this.#inventory = (await predictJson<{ inventory: string }>(['lab', 'up', ...flags])).inventory;
    const inventory = parse(readFileSync(this.#inventory, 'utf8'));
    this.#workFolder = inventory.work.folder;
    this.#switch = Number(/\/proc\/(\d+)\/ns\/net/.exec(inventory.ssh.proxyCommand)?.[1]);
    const names: string[] = [...inventory.hosts, inventory.mpi.head].map(({ name }) => name);
    this.#hosts = names.map((name, index) => {
      const first = this.#inGroup(name).find(({ argv }) => argv[0]?.includes('[listener]'));
      if (!first) throw new Error(`the lab host ${name} has no sshd: its control group holds no listener`);
      return { name, first: first.id, port: `p${index + 1}` };
    });
    // Connections that tried whether sshd is there may still be ending.
    const stays = ({ argv }: Process): boolean => /^unshare$|\[listener\]/.test(argv[0] ?? '');
    this.#own = new Set(
      names.flatMap((name) =>
        this.#inGroup(name)
          .filter(stays)
          .map(({ id }) => id),
      ),
    );
    for (const host of this.#hosts) {
      await execa('nsenter', ['-t', String(host.first), '-m', 'mount', '-o', `remount,size=${RUN_SIZE}`, '/run']);
    }
  }

  async down(): Promise<void> {
    const { exitCode, stderr } = await predict(['lab', 'down', '--name', this.name]);
    if (exitCode !== 0) throw new Error(`lab down: ${stderr}`);
  }

  /**
   * Removes the launcher's folders of runs whose daemon was killed: Open MPI leaves some megabytes of each, and a host's /run is small
   * here. Only between injections.
   */
  async tidy(): Promise<void> {
    for (const { first } of this.#hosts) {
      await execa('nsenter', ['-t', String(first), '-m', 'sh', '-c', 'rm -rf /run/tmp/ompi.*']);
    }
  }

  /** Whether every process that the lab began with is there. */
  isWhole(): boolean {
    return [...this.#own].every((id) => lookAt(id) !== undefined);
  }

  /** What runs on a host beside its own sshd. */
  processes({ name }: Pick<SiteHost, 'name'>): Process[] {
    return this.#inGroup(name).filter(({ id }) => !this.#own.has(id));
  }

  /** Text about a host's links that is not as it was at the beginning; empty when they are at their own rate. */
  async shapedLinks({ name, first }: SiteHost): Promise<string> {
    const script = 'tc qdisc show; tc filter show dev eth0 parent ffff: 2>/dev/null; ip -o link show';
    const shown = await this.inNetwork(first, ['sh', '-c', script]);
    const left = shown
      .split('\n')
      .filter((line) => /^qdisc (?!(noqueue|pfifo_fast|fq_codel|mq) 0: )|^filter|^\d+: predict\d/.test(line));
    return left.length === 0 ? '' : `${name}: ${left.join('; ')}`;
  }

  /** Runs a command in the network of a process. */
  async inNetwork(id: number, command: readonly string[]): Promise<string> {
    return (await execa('nsenter', [`--net=/proc/${id}/ns/net`, ...command])).stdout;
  }

  /** Runs a command in the switch's network. */
  inSwitch(command: readonly string[]): Promise<string> {
    return this.inNetwork(this.#switch, command);
  }

  /** Sets the rate of a host's port, as tc writes it; null brings the lab's own back. */
  async rateAt({ port }: SiteHost, rate: string | null): Promise<void> {
    const htb = ['htb', 'rate', rate ?? LINE_RATE, 'ceil', rate ?? LINE_RATE, 'burst', '100kb', 'cburst', '100kb'];
    await this.inSwitch(['tc', 'class', 'change', 'dev', port, 'parent', '7077:', 'classid', '7077:2', ...htb]);
  }

  #inGroup(name: string): Process[] {
    const path = join(this.#groups.roots[0] ?? '', name, 'cgroup.procs');
    const ids = readGroup(path);
    return ids.flatMap((id) => lookAt(id) ?? []);
  }
}

function readGroup(path: string): number[] {
  try {
    return readFileSync(path, 'utf8').split('\n').filter(Boolean).map(Number);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new Error(`${basename(path)} of the lab cannot be read`, { cause: error });
  }
}

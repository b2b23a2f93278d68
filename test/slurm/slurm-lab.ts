import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll } from 'vitest';
import { programFile } from '../../agents/host-programs.ts';
import { projectRoot } from '../../base/paths.ts';
import { quoteAll } from '../../base/shell.ts';
import { type Host, headOf, withHead } from '../../inventory/inventory-schema.ts';
import { loadInventory } from '../../inventory/load-inventory.ts';
import { Cluster } from '../../orchestrator/hosts/cluster.ts';
import type { CommandOptions, CommandResult } from '../../orchestrator/hosts/executor.ts';
import { until } from '../lab/fixture.ts';
import { predict, predictJson } from '../lab/predict.ts';
import { MPI_CONF, plugstackConf, START, slurmConf, WITH_ANN } from './configuration.ts';

const PROGRAMS = ['/usr/sbin/slurmctld', '/usr/sbin/slurmd', '/usr/sbin/munged', '/usr/bin/srun'];
/** They come by: apt-get install --no-install-recommends slurm-wlm slurm-wlm-basic-plugins munge */
export const noSlurm = process.getuid?.() !== 0 || !PROGRAMS.every((path) => existsSync(path));
/** Its plugin is compiled against Debian's libslurm-dev. */
export const noSpank = noSlurm || !existsSync('/usr/include/slurm/spank.h');
export const NEEDS = 'under SLURM in a lab (needs root, slurm-wlm, slurm-wlm-basic-plugins and munge)';

/** A lab whose hosts are the nodes of a real SLURM, for one test file. */
export class SlurmLab {
  readonly folder: string;
  readonly #cluster: Cluster;

  constructor(cluster: Cluster, folder: string) {
    this.#cluster = cluster;
    this.folder = folder;
  }

  get head(): Host {
    return headOf(this.#cluster.inventory);
  }

  /** Runs a command on a host, the one that stands for a login node without a name. */
  run(command: string, { on, ...options }: CommandOptions & { readonly on?: string } = {}): Promise<CommandResult> {
    const host = withHead(this.#cluster.inventory).find(({ name }) => name === (on ?? this.head.name));
    if (!host) throw new Error(`no host ${on}`);
    return this.#cluster.on(host).exec(['sh', '-c', command], { timeoutMs: 180_000, ...options });
  }

  /** `predict` with these words, after others that bring it into an allocation. */
  predict(words: readonly string[], before: readonly string[] = []): Promise<CommandResult> {
    return this.run(quoteAll([...before, join(projectRoot(), 'predict'), ...words]));
  }

  /** An inventory for controllers on the hosts: these come from SLURM, and are reached without a relay. */
  inventory({ user = 'root', args = [] as readonly string[] } = {}): string {
    const { path, ssh, network, lineRate, work, sampling, mpi } = this.#cluster.inventory;
    const folder = work.folder ?? join(dirname(path), 'work');
    const file = join(this.folder, `inventory-${randomBytes(4).toString('hex')}.yaml`);
    const text = {
      cluster: 'slurm-lab',
      hosts: 'slurm',
      ssh: { user, key: ssh.key, knownHosts: ssh.knownHosts, config: 'none' },
      network,
      lineRate: `${lineRate}bit`,
      mpi: { env: mpi.env, args },
      work: user === 'root' ? { folder, shared: true } : {},
      sampling,
    };
    writeFileSync(file, JSON.stringify(text));
    return file;
  }

  /** Waits until SLURM says that so many nodes are idle. */
  async untilIdle(nodes: number): Promise<void> {
    const ask = async (): Promise<string> => (await this.run('sinfo -h -p main -t idle -o %D')).stdout.trim();
    const idle = await until(ask, (text) => text === String(nodes), 30);
    if (idle !== String(nodes)) {
      const logs = await this.run('sinfo; tail -n 5 /run/slurmctld.log');
      throw new Error(`${idle || 0} of ${nodes} nodes are idle after 30 s: ${logs.stdout}`);
    }
  }

  /** Makes the user ann on every host, who has no privileges anywhere. */
  async addAnn(): Promise<void> {
    const state = dirname(this.#cluster.inventory.path);
    // sshd reads a user's keys as that user.
    chmodSync(state, 0o711);
    chmodSync(join(state, 'slurm'), 0o755);
    await this.#cluster.onEach(withHead(this.#cluster.inventory), async (executor) => {
      const { exitCode, stderr } = await executor.exec(['sh', join(state, 'slurm', 'ann.sh')]);
      if (exitCode !== 0) throw new Error(`${executor.host}: no user ann: ${stderr}`);
    });
  }

  async start(cpus: number): Promise<void> {
    const { inventory } = this.#cluster;
    const state = join(dirname(inventory.path), 'slurm');
    mkdirSync(join(state, 'etc'), { recursive: true });
    writeFileSync(join(state, 'munge.key'), randomBytes(1024), { mode: 0o600 });
    const nodes = inventory.hosts.map(({ name }) => name);
    writeFileSync(join(state, 'etc', 'slurm.conf'), slurmConf({ nodes, cpus }));
    writeFileSync(join(state, 'etc', 'mpi.conf'), MPI_CONF);
    writeFileSync(join(state, 'start.sh'), START);
    writeFileSync(join(state, 'ann.sh'), WITH_ANN);
    if (!noSpank) {
      const plugin = join(state, 'predict-link.so');
      await execa('make', ['-s', '-C', join(projectRoot(), 'agents', 'spank'), `OUT=${plugin}`]);
      await execa('install', ['-m', '755', programFile('agent'), join(state, 'predict-agent')]);
      writeFileSync(join(state, 'etc', 'plugstack.conf'), plugstackConf(state));
    }
    // slurmctld first: slurmd asks it who it is.
    for (const hosts of [[this.head], inventory.hosts]) {
      await this.#cluster.onEach(hosts, async (executor) => {
        const { exitCode, stderr } = await executor.exec(['sh', join(state, 'start.sh'), state]);
        if (exitCode !== 0) throw new Error(`${executor.host}: SLURM did not start: ${stderr}`);
      });
    }
    await this.untilIdle(nodes.length);
  }
}

export async function slurmUp(
  name: string,
  { hosts, cpu = '6%', cpus = 4 }: { hosts: number; cpu?: string; cpus?: number },
) {
  await predict(['lab', 'down', '--name', name]);
  const flags = ['--name', name, '--hosts', String(hosts), '--cpu', cpu, '--link', '200mbit', '--root', '--json'];
  const { inventory } = await predictJson<{ inventory: string }>(['lab', 'up', ...flags]);
  const folder = mkdtempSync(join(tmpdir(), 'predict-slurm-test-'));
  const cluster = new Cluster(loadInventory(inventory));
  const lab = new SlurmLab(cluster, folder);
  await lab.start(cpus);
  return { lab, close: () => cluster.close() };
}

/** Brings it up before the tests of a file and down after them, with everything that SLURM started. */
export function useSlurm(name: string, options: { hosts: number; cpu?: string; cpus?: number }): () => SlurmLab {
  let up: Awaited<ReturnType<typeof slurmUp>> | undefined;
  beforeAll(async () => {
    up = await slurmUp(name, options);
  }, 180_000);
  afterAll(async () => {
    up?.close();
    await predict(['lab', 'down', '--name', name]);
    if (up) rmSync(up.lab.folder, { recursive: true, force: true });
  }, 60_000);
  return () => {
    if (!up) throw new Error('the lab is not up');
    return up.lab;
  };
}

/** The events of a campaign, in order. */
export function eventsOf(out: string): readonly { readonly kind: string; readonly [key: string]: unknown }[] {
  return readFileSync(join(out, 'events.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { execa } from 'execa';
import { afterAll, beforeAll } from 'vitest';
import { buildHostPrograms } from '../../agents/build.ts';

/** How a command ended, with what it printed. */
export interface Ended {
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** A process of the host, as /proc shows it. */
export interface HostProcess {
  readonly id: number;
  readonly words: readonly string[];
}

export interface EmulatedHost {
  /** Runs a shell script there. */
  readonly sh: (script: string) => Promise<Ended>;
  /** Runs `predict-agent link` there. */
  readonly link: (...args: readonly string[]) => Promise<Ended>;
  /** Signals processes of this host, and no others; one that has ended is passed over. */
  readonly signal: (name: NodeJS.Signals, ...ids: readonly (number | undefined)[]) => void;
  /** Its processes, but for the one that holds its namespaces. */
  readonly processes: () => readonly HostProcess[];
  readonly keepers: (device: string) => readonly number[];
  readonly agent: () => string;
}

/** A host of network and mount namespaces of its own, with an empty /run; gone after the test file. Needs root. */
export function useEmulatedHost(): EmulatedHost {
  let holder: ChildProcess;
  let agent = '';
  let space = '';
  beforeAll(async () => {
    agent = (await buildHostPrograms()).agent;
    const setUp =
      'mount -t tmpfs -o mode=755 tmpfs /run && mount -t sysfs sysfs /sys && ip link set lo up && echo ready';
    const words = ['--net', '--mount', '--', 'sh', '-c', `${setUp} && exec sleep 600`];
    holder = spawn('unshare', words, { stdio: ['ignore', 'pipe', 'inherit'] });
    if (holder.stdout) await once(holder.stdout, 'data');
    const own = readlinkSync('/proc/self/ns/net');
    const theirs = readlinkSync(`/proc/${holder.pid}/ns/net`);
    if (theirs === own) throw new Error('the emulated host shares the network of this machine');
    space = theirs;
  });
  const processes = (): readonly HostProcess[] => {
    return readdirSync('/proc').flatMap((entry) => {
      const id = Number(entry);
      if (!(id > 0) || id === holder.pid) return [];
      try {
        if (readlinkSync(`/proc/${id}/ns/net`) !== space) return [];
        const words = readFileSync(`/proc/${id}/cmdline`, 'utf8').split('\0').slice(0, -1);
        return words.length === 0 ? [] : [{ id, words }];
      } catch {
        return [];
      }
    });
  };
  const signal = (name: NodeJS.Signals, ...ids: readonly (number | undefined)[]): void => {
    for (const id of ids) {
      if (id === undefined || !(id > 1)) throw new Error(`there is no process ${id}`);
      try {
        if (readlinkSync(`/proc/${id}/ns/net`) === space) process.kill(id, name);
      } catch (error) {
        if (!['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
      }
    }
  };
  afterAll(() => {
    signal('SIGKILL', ...processes().map(({ id }) => id));
    holder.kill('SIGKILL');
  });
  const inside = async (...words: readonly string[]): Promise<Ended> => {
    const space = ['-t', String(holder.pid), '--net', '--mount', '--'];
    const { exitCode, stdout, stderr } = await execa('nsenter', [...space, ...words], {
      reject: false,
      timeout: 300_000,
    });
    return { exitCode, stdout, stderr };
  };
  return {
    processes,
    signal,
    agent: () => agent,
    sh: (script) => inside('sh', '-c', script),
    link: (...args) => inside(agent, 'link', ...args),
    keepers: (device) =>
      processes()
        .filter(({ words }) => words[1] === 'keep' && words.at(-1) === device)
        .map(({ id }) => id),
  };
}

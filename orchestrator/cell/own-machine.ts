import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Host, Inventory } from '../../inventory/inventory-schema.ts';
import { areRootless } from '../../inventory/lab/spec.ts';
import { cpuSeconds, rootlessLabCpu } from '../../inventory/lab/user-namespace.ts';

/** What the machine of the controller did up to a moment, seconds of one core; `at` is seconds of its own clock. */
interface Reading {
  readonly at: number;
  /** All programs together, without interrupts, which the run's messages cause. */
  readonly busyS: number;
  /** What the hypervisor gave to others. */
  readonly stealS: number;
  /** This program with the children that it waited for, and the hosts that live in this machine. */
  readonly oursS: number;
}

/** Cores of the machine that neither a sweep nor its hosts used, on average between two readings. */
export interface ForeignCpu {
  readonly cores: number;
  /** Of them the hypervisor's. */
  readonly stolen: number;
  readonly of: number;
}

/**
 * Watches the controller's own machine where the hosts live in it (their control groups or processes are found here), as those of a lab
 * do: what others compute there is taken from all hosts. Null where they live elsewhere: their own samplers tell.
 */
export function watchOwnMachine(inventory: Inventory, hosts: readonly Host[]): (() => ForeignCpu) | null {
  const hostsUsed = usageOf(inventory, hosts);
  if (hostsUsed === null) return null;
  const before = read(hostsUsed());
  return () => foreignBetween(before, read(hostsUsed()), availableParallelism());
}

/** What reads how much the hosts have used, seconds of one core; null where not all of them are in this machine. */
function usageOf(inventory: Inventory, hosts: readonly Host[]): (() => number) | null {
  const { cluster, sampling } = inventory;
  if (hosts.length === 0) return null;
  if (areRootless(inventory)) return rootlessLabCpu(cluster) === null ? null : () => rootlessLabCpu(cluster) ?? 0;
  const files = hosts.map(({ name }) => usageFile(sampling.cgroup, name)).filter((file) => file !== null);
  if (files.length < hosts.length) return null;
  return () => files.map((file) => usedSeconds(file) ?? 0).reduce((total, seconds) => total + seconds, 0);
}

/** Between two readings of a machine with so many cores; never below 0, whatever the clocks' grain. */
export function foreignBetween(before: Reading, after: Reading, cores: number): ForeignCpu {
  const seconds = Math.max(after.at - before.at, 1e-3);
  const grown = (key: 'busyS' | 'stealS' | 'oursS'): number => Math.max(after[key] - before[key], 0) / seconds;
  const stolen = grown('stealS');
  return { cores: Math.max(grown('busyS') - grown('oursS'), 0) + stolen, stolen, of: cores };
}

/** The file that counts what a host's control group used; null where it is not on this machine. */
function usageFile(folders: readonly string[], host: string): string | null {
  const files = folders.flatMap((folder) => {
    const own = folder.replaceAll('{host}', host);
    return [join(own, 'cpuacct.usage'), join(own, 'cpu.stat')];
  });
  return files.find((file) => usedSeconds(file) !== null) ?? null;
}

/** Of a control group: cpuacct.usage (v1) in ns, or usage_usec of cpu.stat (v2). */
function usedSeconds(file: string): number | null {
  try {
    const text = readFileSync(file, 'utf8');
    const micros = /^usage_usec (\d+)$/m.exec(text)?.[1];
    if (file.endsWith('cpu.stat')) return micros === undefined ? null : Number(micros) / 1e6;
    return Number(text) / 1e9;
  } catch {
    return null;
  }
}

/** Ticks of the counters in /proc. */
const HZ = 100;

function read(hostsS: number): Reading {
  // proc(5): user nice system idle iowait irq softirq steal ..., of all cores; guests' time is in user.
  const [, user = 0, nice = 0, system = 0, , , , , steal = 0] = (
    /^cpu .*$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[0] ?? ''
  )
    .split(/\s+/)
    .map(Number);
  return {
    at: performance.now() / 1000,
    busyS: (user + nice + system) / HZ,
    stealS: steal / HZ,
    oursS: cpuSeconds('self') + hostsS,
  };
}

import { constants } from 'node:os';
import { scriptWords, sh } from '../../base/shell.ts';
import type { Host } from '../../inventory/inventory-schema.ts';
import type { Cluster } from '../hosts/cluster.ts';

/** A process that the kernel ended because memory ran out; what it was where the kernel's log may be read. */
export interface Kill {
  readonly host: string;
  readonly program: { readonly name: string; readonly pid: number; readonly residentBytes: number } | null;
}

const ASK = sh`grep '^oom_kill ' /proc/vmstat; dmesg 2>/dev/null | grep 'Killed process' | tail -n 20`;

/**
 * What the OOM killer ended on hosts since `before`, its count there, was read: the count is everybody's to read, the names
 * only where the SSH user may read the kernel's log. A host without a count or out of reach tells nothing.
 */
export async function killsSince(
  cluster: Cluster,
  hosts: readonly Host[],
  before: ReadonlyMap<string, number>,
): Promise<readonly Kill[]> {
  const found = await cluster.onEach(hosts, async (executor, { name }) => {
    const count = before.get(name);
    if (count === undefined) return [];
    const result = await executor.exec(scriptWords(ASK), { timeoutMs: 10_000 }).catch(() => null);
    return result === null ? [] : readKills(name, result.stdout, count);
  });
  return found.flat();
}

/** mm/oom_kill.c, `__oom_kill_process`: "Killed process PID (NAME) total-vm:..kB, anon-rss:..kB, file-rss:..kB, shmem-rss:..kB". */
export function readKills(host: string, text: string, before: number): readonly Kill[] {
  const fresh = Number(/^oom_kill (\d+)$/m.exec(text)?.[1] ?? before) - before;
  if (fresh <= 0) return [];
  const named = text
    .split('\n')
    .flatMap((line) => {
      const told = line.slice(line.indexOf('Killed process '));
      const found = /^Killed process (\d+) \((.*?)\) (.*)$/s.exec(told);
      return found === null ? [] : [found];
    })
    .slice(-fresh);
  if (named.length === 0) return [{ host, program: null }];
  return named.map(([, pid, name = '', sizes = '']) => {
    const kib = [...sizes.matchAll(/-rss:(\d+)kB/g)].reduce((sum, [, size]) => sum + Number(size), 0);
    return { host, program: { name, pid: Number(pid), residentBytes: kib * 1024 } };
  });
}

const NAMES = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

/** `SIGKILL` for 9, `KILL` or `SIGKILL`. */
export function signalName(signal: number | string): string {
  if (typeof signal === 'string') return signal.startsWith('SIG') ? signal : `SIG${signal}`;
  return NAMES.get(signal) ?? `signal ${signal}`;
}

/** The signal that ended a command by what its shell says: 128 and its number (POSIX, Shell Command Language 2.8.2); null for other codes. */
export function signalOfShell(exitCode: number): string | null {
  return NAMES.get(exitCode - 128) ?? null;
}

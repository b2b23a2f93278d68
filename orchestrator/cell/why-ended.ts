import { constants } from 'node:os';
import { basename } from 'node:path';
import { at } from '../../base/lists.ts';
import { scriptWords, sh } from '../../base/shell.ts';
import { formatBytes } from '../../base/units.ts';
import type { Workload } from '../../experiments/workloads/workload.ts';
import type { Host } from '../../inventory/inventory-schema.ts';
import type { Cluster } from '../hosts/cluster.ts';
import type { CommandResult } from '../hosts/executor.ts';
import type { Launcher, RankDeath, Refusal } from '../launchers/launcher.ts';
import { LAUNCHERS } from '../launchers/launchers.ts';

/** Why a run is no result of its program: one sentence, and the host that it is about where that is known. */
interface JobFault {
  readonly text: string;
  readonly host: string | undefined;
  /** Its own memory ended it: where that happens every time, the program does not fit its hosts. */
  readonly outgrew: boolean;
  /** It may be the program's own, so that the last try's word is taken for it. */
  readonly maybeOwn?: true;
  /** No other try can mend it; the kind of error that it is. */
  readonly final?: Refusal['kind'];
}

interface Death {
  /** What died, as it is named to people. */
  readonly what: string;
  readonly host: string | undefined;
  readonly signal: string;
}

/**
 * Signals that reach a program from outside: the OOM killer, an administrator, a batch system, a connection that is gone. The
 * others (SEGV, ABRT, FPE, ...) are a program's own faults.
 */
const FROM_OUTSIDE: readonly string[] = [
  ...['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGKILL', 'SIGUSR1', 'SIGUSR2', 'SIGPIPE', 'SIGTERM', 'SIGPWR'],
];

/**
 * What outside the program ended a job: a signal sent to a rank, the launcher or the guard, or what the launcher says of the
 * cluster; null when the job's end is the program's own. `killsBefore` is the OOM killer's count on each host at the start,
 * `program` the path of what ranks run, `launched` how the workload was started.
 */
export async function jobFault(
  cluster: Cluster,
  hosts: readonly Host[],
  {
    result,
    killsBefore,
    program,
    launched = 'ranks',
  }: {
    readonly result: CommandResult;
    readonly killsBefore: ReadonlyMap<string, number>;
    readonly program: string;
    readonly launched?: Workload['launch'];
  },
): Promise<JobFault | null> {
  if (result.timedOut || result.printedTooMuch) return null;
  // A harness tells of its ranks by itself, and a watched job has none; of the launcher's words only its runs' logs know.
  if (launched !== 'ranks' && result.exitCode !== null) return null;
  const launcher = LAUNCHERS[cluster.inventory.mpi.launcher];
  const others = launcher.endedByOthers?.(result.stderr) ?? null;
  if (others !== null) return endedByOthers(launcher, { others, stderr: result.stderr }, hosts);
  if (result.exitCode === 0) return null;
  const refusal = launcher.refusal?.(result.stderr) ?? null;
  if (refusal !== null) return { ...faultAt(undefined, refusal.text), final: refusal.kind };
  const crash = launcher.crashAtStart?.(result) ?? null;
  if (crash !== null) return crashed(crash, hosts);
  const death = deathOf(launcher, result, hosts);
  if (death === null) return launcherFault(launcher, result.stderr, hosts);
  if (!FROM_OUTSIDE.includes(death.signal)) return null;
  const suspects = hosts.filter(({ name }) => death.host === undefined || death.host === name);
  const kills = death.signal === 'SIGKILL' ? await killsSince(cluster, suspects, killsBefore) : [];
  const own = kills.find(({ program: victim }) => victim?.name === kernelName(program));
  const kill = own ?? kills[0];
  if (kill) return { ...faultAt(kill.host, `${killed(kill)}.`), outgrew: own !== undefined };
  return faultAt(death.host, `${death.what} was killed from outside by ${death.signal}.`);
}

/** What is said of a run, of a host where one is known. */
function faultAt(host: string | undefined, text: string): JobFault {
  return { text: host === undefined ? text : `${host}: ${text}`, host, outgrew: false };
}

/** The host that a launcher names, if it is one of the run. */
function findHost(hosts: readonly Pick<Host, 'name'>[], told: string | undefined): string | undefined {
  return hosts.find(({ name }) => name === told)?.name;
}

/** What the kernel calls a program: TASK_COMM_LEN in linux/sched.h is 16, with the byte that ends it. */
function kernelName(path: string): string {
  return basename(path).slice(0, 15);
}

function killed({ program }: Kill): string {
  const what = program
    ? `${program.name} (pid ${program.pid}, ${formatBytes(program.residentBytes)})`
    : 'a process of the run';
  return `the kernel's OOM killer ended ${what}`;
}

/** Whom a signal ended; null when none did. */
function deathOf(
  launcher: Launcher,
  { host, exitCode: last, signal, stderr }: Pick<CommandResult, 'host' | 'exitCode' | 'signal' | 'stderr'>,
  hosts: readonly Pick<Host, 'name'>[],
): Death | null {
  const exitCode = launcher.ownExit?.(stderr) ?? last;
  if (exitCode === null) {
    return signal === null ? null : { what: "the launcher's guard", host, signal: signalName(signal) };
  }
  const rank = launcher.death(stderr);
  if (rank) {
    const pid = rank.pid === undefined ? '' : ` (pid ${rank.pid})`;
    const what = `${rank.rank === undefined ? 'a rank' : `rank ${rank.rank}`}${pid}`;
    return { what, host: findHost(hosts, rank.host), signal: signalName(rank.signal) };
  }
  const ended = signalOfShell(exitCode);
  if (ended !== null) return { what: 'the launcher', host, signal: ended };
  return launcher.wasToldToEnd?.(exitCode, stderr) && !launcher.faults.test(stderr)
    ? { what: 'the launcher', host, signal: 'SIGTERM' }
    : null;
}

function endedByOthers(
  { lostHost }: Launcher,
  { others, stderr }: { readonly others: string; readonly stderr: string },
  hosts: readonly Host[],
): JobFault {
  const host = findHost(hosts, lostHost.exec(stderr)?.groups?.host);
  return faultAt(host, `The run was ended by something other than the program: ${others}.`);
}

function crashed({ rank, host }: RankDeath, hosts: readonly Host[]): JobFault {
  const text = `rank ${rank} crashed (SIGSEGV) before any output, as MPI_Init under this launcher occasionally does.`;
  return { ...faultAt(findHost(hosts, host), text), maybeOwn: true };
}

/** What the launcher says first of the cluster: the lines up to a blank one, in the middle of whatever the program printed. */
function launcherFault({ faults, lostHost }: Launcher, stderr: string, hosts: readonly Host[]): JobFault | null {
  const match = faults.exec(stderr);
  if (!match) return null;
  const start = stderr.lastIndexOf('\n', match.index) + 1;
  const paragraph = at(stderr.slice(start).split(/\n\s*\n|\n-{20}/), 0);
  const said = paragraph.split('\n').slice(0, 3).join(' ').replace(/\s+/g, ' ').trim();
  const host = findHost(hosts, lostHost.exec(stderr)?.groups?.host);
  return faultAt(host, `The launcher could not start or keep the run: ${said}`);
}

/** A process that the kernel ended because memory ran out; what it was where the kernel's log may be read. */
interface Kill {
  readonly host: string;
  readonly program: { readonly name: string; readonly pid: number; readonly residentBytes: number } | null;
}

const ASK = sh`grep '^oom_kill ' /proc/vmstat; dmesg 2>/dev/null | grep 'Killed process' | tail -n 20`;

/**
 * What the OOM killer ended on hosts since `before`, its count there, was read: the count is everybody's to read, the names
 * only where the SSH user may read the kernel's log. A host without a count or out of reach tells nothing.
 */
async function killsSince(
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
function signalName(signal: number | string): string {
  if (typeof signal === 'string') return signal.startsWith('SIG') ? signal : `SIG${signal}`;
  return NAMES.get(signal) ?? `signal ${signal}`;
}

/** The signal that ended a command by what its shell says: 128 and its number (POSIX, Shell Command Language 2.8.2); null for other codes. */
export function signalOfShell(exitCode: number): string | null {
  return NAMES.get(exitCode - 128) ?? null;
}

import { spawn } from 'node:child_process';
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { predict } from '../lab/predict.ts';
import { type Fault, LEASE_S } from './language.ts';
import { type Process, sayProcess, signal } from './processes.ts';
import type { Site, SiteHost } from './site.ts';
import { type Sweep, type SweepPlan, sweepArguments } from './sweep.ts';
import { ranksRun, victims } from './victims.ts';

export interface Stage {
  readonly site: Site;
  readonly sweep: Sweep;
  readonly plan: SweepPlan;
  /** Seconds that a sweep of these cells takes when nothing disturbs it. */
  readonly quietS: number;
  /** Ends when the sweep has ended: what has not struck by then has missed. */
  readonly over: AbortSignal;
}

/** What a fault did: to whom, when (as performance.now()), and how it is taken back. `undo` says what is wrong if somebody else changed what it set. */
export interface Blow extends Effect {
  readonly at: number;
}

interface Effect {
  readonly to: string;
  readonly undo: () => Promise<string | null>;
}

const LOOK_MS = 15;
const nothing = async (): Promise<null> => null;

/** Waits for a fault's moment and its victim, and strikes; null when the sweep ended before. */
export async function strike(fault: Fault, stage: Stage): Promise<Blow | null> {
  if (!(await reached(fault, stage))) return null;
  // An earlier fault may have ended the host.
  const blow = await deal(fault, stage).catch((error: unknown) => {
    if (stage.site.isWhole()) throw error;
    return null;
  });
  if (blow === null) return null;
  const at = performance.now();
  // A host that an earlier fault ended has nothing to take back.
  const undo = (): Promise<string | null> =>
    blow.undo().catch((error: unknown) => (stage.site.isWhole() ? `what a fault did stays: ${error}` : null));
  if (fault.seconds === null) return { to: blow.to, at, undo };
  // Taken back after its time, also when the sweep has ended before.
  const undone = delay(fault.seconds * 1000).then(undo);
  return { to: blow.to, at, undo: () => undone };
}

async function reached({ who, when }: Fault, { site, sweep, quietS, over }: Stage): Promise<boolean> {
  if ('share' in when) return pause(when.share * quietS * 1000 - (performance.now() - sweep.begunAt), over);
  // Only throttled links have keepers.
  const counts = (bw: number): boolean => !who.startsWith('keeper') || bw < 100;
  const started = (): boolean => sweep.startedBandwidths().filter(counts).length > when.cell;
  if (!(await untilTrue(started, over))) return false;
  if (when.step !== 'setting' && !(await untilTrue(() => ranksRun(site), over))) return false;
  if (when.step === 'collecting' && !(await untilTrue(() => !ranksRun(site), over))) return false;
  return pause(when.delayMs, over);
}

async function deal(fault: Fault, stage: Stage): Promise<Effect | null> {
  const { site, plan, over } = stage;
  // Runs take the first hosts; one that no cell needs is not worth striking.
  const used = Math.max(...plan.cells.map((cell) => Number(cell.split(':')[0])));
  const host = site.hosts[Math.floor(fault.pick * used)] as SiteHost;
  switch (fault.who) {
    case 'link':
      return onLink(fault, { site, host });
    case 'host':
      signal(host.first, 'SIGKILL');
      return { to: host.name, undo: nothing };
    case 'store disk':
      return fill(join(plan.out, '..', 'filler'), 'the store');
    case 'host disk':
      return fill(`/proc/${host.first}/root/run/filler`, host.name);
    case 'clock':
      writeFileSync(plan.clock?.file ?? '', String(Math.round((fault.pick - 0.5) * 7200)));
      return { to: 'the controller', undo: nothing };
    case 'neighbour':
      return asNeighbour(fault, { site, host, plan });
    default: {
      const found = await untilFound(() => victims(fault.who, fault.pick, stage), over);
      return found && onProcesses(fault, found);
    }
  }
}

function onProcesses({ how }: Fault, found: readonly Process[]): Effect | null {
  const isFrozen = how === 'STOP' || how === 'hang';
  const name: NodeJS.Signals = isFrozen ? 'SIGSTOP' : (`SIG${how}` as NodeJS.Signals);
  const struck = found.filter(({ id }) => signal(id, name));
  if (struck.length === 0) return null;
  const undo = async (): Promise<null> => {
    for (const { id } of struck) signal(id, 'SIGCONT');
    return null;
  };
  return { to: struck.map(sayProcess).join(', '), undo: isFrozen ? undo : nothing };
}

async function onLink(
  { how }: Fault,
  { site, host }: { readonly site: Site; readonly host: SiteHost },
): Promise<Effect> {
  if (how === 'slow') {
    await site.rateAt(host, '2mbit');
    return { to: host.name, undo: () => site.rateAt(host, null).then(nothing) };
  }
  const set = (state: string): Promise<null> => site.inSwitch(['ip', 'link', 'set', host.port, state]).then(nothing);
  await set('down');
  return { to: host.name, undo: () => set('up') };
}

/** Writes until nothing more goes in. */
function fill(path: string, to: string): Effect {
  for (const bytes of [65_536, 512]) {
    try {
      for (;;) appendFileSync(path, Buffer.alloc(bytes));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }
  return {
    to,
    undo: async () => {
      rmSync(path, { force: true });
      return null;
    },
  };
}

async function asNeighbour(
  { how, pick }: Fault,
  { site, host, plan }: { readonly site: Site; readonly host: SiteHost; readonly plan: SweepPlan },
): Promise<Effect> {
  const command = async (args: readonly string[]): Promise<Effect> => {
    const { exitCode } = await predict([...args], { timeout: 300_000 });
    return { to: `all hosts, which ended with exit ${exitCode}`, undo: nothing };
  };
  switch (how) {
    case 'clear':
      return command(['throttle', 'clear', '--inventory', plan.inventory]);
    case 'set':
      return command(['throttle', 'set', '--inventory', plan.inventory, '--bw', '30', '--lease', `${LEASE_S}s`]);
    case 'sweep':
      return command(sweepArguments(plan));
    case 'qdisc': {
      await site.inNetwork(host.first, ['tc', 'qdisc', 'replace', 'dev', 'eth0', 'root', 'handle', '1:', 'pfifo']);
      return {
        to: host.name,
        undo: async () => {
          const shown = await site.inNetwork(host.first, ['tc', 'qdisc', 'show', 'dev', 'eth0']);
          if (!shown.includes('qdisc pfifo 1: root')) return `the neighbour's qdisc on ${host.name} was replaced`;
          await site.inNetwork(host.first, ['tc', 'qdisc', 'del', 'dev', 'eth0', 'root']);
          return null;
        },
      };
    }
    default: {
      const other = site.hosts[(site.hosts.indexOf(host) + 1) % site.hosts.length] as SiteHost;
      const id = how === 'burns' ? burn(site, host) : flood(host, { to: other, megabits: 40 + 120 * pick });
      return {
        to: host.name,
        undo: async () => {
          signal(id, 'SIGKILL');
          return null;
        },
      };
    }
  }
}

/** A busy loop within the host's share of the CPU. */
function burn(site: Site, host: SiteHost): number {
  const enter = 'for group; do echo $$ > "$group/cgroup.procs"; done; while :; do :; done';
  const groups = site.groupRoots.map((root) => join(root, host.name));
  return spawn('sh', ['-c', enter, 'sh', ...groups], { stdio: 'ignore' }).pid ?? 0;
}

/** Datagrams from one host to another, beside whatever is measured. */
function flood(host: SiteHost, { to, megabits }: { readonly to: SiteHost; readonly megabits: number }): number {
  const perTick = Math.round((megabits * 1e6 * 0.01) / 8 / 1400);
  const script =
    `const socket = require('node:dgram').createSocket('udp4'); const block = Buffer.alloc(1400);` +
    `setInterval(() => { for (let n = 0; n < ${perTick}; n += 1) socket.send(block, 9, '${to.name}', () => {}); }, 10);`;
  const enter = ['-t', String(host.first), '--net', '--mount', process.execPath, '-e', script];
  return spawn('nsenter', enter, { stdio: 'ignore' }).pid ?? 0;
}

async function untilFound<T>(look: () => T[], over: AbortSignal): Promise<T[] | null> {
  let found: T[] = [];
  const isThere = (): boolean => {
    found = look();
    return found.length > 0;
  };
  return (await untilTrue(isThere, over)) ? found : null;
}

async function untilTrue(holds: () => boolean, over: AbortSignal): Promise<boolean> {
  while (!over.aborted) {
    if (holds()) return true;
    if (!(await pause(LOOK_MS, over))) return false;
  }
  return false;
}

/** False when the sweep ended meanwhile. */
function pause(ms: number, over: AbortSignal): Promise<boolean> {
  return delay(Math.max(0, ms), true, { signal: over }).catch(() => false);
}

import { hostname } from 'node:os';
import type { Host } from '../../../inventory/inventory-schema.ts';
import type { Cluster } from '../../hosts/cluster.ts';
import { type HostTask, launchHere, launchOn, type RunningAgent, startAgent } from './agents.ts';
import { type Channel, HostWatch } from './host-watch.ts';
import { findConnections, reversed } from './joined.ts';

/** What is started or watched, and where. */
export interface TeamOptions {
  readonly hz: number;
  readonly sliceS: number;
  /** On this machine; null where nothing is. */
  readonly local: HostTask | null;
  /** The same on hosts of an inventory. Hosts where nothing is named are watched for what others are connected to. */
  readonly remote: {
    readonly cluster: Cluster;
    readonly tasks: readonly { readonly host: Host; readonly task: HostTask }[];
  } | null;
}

/** One host of the team. */
export interface TeamHost {
  readonly watch: HostWatch;
  readonly hasCommand: boolean;
  agent: RunningAgent | null;
  /** Lines behind the slice with which the next period begins. */
  readonly waiting: string[];
  isPast: boolean;
  isOver: boolean;
}

interface TeamListener {
  /** Some host has more lines waiting. */
  readonly onLine: () => void;
  readonly onPrinted: (text: string) => void;
  /** How the commands of a host's pipeline ended, where its shell told. */
  readonly onStatuses: (host: TeamHost, codes: readonly number[]) => void;
}

/** The agents on all hosts of a job: they are started together, and end when the job does. */
export class AgentTeam {
  readonly hosts: TeamHost[] = [];
  readonly #options: TeamOptions;
  /** When the other end of each connection was asked for first, ns on this machine's clock. */
  readonly #followed = new Map<Channel, number>();

  constructor(options: TeamOptions) {
    this.#options = options;
  }

  async start(listener: TeamListener): Promise<void> {
    const { local, remote } = this.#options;
    // Hosts that only wait for others first, then the commands from the last one on: who takes data is there before who sends it.
    const tasks = (remote?.tasks ?? [])
      .toReversed()
      .sort((a, b) => Number(a.task.command !== null) - Number(b.task.command !== null));
    for (const { host, task } of tasks) {
      if (remote !== null) await this.#begin(host.name, { task, launch: launchOn(remote.cluster, host) }, listener);
    }
    if (local !== null) await this.#begin(hostname(), { task: local, launch: launchHere }, listener);
  }

  async #begin(
    name: string,
    { task, launch }: { readonly task: HostTask; readonly launch: Parameters<typeof startAgent>[2] },
    { onLine, onPrinted, onStatuses }: TeamListener,
  ): Promise<void> {
    const { hz, sliceS } = this.#options;
    const hasCommand = task.command !== null;
    const watch = new HostWatch(name, hasCommand);
    const host: TeamHost = { watch, hasCommand, agent: null, waiting: [], isPast: false, isOver: false };
    this.hosts.push(host);
    let begun = (): void => undefined;
    const runs = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const take = (line: string): void => {
      if (line.startsWith('slice\t')) begun();
      host.waiting.push(line);
      onLine();
    };
    const options = { ...task, hz, sliceS, onPrinted, onLine: take };
    host.agent = await startAgent(name, { ...options, onStatuses: (codes) => onStatuses(host, codes) }, launch);
    // Its command has run for a slice: it listens where others will send.
    if (hasCommand) await Promise.race([runs, host.agent.done]);
  }

  stop(): void {
    for (const { agent } of this.hosts) agent?.stop();
  }

  /** Waits for all of them; `onOver` hears of each that ended, and why where that was no good end. */
  async ended(onOver: (host: TeamHost, failure: string | null) => void): Promise<void> {
    await Promise.all(
      this.hosts.map(async (host) => {
        const failure = (await host.agent?.done) ?? null;
        host.isOver = true;
        onOver(host, failure);
      }),
    );
  }

  /** Ends them, and comes back when they are gone, whatever happened before. */
  async dismiss(): Promise<void> {
    this.stop();
    await Promise.allSettled(this.hosts.map(({ agent }) => agent?.done));
  }

  /** Whether what was watched is over: all commands ended, or one of the agents that watch others has nothing left. */
  isDone(): boolean {
    const commands = this.hosts.filter(({ hasCommand }) => hasCommand);
    return commands.length > 0 ? commands.every(({ isOver }) => isOver) : this.hosts.some(({ isOver }) => isOver);
  }

  /** The other ends of connections are looked for on the other hosts. */
  followOthers(): void {
    if (this.hosts.length < 2) return;
    const held = this.hosts.flatMap(({ watch }) => findConnections(watch));
    const names = new Set(held.map(({ name }) => name));
    for (const channel of held) {
      const other = reversed(channel.name);
      if (names.has(other) || this.#followed.has(channel)) continue;
      this.#followed.set(channel, Date.now() * 1e6);
      for (const { agent, watch, isOver } of this.hosts) {
        if (watch.host !== channel.host && !isOver) agent?.follow(other);
      }
    }
  }

  /** When a connection's other end was asked for, ns; 0 where nobody did. */
  followedNs(channel: Channel): number {
    return this.#followed.get(channel) ?? 0;
  }
}

/** A line for each host with a command. */
export function commandsText({ remote, local }: Pick<TeamOptions, 'remote' | 'local'>): string | null {
  const lines = (remote?.tasks ?? []).flatMap(({ host, task: { command } }) =>
    command === null ? [] : [`${host.name}: ${command}`],
  );
  if (local !== null && local.command !== null) lines.push(local.command);
  return lines.length === 0 ? null : lines.join('\n');
}

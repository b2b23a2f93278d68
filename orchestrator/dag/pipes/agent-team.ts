import { hostname } from 'node:os';
import type { Host } from '../../../inventory/inventory-schema.ts';
import type { Cluster } from '../../hosts/cluster.ts';
import { type AgentOptions, type HostTask, type RunningAgent, startLocalAgent, startRemoteAgent } from './agents.ts';
import { HostWatch } from './host-watch.ts';
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
  /** How the commands of its pipeline ended, where its shell told. */
  statuses: readonly number[];
  isPast: boolean;
  isOver: boolean;
}

/** The agents on all hosts of a job: they are started together, and end when the job does. */
export class AgentTeam {
  readonly hosts: TeamHost[] = [];
  readonly #options: TeamOptions;
  /** When the other end of each connection was asked for first, ns on this machine's clock. */
  readonly #followed = new Map<string, number>();

  constructor(options: TeamOptions) {
    this.#options = options;
  }

  async start({
    onLine,
    onPrinted,
    onStatuses,
  }: {
    onLine: () => void;
    onPrinted: AgentOptions['onPrinted'];
    onStatuses: (host: TeamHost) => void;
  }): Promise<void> {
    const { hz, sliceS, local, remote } = this.#options;
    const begin = async (
      name: string,
      task: HostTask,
      start: (options: AgentOptions) => Promise<RunningAgent>,
    ): Promise<void> => {
      const hasCommand = task.command !== null;
      const host: TeamHost = {
        ...{ watch: new HostWatch(name, hasCommand), hasCommand, agent: null, waiting: [] },
        ...{ isPast: false, isOver: false, statuses: [] },
      };
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
      const takeStatuses = (codes: readonly number[]): void => {
        host.statuses = codes;
        onStatuses(host);
      };
      host.agent = await start({ ...task, hz, sliceS, onPrinted, onLine: take, onStatuses: takeStatuses });
      // Its command has run for a slice: it listens where others will send.
      if (hasCommand) await Promise.race([runs, host.agent.done]);
    };
    // Hosts that only wait for others first, then the commands from the last one on: who takes data is there before who sends it.
    const tasks = (remote?.tasks ?? [])
      .toReversed()
      .sort((a, b) => Number(a.task.command !== null) - Number(b.task.command !== null));
    for (const { host, task } of tasks) {
      await begin(host.name, task, (given) =>
        startRemoteAgent((remote as NonNullable<typeof remote>).cluster, host, given),
      );
    }
    if (local !== null) await begin(hostname(), local, (given) => startLocalAgent(hostname(), given));
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
    const names = new Set(held.map(({ channel }) => channel));
    for (const { host, channel } of held) {
      const key = `${host} ${channel}`;
      if (names.has(reversed(channel)) || this.#followed.has(key)) continue;
      this.#followed.set(key, Date.now() * 1e6);
      for (const { agent, isOver } of this.hosts) {
        if (agent && agent.host !== host && !isOver) agent.follow(reversed(channel));
      }
    }
  }

  /** When a connection's other end was asked for, ns; 0 where nobody did. */
  followedNs(host: string, channel: string): number {
    return this.#followed.get(`${host} ${channel}`) ?? 0;
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

import { hostname } from 'node:os';
import { badInput } from '../../../base/index.ts';
import type { DagEdge, DagVertex } from '../../../experiments/dag/index.ts';
import type { Host } from '../../../inventory/index.ts';
import type { Cluster } from '../../hosts/cluster.ts';
import type { DagEnd, DagListener, DagSource } from '../source.ts';
import { parseAgentLine } from './agent-lines.ts';
import {
  type AgentOptions,
  agentFailed,
  type HostTask,
  type RunningAgent,
  startLocalAgent,
  startRemoteAgent,
} from './agents.ts';
import { HostWatch } from './host-watch.ts';
import { JobGraph, type LiveEdge, type LiveTask } from './job-graph.ts';
import { connectionsOf, type Joined, joinProcesses, programName, reversed } from './joined.ts';
import { Carried, type PressureOf, periodOf } from './period-of.ts';

export interface PipesOptions {
  readonly periodS: number;
  readonly hz: number;
  /** What is started or watched on this machine; null where nothing is. */
  readonly local: HostTask | null;
  /** The same on hosts of an inventory. Hosts where nothing is named are watched for what others are connected to. */
  readonly remote: {
    readonly cluster: Cluster;
    readonly tasks: readonly { readonly host: Host; readonly task: HostTask }[];
  } | null;
  /** Bytes of a record of the job's sources; null where people count in bytes. */
  readonly recordBytes: number | null;
  /** Of the links between hosts, bit/s, and percent of the line rate; null where nobody knows. */
  readonly link: { readonly rateBps: number; readonly bw: number } | null;
  readonly pressureOf: PressureOf;
}

/** Slices of a period, whose lengths are not below the agent's least. */
const SLICES = 20;
const [SHORTEST_SLICE_S, LONGEST_SLICE_S] = [0.02, 0.25];
/** Connections and tasks that are made as a job begins are there after so long. */
const SETTLE_MS = 5_000;
/** What an agent took in a shorter life is the cost of its start. */
const LEAST_LIFE_NS = 2e9;
/** A host that is so late is not waited for. */
const LATE_MS = 2_000;
/** A shorter part of a period at the end of a run is left out. */
const LEAST_PART = 0.5;

/** Processes that are joined by pipes and connections, here and on other hosts. */
export function pipesSource(options: PipesOptions): DagSource {
  return { watch: (listener, signal) => new PipesWatch(options, listener).run(signal) };
}

interface AgentState {
  readonly watch: HostWatch;
  readonly hasCommand: boolean;
  agent: RunningAgent | null;
  /** Lines behind the slice with which the next period begins. */
  readonly waiting: string[];
  isPast: boolean;
  isOver: boolean;
}

class PipesWatch {
  readonly #options: PipesOptions;
  readonly #listener: DagListener;
  readonly #graph = new JobGraph();
  readonly #carried = new Carried();
  readonly #states: AgentState[] = [];
  readonly #vertices = new Map<string, DagVertex>();
  readonly #edges = new Map<string, DagEdge>();
  readonly #gone = new Set<string>();
  readonly #told = new Set<string>();
  readonly #notes: string[] = [];
  readonly #outsiders = new Map<string, string>();
  /** When the other end of each connection was asked for first, ns on this machine's clock. */
  readonly #followed = new Map<string, number>();
  #begunNs: number | null = null;
  #startNs = 0;
  #hasBegun = false;
  #late: NodeJS.Timeout | undefined;
  #exitCode: number | null = null;
  #samplerShare: number | null = null;
  #refusal: { readonly error: unknown } | undefined;

  constructor(options: PipesOptions, listener: DagListener) {
    this.#options = options;
    this.#listener = listener;
  }

  async run(signal: AbortSignal): Promise<DagEnd> {
    const failures: string[] = [];
    const stopAll = (): void => {
      for (const { agent } of this.#states) agent?.stop();
    };
    let why = 'the watching was ended';
    try {
      await this.#startAll();
      signal.addEventListener('abort', stopAll, { once: true });
      if (signal.aborted) stopAll();
      await Promise.all(
        this.#states.map(async (state) => {
          const failure = await state.agent?.done;
          if (failure) failures.push(failure);
          if (failure && !signal.aborted) this.#tell(`${failure}: what it watched is missing from here on.`);
          state.isOver = true;
          this.#guarded(() => this.#advance());
          const commands = this.#states.filter(({ hasCommand }) => hasCommand);
          if (
            commands.length > 0 ? commands.every(({ isOver }) => isOver) : this.#states.some(({ isOver }) => isOver)
          ) {
            if (!signal.aborted) why = commands.length > 0 ? 'the command ended' : 'the watched processes ended';
            stopAll();
          }
        }),
      );
    } finally {
      signal.removeEventListener('abort', stopAll);
      clearTimeout(this.#late);
      stopAll();
      await Promise.allSettled(this.#states.map(({ agent }) => agent?.done));
    }
    this.#guarded(() => this.#close());
    if (this.#refusal !== undefined) throw this.#refusal.error;
    if (failures.length > 0 && failures.length === this.#states.length) throw agentFailed(failures[0] ?? '');
    if (!this.#hasBegun) throw badInput(this.#nothingSeen());
    return { why, exitCode: signal.aborted ? null : this.#exitCode, samplerShare: this.#samplerShare };
  }

  async #startAll(): Promise<void> {
    const { hz, periodS, local, remote } = this.#options;
    const sliceS = Math.min(LONGEST_SLICE_S, Math.max(SHORTEST_SLICE_S, periodS / SLICES));
    const begin = async (
      name: string,
      task: HostTask,
      start: (options: AgentOptions) => Promise<RunningAgent>,
    ): Promise<void> => {
      const state: AgentState = {
        ...{
          watch: new HostWatch(name, task.command !== null),
          hasCommand: task.command !== null,
          agent: null,
          waiting: [],
        },
        ...{ isPast: false, isOver: false },
      };
      this.#states.push(state);
      state.agent = await start({
        ...{ ...task, hz, sliceS, onPrinted: this.#listener.onPrinted },
        onLine: (line) => {
          state.waiting.push(line);
          this.#guarded(() => this.#advance());
        },
      });
    };
    // Hosts that only wait for others first, then in the order that was given.
    const tasks = [...(remote?.tasks ?? [])].sort(
      (a, b) => Number(a.task.command !== null) - Number(b.task.command !== null),
    );
    for (const { host, task } of tasks) {
      await begin(host.name, task, (given) =>
        startRemoteAgent((remote as NonNullable<typeof remote>).cluster, host, given),
      );
    }
    if (local !== null) await begin(hostname(), local, (given) => startLocalAgent(hostname(), given));
  }

  /** What a listener refuses ends the watching: the agents are told to end, and `run` throws it. */
  #guarded(task: () => void): void {
    if (this.#refusal !== undefined) return;
    try {
      task();
    } catch (error) {
      this.#refusal = { error };
      for (const { agent } of this.#states) agent?.stop();
    }
  }

  /** Takes what came as far as the period goes on all hosts. */
  #advance(): void {
    for (const state of this.#states) this.#drain(state);
    const open = this.#states.filter(({ isOver, waiting }) => !isOver || waiting.length > 0);
    if (open.length > 0 && open.every(({ isPast }) => isPast)) {
      this.#endPeriod();
      this.#advance();
    } else if (open.some(({ isPast }) => isPast)) {
      this.#late ??= setTimeout(() => {
        this.#guarded(() => {
          this.#endPeriod();
          this.#advance();
        });
      }, LATE_MS);
    }
  }

  #drain(state: AgentState): void {
    const { watch, waiting } = state;
    while (!state.isPast) {
      const [text] = waiting;
      if (text === undefined) return;
      const line = parseAgentLine(text);
      const nowNs = Date.now() * 1e6;
      if (line?.kind === 'slice') {
        const slice = watch.stretchOf(line, nowNs);
        this.#begin(slice.fromNs);
        state.isPast = (slice.fromNs + slice.toNs) / 2 >= this.#startNs + this.#options.periodS * 1e9;
        if (state.isPast) return;
      }
      waiting.shift();
      if (line === null) continue;
      watch.take(line, nowNs);
      if (line.kind === 'ends') this.#followOthers();
      if (line.kind === 'exit') {
        this.#exitCode = Math.max(this.#exitCode ?? 0, line.code);
        const others = this.#states.filter(({ hasCommand, isOver }) => hasCommand && !isOver);
        if (line.code !== 0 && others.length > 1)
          this.#tell(`${watch.host}: its command ended with exit code ${line.code}.`);
      }
      if (line.kind === 'end' && this.#begunNs !== null && watch.toNs - this.#begunNs > LEAST_LIFE_NS) {
        this.#samplerShare = Math.max(this.#samplerShare ?? 0, line.cpuNs / (watch.toNs - this.#begunNs));
      }
      if (line.kind === 'outside')
        this.#outsiders.set(`${watch.host} ${line.channel}`, `pid ${line.pid} (${line.name})`);
      if (line.kind === 'denied') {
        this.#tell(
          `${watch.host}: process ${line.pid} may not be looked at: run this as its user or as root. It is left out.`,
        );
      }
      if (line.kind === 'gone' && line.why === 'reused') {
        this.#tell(
          `${watch.host}: process ${line.pid} ended, and its number is another process's, which is not watched.`,
        );
      }
    }
  }

  #begin(startNs: number): void {
    if (this.#begunNs !== null) return;
    this.#begunNs = startNs;
    this.#startNs = startNs;
  }

  #endPeriod(): void {
    clearTimeout(this.#late);
    this.#late = undefined;
    const endNs = this.#startNs + this.#options.periodS * 1e9;
    this.#emit(endNs);
    this.#startNs = endNs;
    for (const state of this.#states) {
      state.watch.renew();
      state.isPast = false;
    }
  }

  /** The part of a period that the end of the job leaves. */
  #close(): void {
    if (this.#begunNs === null) return;
    const endNs = Math.max(...this.#states.map(({ watch }) => watch.toNs));
    const part = (endNs - this.#startNs) / 1e9 / this.#options.periodS;
    if (part >= LEAST_PART || (!this.#hasBegun && part > 0)) this.#emit(endNs, true);
  }

  #emit(endNs: number, isLast = false): void {
    const hosts = this.#states.map(({ watch }) => watch);
    const nowNs = Date.now() * 1e6;
    const joined = joinProcesses(hosts, {
      isNew: ({ host, ends }) =>
        ends.some(({ channel }) => nowNs - (this.#followed.get(`${host} ${channel}`) ?? 0) < SETTLE_MS * 1e6),
      isEarly: !isLast && nowNs - (this.#begunNs ?? nowNs) < SETTLE_MS * 1e6,
    });
    const graph = this.#graph.update(joined);
    if (graph.tasks.length === 0 && !this.#hasBegun) return;
    this.#tellOf(joined);
    const [vertices, edges] = [
      graph.tasks.map(({ vertex }) => vertex),
      graph.edges.map((edge) => this.#edgeOf(edge, hosts)),
    ];
    const atNs = this.#since(this.#startNs);
    if (!this.#hasBegun) this.#sayBegin(vertices, edges);
    else this.#sayChanges({ tasks: graph.tasks, edges, atNs });
    const { recordBytes, pressureOf } = this.#options;
    const times = { startNs: atNs, endNs: this.#since(endNs) };
    const { period, detail } = periodOf(hosts, graph, { ...times, recordBytes, carried: this.#carried, pressureOf });
    const expected = ((endNs - this.#startNs) / 1e9) * this.#options.hz;
    const most = Math.max(...hosts.map(({ samples }) => samples));
    // As for recordings: what so few samples say is no measurement.
    if (most * 2 < expected) {
      this.#tell(
        'Of some periods fewer than half of the samples could be taken, for this machine was too busy to look: they are left out.',
      );
    } else this.#listener.onLine(period, detail);
    // What ends with the job is no event.
    if (graph.tasks.every(({ processes }) => processes.every(({ alive }) => !alive))) return;
    for (const { vertex, processes } of graph.tasks) {
      if (processes.some(({ alive }) => alive) || this.#gone.has(vertex.id)) continue;
      this.#gone.add(vertex.id);
      this.#graph.retire(vertex.id);
      this.#listener.onLine({ kind: 'vertex-gone', atNs: times.endNs, id: vertex.id, why: 'its processes ended' });
    }
  }

  #sayBegin(vertices: readonly DagVertex[], edges: readonly DagEdge[]): void {
    const { periodS, hz, local, remote, link } = this.#options;
    this.#hasBegun = true;
    for (const vertex of vertices) this.#vertices.set(vertex.id, vertex);
    for (const edge of edges) this.#edges.set(edge.id, edge);
    const commands = [
      ...(remote?.tasks ?? []).map(({ host, task }) => [host.name, task.command]),
      ['', local?.command ?? null],
    ];
    const said = commands.flatMap(([host, command]) =>
      command === null ? [] : [host === '' ? command : `${host}: ${command}`],
    );
    this.#listener.onBegin({
      source: 'pipes',
      startedAt: new Date((this.#begunNs ?? 0) / 1e6).toISOString(),
      ...{ periodS, hz, vertices: [...vertices], edges: [...edges] },
      command: said.length === 0 ? null : said.join('\n'),
      bw: link?.bw ?? null,
      notes: [...this.#notes],
    });
  }

  #sayChanges({
    tasks,
    edges,
    atNs,
  }: {
    readonly tasks: readonly LiveTask[];
    readonly edges: readonly DagEdge[];
    readonly atNs: number;
  }): void {
    for (const { vertex, processes } of tasks) {
      const known = this.#vertices.get(vertex.id);
      const back = processes.some(({ alive }) => alive) && this.#gone.delete(vertex.id);
      // Instances that end with the job say nothing of how many it takes.
      const changed =
        known === undefined || back || (known.instances !== vertex.instances && processes.some(({ alive }) => alive));
      if (!changed) continue;
      this.#vertices.set(vertex.id, vertex);
      this.#listener.onLine({ kind: 'vertex', atNs, vertex });
    }
    for (const edge of edges) {
      if (this.#edges.has(edge.id)) continue;
      this.#edges.set(edge.id, edge);
      this.#listener.onLine({ kind: 'edge', atNs, edge });
    }
  }

  #edgeOf({ id, from, to, channels }: LiveEdge, hosts: readonly HostWatch[]): DagEdge {
    const [way] = channels[0] ?? [];
    const rooms = (way?.hops ?? []).map(
      ({ host, channel }) => hosts.find((one) => one.host === host)?.channels.get(channel)?.capacity,
    );
    const capacity =
      rooms.every((room) => room !== undefined) && rooms.length > 0 ? rooms.reduce((sum, room) => sum + room, 0) : null;
    const between = way !== undefined && way.from.host !== way.to.host;
    return { id, from, to, capacity, unit: 'bytes', linkBps: between ? (this.#options.link?.rateBps ?? null) : null };
  }

  /** The other ends of connections are looked for on the other hosts. */
  #followOthers(): void {
    if (this.#states.length < 2) return;
    const held = this.#states.flatMap(({ watch }) => connectionsOf(watch));
    const names = new Set(held.map(({ channel }) => channel));
    for (const { host, channel } of held) {
      const key = `${host} ${channel}`;
      if (names.has(reversed(channel)) || this.#followed.has(key)) continue;
      this.#followed.set(key, Date.now() * 1e6);
      for (const { agent, isOver } of this.#states) {
        if (agent && agent.host !== host && !isOver) agent.follow(reversed(channel));
      }
    }
  }

  #tellOf({ open, ways, tasks }: Joined): void {
    for (const { process, channel, way } of open) {
      const other = this.#outsiders.get(`${process.host} ${channel}`);
      const who = other === undefined ? 'nobody that can be seen' : other;
      const does = way === 'w' ? 'reads from a pipe that is written by' : 'writes into a pipe that is read by';
      this.#tell(
        `${programName(process)} (pid ${process.pid}) ${does} ${who}, outside of what is watched: waiting for it counts as waiting.`,
      );
    }
    for (const transport of new Set(ways.flatMap(({ transports }) => transports))) {
      this.#tell(`${transport.host}: ${programName(transport)} only carries bytes: it counts as part of the channel.`);
    }
    if (ways.length === 0 && tasks.length > 1)
      this.#tell('No process hands data to another one through a pipe or a connection that is seen.');
  }

  #tell(text: string): void {
    if (this.#told.has(text)) return;
    this.#told.add(text);
    if (this.#hasBegun) this.#listener.onLine({ kind: 'note', atNs: this.#since(this.#startNs), text });
    else this.#notes.push(text);
  }

  #since(ns: number): number {
    return Math.max(0, Math.round(ns - (this.#begunNs ?? 0)));
  }

  #nothingSeen(): string {
    const end = this.#exitCode === null ? '' : ` The command ended with exit code ${this.#exitCode}.`;
    const said = this.#notes.length === 0 ? '' : ` ${this.#notes.join(' ')}`;
    return `Nothing of the job was seen: it ended before it could be looked at, or its processes may not be read.${end}${said}`;
  }
}

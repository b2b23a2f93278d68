import { badInput, infrastructure } from '../../../base/errors.ts';
import type { DagEnd, DagListener, DagSource } from '../source.ts';
import { type AgentLine, parseAgentLine } from './agent-lines.ts';
import { AgentTeam, commandsText, type TeamHost, type TeamOptions } from './agent-team.ts';
import { CommandEnds } from './command-ends.ts';
import { JobGraph, recordedEdge } from './job-graph.ts';
import { JobStory } from './job-story.ts';
import { type JoinedProcesses, joinProcesses } from './joined.ts';
import { Carried, computePeriod } from './period-of.ts';

interface PipesOptions extends Omit<TeamOptions, 'sliceS'> {
  readonly periodS: number;
  /** Bytes of a record of the job's sources; null where people count in bytes. */
  readonly recordBytes: number | null;
  /** Of the links between hosts, bit/s, and percent of the line rate; null where nobody knows. */
  readonly link: { readonly rateBps: number; readonly bw: number } | null;
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

/** Cuts what the agents say into periods that all hosts share. */
class PipesWatch {
  readonly #options: PipesOptions;
  readonly #listener: DagListener;
  readonly #team: AgentTeam;
  readonly #story: JobStory;
  readonly #graph = new JobGraph();
  readonly #carried = new Carried();
  readonly #outsiders = new Map<string, string>();
  #begunNs: number | null = null;
  /** When the last host's command had begun, ms. */
  #completeMs: number | null = null;
  #startNs = 0;
  #late: NodeJS.Timeout | undefined;
  readonly #ends: CommandEnds;
  #samplerShare: number | null = null;
  #refusal: { readonly error: unknown } | undefined;

  constructor(options: PipesOptions, listener: DagListener) {
    this.#options = options;
    this.#listener = listener;
    const { periodS, hz, link } = options;
    const sliceS = Math.min(LONGEST_SLICE_S, Math.max(SHORTEST_SLICE_S, periodS / SLICES));
    this.#team = new AgentTeam({ ...options, sliceS });
    const head = { source: 'pipes', periodS, hz, command: commandsText(options), bw: link?.bw ?? null } as const;
    this.#story = new JobStory(listener, head);
    this.#ends = new CommandEnds(this.#team.hosts, {
      isHere: options.remote === null,
      onSaid: (text) => this.#tell(text),
      onGraceOver: () => this.#stop(),
    });
  }

  async run(signal: AbortSignal): Promise<DagEnd> {
    const failures: string[] = [];
    const stopAll = (): void => this.#stop();
    let why = 'watching was stopped';
    try {
      await this.#team.start({
        onLine: () => this.#guarded(() => this.#advance()),
        onPrinted: this.#listener.onPrinted,
        onStatuses: (host, codes) => this.#ends.takeCodes(host, codes),
      });
      this.#completeMs = Date.now();
      signal.addEventListener('abort', stopAll, { once: true });
      if (signal.aborted) stopAll();
      await this.#team.ended(({ hasCommand }, failure) => {
        if (failure !== null) failures.push(failure);
        if (failure !== null && !signal.aborted) this.#tell(`${failure}: its processes are missing from now on.`);
        this.#guarded(() => this.#advance());
        if (!this.#team.isDone()) return;
        if (!signal.aborted) why = hasCommand ? 'the command ended' : 'the watched processes ended';
        stopAll();
      });
    } finally {
      signal.removeEventListener('abort', stopAll);
      clearTimeout(this.#late);
      this.#ends.close();
      await this.#team.dismiss();
    }
    this.#guarded(() => this.#close());
    if (this.#refusal !== undefined) throw this.#refusal.error;
    const [failure] = failures;
    if (failure !== undefined && failures.length === this.#team.hosts.length)
      throw infrastructure(`${failure}.`.replace(/\.\.$/, '.'));
    if (!this.#story.hasBegun) throw badInput(this.#nothingSeen());
    const { code: exitCode, failure: words, seconds: commandS } = this.#ends;
    const ends = signal.aborted ? { exitCode: null } : { exitCode, failure: words, commandS };
    return { why, ...ends, samplerShare: this.#samplerShare, lost: failures };
  }

  /** What a listener refuses ends the watching: the agents are told to end, and `run` throws it. */
  #guarded(task: () => void): void {
    if (this.#refusal !== undefined) return;
    try {
      task();
    } catch (error) {
      this.#refusal = { error };
      this.#stop();
    }
  }

  /** Takes what came as far as the period goes on all hosts. */
  #advance(): void {
    const { hosts } = this.#team;
    for (const host of hosts) this.#drain(host);
    const open = hosts.filter(({ isOver, waiting }) => !isOver || waiting.length > 0);
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

  #drain(host: TeamHost): void {
    const { watch, waiting } = host;
    while (!host.isPast) {
      const [text] = waiting;
      if (text === undefined) return;
      const line = parseAgentLine(text);
      const nowNs = Date.now() * 1e6;
      if (line?.kind === 'slice') {
        const slice = watch.stretchOf(line, nowNs);
        if (this.#begunNs === null) this.#begunNs = this.#startNs = slice.fromNs;
        host.isPast = (slice.fromNs + slice.toNs) / 2 >= this.#startNs + this.#options.periodS * 1e9;
        if (host.isPast) return;
      }
      waiting.shift();
      if (line === null) continue;
      watch.take(line, nowNs);
      this.#hear(line, host);
    }
  }

  /** What a line says beside the sums of its host. */
  #hear(line: AgentLine, team: TeamHost): void {
    const { watch, hasCommand } = team;
    const { host } = watch;
    switch (line.kind) {
      case 'begun':
        if (hasCommand) this.#ends.begin();
        return;
      case 'ends':
        this.#team.followOthers();
        return;
      case 'exit':
        this.#ends.takeExit(team, line.code);
        return;
      case 'end':
        if (this.#begunNs !== null && watch.toNs - this.#begunNs > LEAST_LIFE_NS) {
          this.#samplerShare = Math.max(this.#samplerShare ?? 0, line.cpuNs / (watch.toNs - this.#begunNs));
        }
        return;
      case 'outside':
        this.#outsiders.set(`${host} ${line.channel}`, `pid ${line.pid} (${line.name})`);
        return;
      case 'denied':
        this.#tell(`${host}: process ${line.pid} cannot be observed and is left out: run this as its user or as root.`);
        return;
      case 'gone':
        if (line.why === 'reused')
          this.#tell(
            `${host}: process ${line.pid} ended, and its id now belongs to another process, which is not watched.`,
          );
        return;
      default:
        return;
    }
  }

  #stop(): void {
    this.#ends.isStopping = true;
    this.#team.stop();
  }

  #endPeriod(): void {
    clearTimeout(this.#late);
    this.#late = undefined;
    const endNs = this.#startNs + this.#options.periodS * 1e9;
    this.#emit(endNs);
    this.#startNs = endNs;
    for (const host of this.#team.hosts) {
      host.watch.renew();
      host.isPast = false;
    }
  }

  /** The part of a period that the end of the job leaves. */
  #close(): void {
    if (this.#begunNs === null) return;
    const endNs = Math.max(...this.#team.hosts.map(({ watch }) => watch.toNs));
    const part = (endNs - this.#startNs) / 1e9 / this.#options.periodS;
    if (part >= LEAST_PART || (!this.#story.hasBegun && part > 0)) this.#emit(endNs, true);
  }

  #emit(endNs: number, isLast = false): void {
    const { recordBytes, hz, link } = this.#options;
    const hosts = this.#team.hosts.map(({ watch }) => watch);
    const nowMs = Date.now();
    const isEarly = !isLast && nowMs - (this.#completeMs ?? nowMs) < SETTLE_MS;
    const joined = joinProcesses(hosts, {
      isNew: ({ ends }) => ends.some(({ channel }) => nowMs - this.#team.followedNs(channel) / 1e6 < SETTLE_MS),
      isEarly,
    });
    const story = this.#story;
    // Tasks get names that stay, sources first: that needs all of them.
    if (isEarly && !story.hasBegun && !this.#isWhole(joined)) return;
    const graph = this.#graph.update(joined);
    if (graph.tasks.length === 0 && !story.hasBegun) return;
    const times = { startNs: this.#since(this.#startNs), endNs: this.#since(endNs) };
    story.describeSurroundings(joined, this.#outsiders, times.startNs);
    const edges = graph.edges.map((edge) => recordedEdge(edge, link?.rateBps ?? null));
    const now = { tasks: graph.tasks, edges, atNs: times.startNs };
    if (story.hasBegun) story.change(now);
    else {
      const cores = Object.fromEntries(hosts.flatMap((one) => (one.cores > 0 ? [[one.host, one.cores]] : [])));
      story.begin(now, { startedAt: new Date((this.#begunNs ?? 0) / 1e6).toISOString(), cores });
    }
    const { period, detail } = computePeriod(graph, { ...times, recordBytes, carried: this.#carried });
    const most = Math.max(...hosts.map(({ samples }) => samples));
    // As for recordings: what so few samples say is no measurement.
    if (most * 2 < ((endNs - this.#startNs) / 1e9) * hz) {
      this.#tell('Periods with fewer than half of their samples are left out, because this machine was too busy.');
    } else this.#listener.onLine(period, detail);
    for (const id of story.takeDepartures(graph.tasks, times.endNs)) this.#graph.retire(id);
  }

  /** Whether the command of each host has become a task. */
  #isWhole({ tasks }: JoinedProcesses): boolean {
    if (this.#completeMs === null) return false;
    return this.#team.hosts.every(
      ({ watch, hasCommand, isOver }) => !hasCommand || isOver || tasks.some(({ host }) => host === watch.host),
    );
  }

  #tell(text: string): void {
    this.#story.tell(text, this.#since(this.#startNs));
  }

  #since(ns: number): number {
    return Math.max(0, Math.round(ns - (this.#begunNs ?? 0)));
  }

  #nothingSeen(): string {
    const { exitCode, failure } = this.#ends;
    const code = exitCode === null ? null : `The command ended with exit code ${exitCode}.`;
    const said = [failure ?? code, ...this.#story.notes].filter((words) => words !== null);
    return `No task of the job was seen: it ended too early, or its processes cannot be read.${said.map((words) => ` ${words}`).join('')}`;
  }
}

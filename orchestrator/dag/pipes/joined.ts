import { type HostWatch, programName, type WatchedProcess } from './host-watch.ts';

/** A step of the way from one task to another: a channel as one host names it. */
export interface Hop {
  readonly host: string;
  readonly channel: string;
}

/** A way that data takes from one process to another: one pipe or connection, or several with transports between them. */
export interface DataWay {
  readonly from: WatchedProcess;
  readonly to: WatchedProcess;
  /** As the sender of each hop sees it. */
  readonly hops: readonly [Hop, ...Hop[]];
  /** Programs on the way that only carry bytes. */
  readonly transports: readonly WatchedProcess[];
}

/** How the processes of all hosts are joined. */
export interface JoinedProcesses {
  readonly ways: readonly DataWay[];
  /** Processes that are tasks: neither a transport between two of them nor a shell that waits for a child. */
  readonly tasks: readonly WatchedProcess[];
  /** Pipes of tasks of which nobody watched holds the other end. */
  readonly open: readonly { readonly process: WatchedProcess; readonly channel: string; readonly way: 'r' | 'w' }[];
}

/** Programs that carry bytes between a pipe and a connection: they are the channel, not a task. */
const TRANSPORTS = new Set([
  ...['ssh', 'sshd', 'sshd-session', 'sshd-auth', 'dropbear', 'dbclient', 'socat', 'predict-agent'],
  ...['nc', 'ncat', 'netcat', 'nc.openbsd', 'nc.traditional'],
]);
const STDERR = 2;
/** More than this on one way is a circle of transports. */
const MOST_HOPS = 16;

interface JoinOptions {
  /** The other end of one of its connections may still be found. */
  readonly isNew?: (process: WatchedProcess) => boolean;
  /** Processes that are not joined may still become so. */
  readonly isEarly?: boolean;
}

/** Which processes hand data to which, from the ends that each of them holds. */
export function joinProcesses(
  hosts: readonly HostWatch[],
  { isNew = () => false, isEarly = false }: JoinOptions = {},
): JoinedProcesses {
  const all = hosts.flatMap(({ processes, former }) => [...former, ...processes.values()]);
  const sent = (host: string, channel: string): number => {
    return hosts.find((one) => one.host === host)?.sent.get(channel) ?? 0;
  };
  const index = new Index(
    all.filter((process) => process.ends.length > 0 && !isHolder(process, all)),
    sent,
  );
  const found = index.processes
    .filter((process) => !isTransport(process))
    .flatMap((process) => index.waysFrom(process));
  const carriers = new Set(found.flatMap(({ transports }) => transports));
  // A transport that leads to no task that is watched is where the job ends, as far as anybody sees.
  const dangling = index.processes.filter(
    (process) => isTransport(process) && !carriers.has(process) && !isLink(process) && !isNew(process),
  );
  const ways = dangling.length === 0 ? found : index.withTasks(new Set(dangling));
  const joined = new Set(ways.flatMap(({ from, to }) => [from, to]));
  const lonely = all.filter((process) => !isHolder(process, all) && !isTransport(process) && process.lived > 0);
  const tasks =
    joined.size > 0 || isEarly
      ? index.processes.filter((process) => joined.has(process))
      : lonely.filter(hasNoChild(all));
  return { ways, tasks, open: index.openEnds(joined) };
}

export function isTransport(process: WatchedProcess): boolean {
  return TRANSPORTS.has(programName(process));
}

function isLink({ ends }: WatchedProcess): boolean {
  return !ends.some(({ channel }) => channel.startsWith('tcp:'));
}

/** A shell that waits for a child most of the time, and whose child holds its ends: the child is what works. */
function isHolder(process: WatchedProcess, all: readonly WatchedProcess[]): boolean {
  if (process.held * 2 < process.lived || process.lived === 0) return false;
  const channels = new Set(process.ends.map(({ channel }) => channel));
  return all.some(({ host, parent, ends }) => {
    return (
      host === process.host &&
      parent === process.pid &&
      (channels.size === 0 || ends.some((end) => channels.has(end.channel)))
    );
  });
}

function hasNoChild(all: readonly WatchedProcess[]): (process: WatchedProcess) => boolean {
  return ({ host, pid }) => !all.some((other) => other.host === host && other.parent === pid);
}

/** The connections that processes of a host hold. */
export function findConnections({ host, processes }: HostWatch): Hop[] {
  return [...processes.values()].flatMap(({ ends }) => {
    return ends.filter(({ channel }) => channel.startsWith('tcp:')).map(({ channel }) => ({ host, channel }));
  });
}

/** The other end's name of a connection. */
export function reversed(channel: string): string {
  const [own = '', other = ''] = channel.slice('tcp:'.length).split('-');
  return `tcp:${other}-${own}`;
}

class Index {
  readonly processes: readonly WatchedProcess[];
  readonly #readers = new Map<string, WatchedProcess[]>();
  readonly #writers = new Map<string, WatchedProcess[]>();
  #asTasks: ReadonlySet<WatchedProcess> = new Set();

  readonly #sent: (host: string, channel: string) => number;

  constructor(processes: readonly WatchedProcess[], sent: (host: string, channel: string) => number) {
    this.processes = processes;
    this.#sent = sent;
    for (const process of processes) {
      const [reads, writes] = endsOf(process);
      for (const channel of reads) push(this.#readers, keyOf(process.host, channel), process);
      for (const channel of writes) push(this.#writers, keyOf(process.host, channel), process);
    }
  }

  /** All ways, where some transports count as tasks. */
  withTasks(tasks: ReadonlySet<WatchedProcess>): DataWay[] {
    this.#asTasks = tasks;
    return this.processes.filter((process) => !this.#carries(process)).flatMap((process) => this.waysFrom(process));
  }

  waysFrom(from: WatchedProcess): DataWay[] {
    const [, writes] = endsOf(from);
    return writes.flatMap((channel) => this.#follow(from, [{ host: from.host, channel }], []));
  }

  #carries(process: WatchedProcess): boolean {
    return isTransport(process) && !this.#asTasks.has(process);
  }

  #follow(from: WatchedProcess, hops: readonly [Hop, ...Hop[]], transports: readonly WatchedProcess[]): DataWay[] {
    const { host, channel } = hops[hops.length - 1] as Hop;
    if (hops.length > MOST_HOPS) return [];
    return this.#takers(host, channel).flatMap((to): DataWay[] => {
      if (to === from || transports.includes(to)) return [];
      if (channel.startsWith('tcp:') && !this.#flows({ host, channel }, to)) return [];
      if (!this.#carries(to)) return [{ from, to, hops, transports }];
      // What goes to standard error on its way through a transport is not the job's data.
      if (hops.length === 1 && isStderr(from, channel)) return [];
      return onward(to, channel).flatMap((next) => {
        return this.#follow(from, [...hops, { host: to.host, channel: next }], [...transports, to]);
      });
    });
  }

  /** Whether data goes into this end of a connection. Both ways are open: between two tasks the one that carries more is the channel. */
  #flows({ host, channel }: Hop, to: WatchedProcess): boolean {
    const [forth, back] = [this.#sent(host, channel), this.#sent(to.host, reversed(channel))];
    const duplex = this.#holders(host, channel)
      .concat(to)
      .some((process) => this.#carries(process));
    return duplex ? forth > 0 : forth > back;
  }

  #holders(host: string, channel: string): WatchedProcess[] {
    return this.processes.filter((one) => one.host === host && one.ends.some((end) => end.channel === channel));
  }

  #takers(host: string, channel: string): readonly WatchedProcess[] {
    if (!channel.startsWith('tcp:')) return this.#readers.get(keyOf(host, channel)) ?? [];
    const back = reversed(channel);
    const takers = isLoopback(channel)
      ? (this.#readers.get(keyOf(host, back)) ?? [])
      : this.processes.filter(({ ends }) => ends.some((end) => end.channel === back));
    return takers;
  }

  openEnds(tasks: ReadonlySet<WatchedProcess>): { process: WatchedProcess; channel: string; way: 'r' | 'w' }[] {
    return [...tasks].flatMap((process) => {
      const [reads, writes] = endsOf(process);
      const key = (channel: string): string => keyOf(process.host, channel);
      const pipes = (channels: readonly string[]): string[] =>
        channels.filter((channel) => !channel.startsWith('tcp:'));
      return [
        ...pipes(reads).flatMap((channel) =>
          this.#writers.has(key(channel)) ? [] : [{ process, channel, way: 'w' as const }],
        ),
        ...pipes(writes).flatMap((channel) =>
          this.#readers.has(key(channel)) ? [] : [{ process, channel, way: 'r' as const }],
        ),
      ];
    });
  }
}

/** Channels that a process reads and writes. One of which it holds both ends is its own affair: a signal to itself, a job server. */
function endsOf({ ends }: WatchedProcess): readonly [string[], string[]] {
  const reads = new Set(ends.filter((end) => end.reads).map(({ channel }) => channel));
  const writes = new Set(ends.filter((end) => end.writes).map(({ channel }) => channel));
  const own = (channel: string): boolean => !channel.startsWith('tcp:') && reads.has(channel) && writes.has(channel);
  return [[...reads].filter((channel) => !own(channel)), [...writes].filter((channel) => !own(channel))];
}

/** Where a transport hands on what it takes from a channel: from a pipe into connections, from a connection into pipes. */
function onward(transport: WatchedProcess, channel: string): string[] {
  const fromConnection = channel.startsWith('tcp:');
  const out = transport.ends.filter((end) => end.writes && end.fd !== STDERR && !end.channel.startsWith('tcp:'));
  const connections = transport.ends.filter((end) => end.channel.startsWith('tcp:'));
  const next = fromConnection || connections.length === 0 ? out : connections;
  return [...new Set(next.map((end) => end.channel))].filter((name) => name !== channel);
}

function isStderr({ ends }: WatchedProcess, channel: string): boolean {
  const held = ends.filter((end) => end.channel === channel && end.writes);
  return held.length > 0 && held.every(({ fd }) => fd === STDERR);
}

function isLoopback(channel: string): boolean {
  return /^tcp:(?:127\.|::1:)/.test(channel);
}

function keyOf(host: string, channel: string): string {
  return `${host}\t${channel}`;
}

function push(lists: Map<string, WatchedProcess[]>, key: string, process: WatchedProcess): void {
  const list = lists.get(key);
  if (list) list.push(process);
  else lists.set(key, [process]);
}

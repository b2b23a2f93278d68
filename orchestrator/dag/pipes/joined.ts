import { last } from '../../../base/lists.ts';
import { type Channel, type HostWatch, programName, type WatchedProcess } from './host-watch.ts';

/** A way that data takes from one process to another: one pipe or connection, or several with transports between them. */
export interface DataWay {
  readonly from: WatchedProcess;
  readonly to: WatchedProcess;
  /** As the sender of each hop sees it; at least one. */
  readonly hops: readonly Channel[];
  /** Programs on the way that only carry bytes. */
  readonly transports: readonly WatchedProcess[];
}

/** How the processes of all hosts are joined. */
export interface JoinedProcesses {
  readonly ways: readonly DataWay[];
  /** Processes that are tasks: neither a transport between two of them nor a shell that waits for a child. */
  readonly tasks: readonly WatchedProcess[];
  /** Pipes of tasks of which nobody watched holds the other end. */
  readonly open: readonly OpenEnd[];
}

interface OpenEnd {
  readonly process: WatchedProcess;
  readonly channel: Channel;
  /** What the one who is missing does. */
  readonly way: 'r' | 'w';
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
  const workers = all.filter((process) => !isHolder(process, all));
  const holders = workers.filter(({ ends }) => ends.length > 0);
  const found = new WayFinder(holders, isTransport).find();
  const carriers = new Set(found.flatMap(({ transports }) => transports));
  // A transport that leads to no task that is watched is where the job ends, as far as anybody sees.
  const dangling = new Set(
    holders.filter((one) => isTransport(one) && !carriers.has(one) && hasConnection(one) && !isNew(one)),
  );
  const ways =
    dangling.size === 0
      ? found
      : new WayFinder(holders, (process) => isTransport(process) && !dangling.has(process)).find();
  const joined = new Set(ways.flatMap(({ from, to }) => [from, to]));
  const lonely = workers.filter(
    (one) => !isTransport(one) && one.lived > 0 && !all.some((other) => isChild(other, one)),
  );
  const tasks = joined.size > 0 || isEarly ? holders.filter((process) => joined.has(process)) : lonely;
  return { ways, tasks, open: findOpenEnds(joined, holders) };
}

export function isTransport(process: WatchedProcess): boolean {
  return TRANSPORTS.has(programName(process));
}

function hasConnection({ ends }: WatchedProcess): boolean {
  return ends.some(({ channel }) => channel.isConnection);
}

function isChild({ host, parent }: WatchedProcess, of: WatchedProcess): boolean {
  return host === of.host && parent === of.pid;
}

/** A shell that waits for a child most of the time, and whose child holds its ends: the child is what works. */
function isHolder(process: WatchedProcess, all: readonly WatchedProcess[]): boolean {
  if (process.held * 2 < process.lived || process.lived === 0) return false;
  const channels = new Set(process.ends.map(({ channel }) => channel));
  return all.some(
    (one) => isChild(one, process) && (channels.size === 0 || one.ends.some(({ channel }) => channels.has(channel))),
  );
}

/** The connections that processes of a host hold. */
export function findConnections({ processes }: HostWatch): Channel[] {
  return [...processes.values()].flatMap(({ ends }) =>
    ends.map(({ channel }) => channel).filter((channel) => channel.isConnection),
  );
}

/** The other end's name of a connection. */
export function reversed(name: string): string {
  const [own = '', other = ''] = name.slice('tcp:'.length).split('-');
  return `tcp:${other}-${own}`;
}

/** Follows data from task to task. */
class WayFinder {
  readonly #processes: readonly WatchedProcess[];
  readonly #isCarrier: (process: WatchedProcess) => boolean;
  readonly #readers = new Map<Channel, WatchedProcess[]>();

  constructor(processes: readonly WatchedProcess[], isCarrier: (process: WatchedProcess) => boolean) {
    this.#processes = processes;
    this.#isCarrier = isCarrier;
    for (const process of processes) {
      for (const channel of findChannels(process, 'reads')) {
        this.#readers.set(channel, [...(this.#readers.get(channel) ?? []), process]);
      }
    }
  }

  find(): DataWay[] {
    const tasks = this.#processes.filter((process) => !this.#isCarrier(process));
    return tasks.flatMap((from) =>
      findChannels(from, 'writes').flatMap((channel) => this.#follow({ from, hops: [channel], transports: [] })),
    );
  }

  /** All ways that go on from here. */
  #follow({ from, hops, transports }: Omit<DataWay, 'to'>): DataWay[] {
    const channel = last(hops);
    if (hops.length > MOST_HOPS) return [];
    return this.#findTakers(channel).flatMap((to): DataWay[] => {
      if (to === from || transports.includes(to)) return [];
      if (channel.isConnection && !this.#flows(channel, to)) return [];
      if (!this.#isCarrier(to)) return [{ from, to, hops, transports }];
      // What goes to standard error on its way through a transport is not the job's data.
      if (hops.length === 1 && isStderr(from, channel)) return [];
      return findOnward(to, channel).flatMap((next) =>
        this.#follow({ from, hops: [...hops, next], transports: [...transports, to] }),
      );
    });
  }

  /** Who reads at the other end. */
  #findTakers(channel: Channel): WatchedProcess[] {
    if (!channel.isConnection) return this.#readers.get(channel) ?? [];
    const back = reversed(channel.name);
    const isLoopback = /^tcp:(?:127\.|::1:)/.test(channel.name);
    return this.#processes.filter(
      ({ host, ends }) =>
        (!isLoopback || host === channel.host) && ends.some((end) => end.reads && end.channel.name === back),
    );
  }

  /** Whether data goes into this end of a connection. Both ways are open: between two tasks the one that carries more is the channel. */
  #flows(channel: Channel, to: WatchedProcess): boolean {
    const back = to.ends.find((end) => end.channel.name === reversed(channel.name))?.channel;
    const forth = channel.sent ?? 0;
    const holders = this.#processes.filter(({ ends }) => ends.some((end) => end.channel === channel));
    return [...holders, to].some(this.#isCarrier) ? forth > 0 : forth > (back?.sent ?? 0);
  }
}

function findOpenEnds(tasks: ReadonlySet<WatchedProcess>, holders: readonly WatchedProcess[]): OpenEnd[] {
  const held = (side: 'reads' | 'writes'): ReadonlySet<Channel> =>
    new Set(holders.flatMap((process) => findChannels(process, side)));
  const [read, written] = [held('reads'), held('writes')];
  return [...tasks].flatMap((process) => {
    const openOf = (side: 'reads' | 'writes', others: ReadonlySet<Channel>, way: OpenEnd['way']): OpenEnd[] =>
      findChannels(process, side)
        .filter((channel) => !channel.isConnection && !others.has(channel))
        .map((channel) => ({ process, channel, way }));
    return [...openOf('reads', written, 'w'), ...openOf('writes', read, 'r')];
  });
}

/** Channels that a process reads or writes. Pipes of which it holds both ends are ignored: a signal to itself, a job server. */
function findChannels({ ends }: WatchedProcess, side: 'reads' | 'writes'): Channel[] {
  const own = (channel: Channel): boolean =>
    !channel.isConnection &&
    ends.some((end) => end.channel === channel && end.reads) &&
    ends.some((end) => end.channel === channel && end.writes);
  const held = new Set(ends.filter((end) => end[side]).map(({ channel }) => channel));
  return [...held].filter((channel) => !own(channel));
}

/** Where a transport hands on what it takes from a channel: from a pipe into connections, from a connection into pipes. */
function findOnward(transport: WatchedProcess, from: Channel): Channel[] {
  const pipes = transport.ends.filter((end) => end.writes && end.fd !== STDERR && !end.channel.isConnection);
  const connections = transport.ends.filter((end) => end.channel.isConnection);
  const next = from.isConnection || connections.length === 0 ? pipes : connections;
  return [...new Set(next.map(({ channel }) => channel))].filter((channel) => channel !== from);
}

function isStderr({ ends }: WatchedProcess, channel: Channel): boolean {
  const held = ends.filter((end) => end.channel === channel && end.writes);
  return held.length > 0 && held.every(({ fd }) => fd === STDERR);
}

import {
  computePressure,
  type DagPeriod,
  type EdgePeriod,
  type VertexPeriod,
} from '../../../experiments/dag/dag-records.ts';
import type { LiveDetail } from '../source.ts';
import type { ChannelSums, HostWatch, WatchedProcess } from './host-watch.ts';
import type { LiveEdge, LiveTask } from './job-graph.ts';
import { type DataWay, type Hop, isTransport } from './joined.ts';

/**
 * What edges carried since the job began. Either side may use files too, so the less of both totals counts; not the less of both in each
 * period, for what is written in one may be read in the next.
 */
export class Carried {
  readonly #totals = new Map<string, { written: number; read: number; told: number }>();

  /** Takes in what was written and read in a period, null where that is not known; what the edge carried in it. */
  add(id: string, { written, read }: { readonly written: number | null; readonly read: number | null }): number {
    const total = this.#totals.get(id) ?? { written: 0, read: 0, told: 0 };
    this.#totals.set(id, total);
    total.written = written === null ? Number.POSITIVE_INFINITY : total.written + written;
    total.read = read === null ? Number.POSITIVE_INFINITY : total.read + read;
    const least = Math.min(total.written, total.read);
    const more = Math.max(0, least - total.told);
    total.told = Math.max(total.told, least);
    return more;
  }
}

/** The record of a period of a job whose processes were sampled. */
export function computePeriod(
  hosts: readonly HostWatch[],
  { tasks, edges }: { readonly tasks: readonly LiveTask[]; readonly edges: readonly LiveEdge[] },
  {
    startNs,
    endNs,
    recordBytes,
    carried,
  }: {
    readonly startNs: number;
    readonly endNs: number;
    readonly recordBytes: number | null;
    readonly carried: Carried;
  },
): { readonly period: DagPeriod; readonly detail: LiveDetail } {
  const channels = new Map(hosts.map(({ host, channels: sums }) => [host, sums]));
  const connections = new Set(edges.flatMap(hopsOf).map(({ host, channel }) => `${host} ${channel}`));
  const isChannel = (process: WatchedProcess, channel: string): boolean => {
    // Also a pipe whose other end nobody watches: it is a channel all the same.
    return (
      !channel.startsWith('tcp:') || connections.has(`${process.host} ${channel}`) || joinsBack(process, channel, edges)
    );
  };
  const waits = (process: WatchedProcess): number => waitsOf(process, isChannel);
  const fed = new Set(edges.map(({ to }) => to));
  const edgeEntries = edges.map((edge): readonly [string, EdgePeriod] => {
    const bytes = bytesOf(edge, { channels, edges, carried });
    const from = tasks.find(({ vertex }) => vertex.id === edge.from);
    const producers = from?.processes ?? [];
    const blocked = (process: WatchedProcess): number => stillShare(process, blockedOn(process, edge));
    const lived = (share: (process: WatchedProcess) => number): (number | null)[] => {
      return producers.map((process) => (process.sums.seen === 0 ? null : share(process)));
    };
    const records = bytes === null || recordBytes === null || fed.has(edge.from) ? null : bytes / recordBytes;
    return [
      edge.id,
      {
        buffer: edge.channels.map((ways) => fullShare(ways, channels)),
        writer: lived(blocked),
        pressure: lived((process) => computePressure(blocked(process), stillShare(process, waits(process)))),
        ...{ bytes, records },
      },
    ];
  });
  const vertexEntries = tasks.map(({ vertex, processes }): readonly [string, VertexPeriod] => {
    const lived = processes.filter(({ sums }) => sums.seen > 0);
    const mean = (amount: (process: WatchedProcess) => number): number | null => {
      if (lived.length === 0) return null;
      return lived.reduce((sum, process) => sum + amount(process), 0) / lived.length;
    };
    const handed = edgeEntries.filter(([id]) => edges.find((edge) => edge.id === id)?.from === vertex.id);
    const records = fed.has(vertex.id) ? null : (handed[0]?.[1].records ?? null);
    return [
      vertex.id,
      {
        processing: processes.map((process) =>
          process.sums.seen === 0 ? null : 1 - stillShare(process, waits(process)),
        ),
        cpu: mean(runShare),
        onCpu: lived.some((process) => onCpuShare(process) === null)
          ? null
          : mean((process) => onCpuShare(process) ?? 0),
        disk: mean((process) => stillShare(process, process.sums.disk + ownWaits(process, isChannel))),
        records,
      },
    ];
  });
  const period: DagPeriod = {
    ...{ kind: 'period', startNs, endNs },
    vertices: Object.fromEntries(vertexEntries),
    edges: Object.fromEntries(edgeEntries),
  };
  return { period, detail: { fill: new Map(edges.map((edge) => [edge.id, fillOf(edge, channels)])) } };
}

type Channels = ReadonlyMap<string, ReadonlyMap<string, ChannelSums>>;
type IsChannel = (process: WatchedProcess, channel: string) => boolean;

/** Samples in which it was blocked on a channel of the job. */
function waitsOf(process: WatchedProcess, isChannel: IsChannel): number {
  const { polling, reads, writes } = process.sums;
  let waits = polling;
  for (const [channel, count] of [...reads, ...writes]) if (isChannel(process, channel)) waits += count;
  return waits;
}

/** Samples in which it waited for a connection that is no channel of the job: its own input and output. */
function ownWaits(process: WatchedProcess, isChannel: IsChannel): number {
  const all = waitsOf(process, () => true);
  return all - waitsOf(process, isChannel);
}

/** Whether a process takes data of an edge from its end of a connection. */
function joinsBack(process: WatchedProcess, channel: string, edges: readonly LiveEdge[]): boolean {
  return edges.some(({ channels }) =>
    channels.flat().some(({ to, hops }) => to === process && mirrored(hops.at(-1), channel)),
  );
}

function mirrored(hop: Hop | undefined, channel: string): boolean {
  if (hop === undefined || !hop.channel.startsWith('tcp:')) return false;
  return hop.channel.slice(4).split('-').reverse().join('-') === channel.slice(4);
}

function hopsOf({ channels }: LiveEdge): Hop[] {
  return channels.flatMap((ways) => ways.flatMap(({ hops }) => hops));
}

function sumsOf({ host, channel }: Hop, channels: Channels): ChannelSums | undefined {
  return channels.get(host)?.get(channel);
}

/** A channel of several buffers with transports between them carries no more while one of them is full: how long the fullest was. */
function fullShare([way]: readonly DataWay[], channels: Channels): number | null {
  const shares = (way?.hops ?? []).flatMap((hop) => {
    const sums = sumsOf(hop, channels);
    return sums === undefined || sums.samples === 0 ? [] : [sums.full / sums.samples];
  });
  return shares.length === 0 ? null : Math.max(...shares);
}

function fillOf(edge: LiveEdge, channels: Channels): number | null {
  let [level, room] = [0, 0];
  for (const hop of hopsOf(edge)) {
    const sums = sumsOf(hop, channels);
    if (sums === undefined || sums.samples === 0) continue;
    level += sums.levelSum / sums.samples;
    room += sums.capacity;
  }
  return room === 0 ? null : Math.min(1, level / room);
}

function blockedOn({ sums, host }: WatchedProcess, edge: LiveEdge): number {
  const own = new Set(
    edge.channels
      .flat()
      .map(({ hops: [first] }) => first)
      .filter((hop) => hop.host === host)
      .map(({ channel }) => channel),
  );
  let blocked = 0;
  for (const [channel, count] of sums.writes) if (own.has(channel)) blocked += count;
  return blocked;
}

/**
 * Bytes that went over an edge. Calls of read and write are counted per process: they are the edge's where the process has no other
 * on that side; of both sides the less, since either may use files too. Else what connections acknowledged.
 */
function bytesOf(
  edge: LiveEdge,
  {
    channels,
    edges,
    carried,
  }: { readonly channels: Channels; readonly edges: readonly LiveEdge[]; readonly carried: Carried },
): number | null {
  const ways = edge.channels.flat();
  const alone = (process: WatchedProcess, side: 'from' | 'to'): boolean => {
    return edges.every((other) => other === edge || other.channels.flat().every((way) => way[side] !== process));
  };
  const total = (side: 'from' | 'to', amount: (process: WatchedProcess) => number | null): number | null => {
    let sum = 0;
    for (const process of new Set(ways.map((way) => way[side]))) {
      const bytes = alone(process, side) ? amount(process) : null;
      if (bytes === null) return null;
      sum += bytes;
    }
    return sum;
  };
  // Of one that has ended nothing more comes; of one whose counts may not be read nothing is known.
  const counted = (bytes: number | null, last: number | null, lived: number): number | null =>
    bytes ?? (last === null && lived > 0 ? null : 0);
  const written = total('from', ({ sums, last, lived }) => counted(sums.writtenBytes, last.writtenBytes, lived));
  const read = total('to', ({ sums, last, lived }) => counted(sums.readBytes, last.readBytes, lived));
  if (written !== null || read !== null) return carried.add(edge.id, { written, read });
  const connections = hopsOf(edge).filter(({ channel }) => channel.startsWith('tcp:'));
  if (
    connections.length === 0 ||
    ways.some(({ transports }) => transports.some(isTransport) && connections.length > edge.channels.length)
  )
    return null;
  return connections.reduce((sum, hop) => sum + (sumsOf(hop, channels)?.sent ?? 0), 0);
}

/** Samples scatter: by so many standard deviations, and so much beside, they may differ from what the kernel counts. */
const [DEVIATIONS, BESIDE] = [4, 0.05];

/**
 * Share of the time in which a process was on a processor or in line for one. The kernel counts both (schedstat), which has no scatter; where
 * samples contradict it, as for a control group at its quota, or it counts nothing, the samples say it.
 */
export function runShare({ sums: { seen, running, runNs, timedNs } }: WatchedProcess): number {
  const sampled = running / seen;
  if (timedNs === 0 || running === seen) return sampled;
  const counted = Math.min(1, runNs / timedNs);
  const scatter = Math.sqrt((counted * (1 - counted)) / seen);
  return Math.abs(counted - sampled) <= DEVIATIONS * scatter + BESIDE ? counted : sampled;
}

/** Of its time on a processor alone; null where the kernel does not count it. */
function onCpuShare({ sums: { onCpuNs, timedNs } }: WatchedProcess): number | null {
  return timedNs === 0 ? null : Math.min(1, onCpuNs / timedNs);
}

/** Share of the time of some of the samples in which a process did not run: of what it did then, they say how it is divided. */
export function stillShare(process: WatchedProcess, samples: number): number {
  const { seen, running } = process.sums;
  return samples === 0 ? 0 : ((1 - runShare(process)) * samples) / (seen - running);
}

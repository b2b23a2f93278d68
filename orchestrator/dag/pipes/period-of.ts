import { last } from '../../../base/lists.ts';
import {
  computePressure,
  type DagPeriod,
  type EdgePeriod,
  type VertexPeriod,
} from '../../../experiments/dag/dag-records.ts';
import type { LiveDetail } from '../source.ts';
import type { Channel, WatchedProcess } from './host-watch.ts';
import type { LiveEdge, LiveGraph, LiveTask } from './job-graph.ts';
import { isTransport, reversed } from './joined.ts';

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

interface PeriodOptions {
  readonly startNs: number;
  readonly endNs: number;
  readonly recordBytes: number | null;
  readonly carried: Carried;
}

/** The record of a period of a job whose processes were sampled. */
export function computePeriod(
  graph: LiveGraph,
  { startNs, endNs, recordBytes, carried }: PeriodOptions,
): { readonly period: DagPeriod; readonly detail: LiveDetail } {
  const { tasks, edges: live } = graph;
  const waits = findWaits(live);
  const isSource = (id: string): boolean => live.every(({ to }) => to !== id);
  const recordsOf = (bytes: number | null): number | null =>
    bytes === null || recordBytes === null ? null : bytes / recordBytes;
  const edges = new Map<string, EdgePeriod>();
  for (const edge of live) {
    const bytes = bytesOf(edge, { edges: live, carried });
    const records = isSource(edge.from) ? recordsOf(bytes) : null;
    const producers = tasks.find(({ vertex }) => vertex.id === edge.from)?.processes ?? [];
    edges.set(edge.id, { ...edgeShares(edge, { producers, waits }), bytes, records });
  }
  const vertices = tasks.map((task): [string, VertexPeriod] => {
    const { id } = task.vertex;
    const [handed] = live.filter(({ from }) => from === id);
    const records = isSource(id) && handed !== undefined ? (edges.get(handed.id)?.records ?? null) : null;
    return [id, { ...taskShares(task, waits), records }];
  });
  const period: DagPeriod = {
    ...{ kind: 'period', startNs, endNs },
    vertices: Object.fromEntries(vertices),
    edges: Object.fromEntries(edges),
  };
  return { period, detail: { fill: new Map(live.map((edge) => [edge.id, fillOf(edge)])) } };
}

/** Samples in which a process was blocked: on channels of the job, or on connections that are its own input and output. */
interface Waits {
  readonly ofJob: (process: WatchedProcess) => number;
  readonly own: (process: WatchedProcess) => number;
}

function findWaits(edges: readonly LiveEdge[]): Waits {
  const ways = edges.flatMap(({ channels }) => channels.flat());
  const hops = new Set(ways.flatMap((way) => way.hops));
  /** Whether it takes data of an edge from its end of a connection. */
  const takes = (process: WatchedProcess, { name }: Channel): boolean =>
    ways.some(({ to, hops: own }) => to === process && last(own).isConnection && reversed(last(own).name) === name);
  /** A pipe whose other end nobody watches is a channel all the same. */
  const isOfJob = (process: WatchedProcess, channel: Channel): boolean =>
    !channel.isConnection || hops.has(channel) || takes(process, channel);
  const blockedIn = (process: WatchedProcess, isCounted: (channel: Channel) => boolean): number => {
    const { r, w } = process.sums.blocked;
    return [...r, ...w].reduce((sum, [channel, count]) => sum + (isCounted(channel) ? count : 0), 0);
  };
  return {
    ofJob: (process) => process.sums.polling + blockedIn(process, (channel) => isOfJob(process, channel)),
    own: (process) => blockedIn(process, (channel) => !isOfJob(process, channel)),
  };
}

function edgeShares(
  edge: LiveEdge,
  { producers, waits }: { readonly producers: readonly WatchedProcess[]; readonly waits: Waits },
): Pick<EdgePeriod, 'buffer' | 'writer' | 'pressure'> {
  const first = new Set(edge.channels.flat().map(({ hops: [hop] }) => hop));
  const blocked = (process: WatchedProcess): number => {
    const counts = [...process.sums.blocked.w].filter(([channel]) => first.has(channel));
    return stillShare(
      process,
      counts.reduce((sum, [, count]) => sum + count, 0),
    );
  };
  return {
    buffer: edge.channels.map(([way]) => fullShare(way?.hops ?? [])),
    writer: producers.map((process) => lived(process, blocked)),
    pressure: producers.map((process) =>
      lived(process, () => computePressure(blocked(process), stillShare(process, waits.ofJob(process)))),
    ),
  };
}

function taskShares({ processes }: LiveTask, waits: Waits): Omit<VertexPeriod, 'records'> {
  const seen = processes.filter(({ sums }) => sums.seen > 0);
  const mean = (share: (process: WatchedProcess) => number): number | null =>
    seen.length === 0 ? null : seen.reduce((sum, process) => sum + share(process), 0) / seen.length;
  const onCpu = mean((process) => onCpuShare(process));
  return {
    processing: processes.map((process) => lived(process, () => 1 - stillShare(process, waits.ofJob(process)))),
    cpu: mean(runShare),
    onCpu: Number.isNaN(onCpu) ? null : onCpu,
    disk: mean((process) => stillShare(process, process.sums.disk + waits.own(process))),
  };
}

/** Null for a process that no sample found. */
function lived(process: WatchedProcess, share: (process: WatchedProcess) => number): number | null {
  return process.sums.seen === 0 ? null : share(process);
}

/** A channel of several buffers with transports between them carries no more while one of them is full: how long the fullest was. */
function fullShare(hops: readonly Channel[]): number | null {
  const shares = hops.flatMap(({ level }) => (level !== null && level.samples > 0 ? [level.full / level.samples] : []));
  return shares.length === 0 ? null : Math.max(...shares);
}

function fillOf({ channels }: LiveEdge): number | null {
  let [held, room] = [0, 0];
  for (const { level } of channels.flat().flatMap(({ hops }) => hops)) {
    if (level === null || level.samples === 0) continue;
    held += level.levelSum / level.samples;
    room += level.capacity;
  }
  return room === 0 ? null : Math.min(1, held / room);
}

/**
 * Bytes that went over an edge. Calls of read and write are counted per process: they are the edge's where the process has no other
 * on that side; of both sides the less, since either may use files too. Else what connections acknowledged.
 */
function bytesOf(
  edge: LiveEdge,
  { edges, carried }: { readonly edges: readonly LiveEdge[]; readonly carried: Carried },
): number | null {
  const ways = edge.channels.flat();
  const others = edges.filter((other) => other !== edge).flatMap(({ channels }) => channels.flat());
  const total = (side: 'from' | 'to', key: 'writtenBytes' | 'readBytes'): number | null => {
    let sum = 0;
    for (const process of new Set(ways.map((way) => way[side]))) {
      if (others.some((way) => way[side] === process)) return null;
      const { sums, last: before, lived: life } = process;
      // Of one that has ended nothing more comes; of one whose counts may not be read nothing is known.
      if (sums[key] === null && before[key] === null && life > 0) return null;
      sum += sums[key] ?? 0;
    }
    return sum;
  };
  const [written, read] = [total('from', 'writtenBytes'), total('to', 'readBytes')];
  if (written !== null || read !== null) return carried.add(edge.id, { written, read });
  const connections = ways.flatMap(({ hops }) => hops).filter(({ isConnection }) => isConnection);
  const isShared = connections.length > edge.channels.length && ways.some((way) => way.transports.some(isTransport));
  if (connections.length === 0 || isShared) return null;
  return connections.reduce((sum, { level }) => sum + (level?.sent ?? 0), 0);
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

/** Of its time on a processor alone; NaN where the kernel does not count it. */
function onCpuShare({ sums: { onCpuNs, timedNs } }: WatchedProcess): number {
  return timedNs === 0 ? Number.NaN : Math.min(1, onCpuNs / timedNs);
}

/** Share of the time of some of the samples in which a process did not run: of what it did then, they say how it is divided. */
export function stillShare(process: WatchedProcess, samples: number): number {
  const { seen, running } = process.sums;
  return samples === 0 ? 0 : ((1 - runShare(process)) * samples) / (seen - running);
}

import type { Model } from '../../../../analysis/grade10/model/create-model.ts';
import type { Metric } from '../../../../analysis/grade10/model/metrics.ts';
import type { CellRecord } from '../../../../experiments/records.ts';
import type { CellTrace, Counter } from '../../../../experiments/store/read-traces.ts';

export const MS = 1e6;

type Clock = CellRecord['clocks'][number];

/** A finished run on hosts a, b, ..., their clocks alike; 200 Mbit/s at 10 % is 2.5 MB/s. */
export function makeRecord({
  hosts = ['a', 'b'],
  ranks = hosts.length,
  bw = 10,
  clocks = hosts.map((host) => ({ host, offsetNs: 0, errorNs: 1000 })),
}: {
  readonly hosts?: string[];
  readonly ranks?: number;
  readonly bw?: number;
  readonly clocks?: Clock[];
} = {}): CellRecord {
  const id = '0123456789abcdef';
  return {
    cell: { id, workload: 'graph500', nodes: hosts.length, ranks, scale: 20, bw, rep: 1, role: 'measure', roots: 1 },
    status: 'ok',
    reason: null,
    outputTail: [],
    exitCode: 0,
    command: 'true',
    hosts,
    startedAt: '2026-01-01T00:00:00.000Z',
    timing: { totalMs: 1, throttleMs: 0, workloadMs: 1, collectMs: 0 },
    summary: {},
    proof: null,
    runs: [],
    clocks,
    samplers: [],
    marks: [],
  };
}

/** One event of a rank, from and to in ms on its host's clock; `asleepMs` left out: not measured. */
export type Event = readonly [
  rank: number,
  phase: string,
  fromMs: number,
  toMs: number,
  root?: number,
  level?: number,
  asleepMs?: number,
];

export const NO_MESSAGES: CellTrace['messages'] = {
  worker: new Int32Array(0),
  kind: [],
  timeNs: new Float64Array(0),
  peer: new Int32Array(0),
  bytes: new Float64Array(0),
  id: new Float64Array(0),
  doneNs: new Float64Array(0),
  waitedNs: new Float64Array(0),
  queuedNs: new Float64Array(0),
  postedNs: new Float64Array(0),
};

export function makeTrace(events: readonly Event[], counters: readonly Counter[] = []): CellTrace {
  return {
    spans: {
      worker: Int32Array.from(events, ([rank]) => rank),
      keys: {
        root: Float64Array.from(events, ([, , , , root]) => root ?? Number.NaN),
        level: Float64Array.from(events, ([, , , , , level]) => level ?? Number.NaN),
      },
      phase: events.map(([, phase]) => phase),
      startNs: Float64Array.from(events, ([, , from]) => from * MS),
      endNs: Float64Array.from(events, ([, , , to]) => to * MS),
      bytesSent: Float64Array.from(events, () => Number.NaN),
      asleepNs: Float64Array.from(events, ([, , , , , , asleep]) => (asleep === undefined ? Number.NaN : asleep * MS)),
      queuedNs: new Float64Array(events.length).fill(Number.NaN),
    },
    messages: NO_MESSAGES,
    counters,
  };
}

/** A counter's readings by the ms at which they were taken. */
export function makeCounter(
  host: string,
  metric: string,
  readings: readonly (readonly [ms: number, value: number])[],
  rank: number | null = null,
): Counter {
  return {
    host,
    metric,
    worker: rank,
    timesNs: Float64Array.from(readings, ([ms]) => ms * MS),
    values: Float64Array.from(readings, ([, value]) => value),
  };
}

/** Busy time of a host's processors, ms read at ms. */
export function cpu(host: string, readings: readonly (readonly [ms: number, busyMs: number])[]): Counter {
  return makeCounter(
    host,
    'cpu.busy_ns',
    readings.map(([ms, busy]) => [ms, busy * MS]),
  );
}

/** A rank's process, seen on a host at these ms. */
export function seen(host: string, rank: number, ...times: readonly number[]): Counter {
  return makeCounter(
    host,
    'rank.cpu_ns',
    times.map((ms) => [ms, 0]),
    rank,
  );
}

/** The model's metric of this path, as slices and rates. */
export function consumed(model: Model, path: string): { capacity: number; periods: [number, number, number][] } {
  const metric = metricAt(model, path);
  if (metric.class !== 'consumable') throw new Error(`${path} is ${metric.class}`);
  const { capacity, first, end, rates } = metric;
  return { capacity, periods: Array.from(rates, (rate, at) => [first[at] ?? -1, end[at] ?? -1, rate]) };
}

/** Slices in which a blocking metric is blocked. */
export function blockedSlices(model: Model, path: string): number[] {
  const metric = metricAt(model, path);
  if (metric.class !== 'blocking') throw new Error(`${path} is ${metric.class}`);
  return Array.from(metric.blocked.entries()).flatMap(([slice, blocked]) => (blocked === 1 ? [slice] : []));
}

function metricAt({ metrics }: Model, path: string): Metric {
  const found = metrics.find((metric) => metric.path === path);
  if (found === undefined) throw new Error(`no metric ${path}: ${metrics.map((metric) => metric.path).join(', ')}`);
  return found;
}

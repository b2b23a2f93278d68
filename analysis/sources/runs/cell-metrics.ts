import { at } from '../../../base/lists.ts';
import { asBitsPerSecond, asPercent, rateOf, WIRE_BYTES } from '../../../base/units.ts';
import type { CellRecord } from '../../../experiments/records.ts';
import type { CellTrace, Counter } from '../../../experiments/store/read-traces.ts';
import type { MetricInput } from '../../grade10/model/metrics.ts';
import type { PhaseTypes } from '../../grade10/model/phase-types.ts';
import { resourcesAbove, WORKER_KEYS } from '../../platform/check-platform.ts';
import type { Platform } from '../../platform/platform.ts';
import type { PhaseTree } from './run-phase-tree.ts';

/** The counters of what the ranks of a host keep to of themselves, and of its quota: the first that there is counts. */
export const CAPACITIES = ['cpu.share_mcores', 'cpu.capacity_mcores'] as const;

interface CellMetricsOptions {
  readonly platform: Platform;
  /** The run's phases, on the model's clock. */
  readonly tree: Pick<PhaseTree, 'columns' | 'asleepNs'>;
  /** A host's time on the model's clock. */
  readonly onClock: (host: string, ns: number) => number;
  readonly hostOf: (rank: number) => string;
  readonly lineRateBps: number;
  readonly cores: number;
}

/** The metrics that a platform asks of a run: rates of counters with their capacities, waits from phases that only wait. */
export function cellMetrics(
  { cell, hosts, marks, proof }: CellRecord,
  trace: CellTrace,
  { platform, tree, onClock, hostOf, lineRateBps, cores }: CellMetricsOptions,
): { readonly metrics: readonly MetricInput[]; readonly warnings: readonly string[] } {
  const { phaseTypes, measured } = platform;
  const capacityOf = (kind: 'cores' | 'link' | number, host: string): number => {
    if (typeof kind === 'number') return kind;
    if (kind === 'cores') return quotaOf(trace, host) ?? cores;
    const rateBps = rateOf(asBitsPerSecond(lineRateBps), asPercent(cell.bw));
    // A slow link that the inventory accepts carries what its probes reached, headers beside it.
    const isAccepted = marks.some((mark) => mark.kind === 'link-accepted' && mark.host === host);
    const probe = isAccepted ? proof?.probes.find((one) => one.host === host) : undefined;
    return Math.min(rateBps, probe === undefined ? rateBps : WIRE_BYTES * Math.min(probe.outBps, probe.inBps)) / 8;
  };
  const made = Object.entries(measured?.metrics ?? {}).map(([type, source]) => {
    const path = (host: string, rank: string): string => instance(type, platform, { host, rank });
    if ('waits' in source) {
      const typeOf = (name: string): number => phaseTypes.indexOf.get(name) ?? -1;
      const [waiting, sleeping] = [typeOf(source.waits), new Set((source.sleeps ?? []).map(typeOf))];
      const pathOf = (rank: string): string => path(hostOf(Number(rank)), rank);
      return { metrics: waitsOf(tree, phaseTypes, { waiting, sleeping, pathOf }), warnings: [] };
    }
    const rates = countersFor(source.counter, trace, hosts).map((counter) =>
      computeRates(counter, {
        path: path(counter.host, String(counter.worker)),
        capacity: capacityOf(source.capacity, counter.host),
        factor: source.factor,
        onClock: (ns) => onClock(counter.host, ns),
        jobEnd: at(tree.columns.endNs, 0),
      }),
    );
    return { metrics: rates.map(({ metric }) => metric), warnings: rates.flatMap(({ warnings }) => warnings) };
  });
  return { metrics: made.flatMap(({ metrics }) => metrics), warnings: made.flatMap(({ warnings }) => warnings) };
}

/** The readings of one counter; hosts that were not read while others were have an empty one, so that each has its metrics. */
function countersFor(metric: string, { counters }: CellTrace, hosts: readonly string[]): readonly Counter[] {
  const own = counters.filter((one) => one.metric === metric && hosts.includes(one.host));
  if (own.length === 0 || own.some(({ worker }) => worker !== null)) return own;
  const none = { metric, worker: null, timesNs: new Float64Array(0), values: new Float64Array(0) };
  return hosts.map((host) => own.find((one) => one.host === host && one.timesNs.length > 1) ?? { ...none, host });
}

/** A metric type's path with the ids of the resources on its way. */
function instance(
  type: string,
  { resourceTypes: { resources } }: Platform,
  ids: { readonly host: string; readonly rank: string },
): string {
  return resourcesAbove(type, resources).reduceRight(
    (path, { path: resource, key }) =>
      `${resource}[${key}=${WORKER_KEYS.includes(key ?? '') ? ids.rank : ids.host}]${path.slice(resource.length)}`,
    type,
  );
}

export function quotaOf({ counters }: CellTrace, host: string): number | null {
  const found = CAPACITIES.map((metric) => counters.find((one) => one.host === host && one.metric === metric));
  const millicores = found.find((one) => one !== undefined)?.values.at(-1);
  return millicores ? millicores / 1000 : null;
}

/**
 * A blocking metric per rank, from phases of type `waiting`, which do nothing but wait, and `sleeping` ones: when it waited for the others. Where the trace measured how long the rank slept, it waited that
 * long at the end of each phase (how much is measured, when is not); elsewhere for as long as its phases of type `waiting` last.
 */
function waitsOf(
  { columns: { type, parent, id, startNs, endNs }, asleepNs }: Pick<PhaseTree, 'columns' | 'asleepNs'>,
  { keys }: PhaseTypes,
  {
    waiting,
    sleeping,
    pathOf,
  }: { readonly waiting: number; readonly sleeping: ReadonlySet<number>; readonly pathOf: (rank: string) => string },
): MetricInput[] {
  const measured = asleepNs.some((asleep, phase) => sleeping.has(at(type, phase)) && !Number.isNaN(asleep));
  const waits = new Map<string, [number[], number[]]>();
  for (const [phase, own] of type.entries()) {
    if (measured ? !sleeping.has(own) : own !== waiting) continue;
    let owner = phase;
    while (owner > 0 && !WORKER_KEYS.includes(keys[at(type, owner)] ?? '')) owner = at(parent, owner);
    const whose = at(id, owner);
    const [starts, ends] = waits.get(whose) ?? [[], []];
    const [start, end] = [at(startNs, phase), at(endNs, phase)];
    starts.push(measured ? Math.max(start, end - (asleepNs[phase] || 0)) : start);
    ends.push(end);
    waits.set(whose, [starts, ends]);
  }
  return [...waits].map(([rank, [starts, ends]]) => ({
    class: 'blocking',
    path: pathOf(rank),
    startNs: Float64Array.from(starts),
    endNs: Float64Array.from(ends),
  }));
}

/** Readings closer than this are taken together: a CPU quota comes in slices of some 10 ms, within which rates mean nothing. */
const SHORTEST_PERIOD_NS = 40e6;
/** A pause this much longer than usual is a gap. */
const GAP = 8;
/** Where too much goes: a time stamp is taken before its counter is read, so a late reading holds what belongs after it. */
const NEIGHBOURS = [1, -1, 2, -2] as const;

interface ReadingsOptions {
  readonly path: string;
  readonly capacity: number;
  /** The metric's unit per count. */
  readonly factor: number;
  /** The reading's time on the model's clock, ns. */
  readonly onClock: (ns: number) => number;
  readonly jobEnd: number;
}

/**
 * A counter's rises as rates, per second. Over a gap a rise is spread evenly; a counter that falls was set back, so that period
 * counts as 0; so does a run in which nothing was read. All of it is said; what the readings leave open at the start or the end
 * of the job is the model's to say. Rates above the capacity are evened out over the periods around them (`withinCapacity`).
 */
export function computeRates(
  { timesNs, values }: Counter,
  { path, capacity, factor, onClock, jobEnd }: ReadingsOptions,
): { readonly metric: MetricInput; readonly warnings: readonly string[] } {
  const periods: Period[] = [];
  let [longest, fell] = [0, 0];
  const add = (start: number, end: number, rise: number): void => {
    if (end <= start) return;
    if (rise < 0 && end > 0 && start < jobEnd) fell += 1;
    periods.push({ start, end, amount: Math.max(0, rise) * factor * 1e9, read: rise >= 0 });
  };
  let used = 0;
  for (let reading = 1; reading < timesNs.length; reading += 1) {
    const pause = at(timesNs, reading) - at(timesNs, used);
    if (pause < SHORTEST_PERIOD_NS && reading < timesNs.length - 1) continue;
    const [from, to] = [onClock(at(timesNs, used)), onClock(at(timesNs, reading))];
    if (to > 0 && from < jobEnd) longest = Math.max(longest, pause);
    add(from, to, at(values, reading) - at(values, used));
    used = reading;
  }
  const isRead = periods.some(({ start, end }) => end > 0 && start < jobEnd);
  const nothing = { start: 0, end: jobEnd, amount: 0, read: false };
  if (!isRead) periods.splice((periods[0]?.start ?? 0) < jobEnd ? periods.length : 0, 0, nothing);
  const usual = Math.max(
    SHORTEST_PERIOD_NS,
    ((timesNs.at(-1) ?? 0) - (timesNs[0] ?? 0)) / Math.max(1, timesNs.length - 1),
  );
  const warnings = [
    ...(longest > GAP * usual
      ? [`The readings of ${path} have a gap of ${seconds(longest)}: usage is spread evenly over it.`]
      : []),
    ...(isRead ? [] : [`${path} was not read during the run: it counts as unused.`]),
    ...(fell > 0 ? [`The counter of ${path} decreased (${fell} times): these periods count as unused.`] : []),
  ];
  const possible = withinCapacity(periods, capacity);
  const columns = {
    startNs: Float64Array.from(possible, ({ start }) => start),
    endNs: Float64Array.from(possible, ({ end }) => end),
    rates: Float64Array.from(possible, ({ start, end, amount }) => upTo(capacity, amount / (end - start))),
  };
  return { metric: { class: 'consumable', path, capacity, ...columns }, warnings };
}

interface Period {
  readonly start: number;
  readonly end: number;
  /** Used in it, the metric's unit times ns. */
  readonly amount: number;
  /** False where nothing is known of it. */
  readonly read: boolean;
}

/**
 * A rate above the capacity says that a reading came late, or that a quota's slices fell unevenly into the period: what is
 * too much was used in the periods around it, as far as those have room. What does not fit there stays where it was.
 */
function withinCapacity(periods: readonly Period[], capacity: number): readonly Period[] {
  const amounts = periods.map(({ amount }) => amount);
  const roomOf = (place: number): number => {
    const period = periods[place];
    // Beyond either end nothing has room.
    return period?.read ? capacity * (period.end - period.start) - at(amounts, place) : 0;
  };
  for (const place of periods.keys()) {
    for (const step of NEIGHBOURS) {
      const excess = -roomOf(place);
      if (excess <= 0) break;
      const moved = Math.min(excess, Math.max(0, roomOf(place + step)));
      if (moved <= 0) continue;
      amounts[place] = at(amounts, place) - moved;
      amounts[place + step] = at(amounts, place + step) + moved;
    }
  }
  return periods.map((period, place) => ({ ...period, amount: at(amounts, place) }));
}

/** A rate that only rounding keeps from the capacity is the capacity. */
function upTo(capacity: number, rate: number): number {
  return Math.abs(rate - capacity) <= 1e-9 * capacity ? capacity : rate;
}

function seconds(ns: number): string {
  return `${(ns / 1e9).toFixed(2)} s`;
}

import { at, own } from '../../../base/lists.ts';
import {
  type Clocks,
  clocksOf,
  placesOf,
  type Stretch,
  withoutGaps,
} from '../../../experiments/mpi-trace/run-clock.ts';
import { type PartRule, type TimedPart, timedPart } from '../../../experiments/mpi-trace/timed-part.ts';
import type { CellRecord } from '../../../experiments/records.ts';
import type { CellTrace, Counter } from '../../../experiments/store/read-traces.ts';
import { createModel, type Model } from '../../grade10/model/create-model.ts';
import { WORKER_KEYS } from '../../platform/check-platform.ts';
import { mapPhases, type Platform } from '../../platform/platform.ts';
import { CAPACITIES, cellMetrics } from './cell-metrics.ts';
import { phaseTree, RANK_SEEN } from './run-phase-tree.ts';

export interface CellModelOptions {
  /** Rate of the full link, bit/s; the cell's own bandwidth is a share of it. */
  readonly lineRateBps: number;
  /** Cores of a host without a quota. */
  readonly cores: number;
  /** Default: the platform's. */
  readonly timesliceNs?: number | undefined;
  /** Which part of a run is explained, of runs whose MPI calls were recorded; without it all of it. */
  readonly partRule?: PartRule | undefined;
}

/** The counters that a platform's models are made of. */
export function countersOf({ measured }: Platform): readonly string[] {
  const sources = Object.values(measured?.metrics ?? {});
  return [...new Set([...sources.flatMap((one) => ('counter' in one ? [one.counter] : [])), ...CAPACITIES, RANK_SEEN])];
}

/**
 * The model of one measured run, without any work of the user: phases from its trace (or the lives of its ranks), on the
 * first host's clock; CPU per host, its capacity the quota where there is one; the interface in both directions, its capacity
 * what the throttle allowed; waits of ranks from phases that only wait. Errors: badInput, as of `createModel`.
 */
export function cellModel(
  record: CellRecord,
  whole: CellTrace,
  {
    platform,
    lineRateBps,
    cores,
    partRule,
    timesliceNs = platform.timesliceNs,
  }: CellModelOptions & { readonly platform: Platform },
): { readonly model: Model; readonly part: TimedPart | null; readonly warnings: readonly string[] } {
  const { cell, hosts } = record;
  const [clocks, hostOf] = [clocksOf(record), placesOf(record, whole)];
  const onClockOf = (rank: number, ns: number): number => clocks.correct(hostOf(rank), ns);
  const isRecorded = partRule !== undefined && whole.spans.phase.length > 0;
  const part = isRecorded ? timedPart(whole.spans, { onClock: onClockOf, rule: partRule, record }) : null;
  const trace = part === null ? whole : cutTrace(whole, { stretches: part.stretches, clocks, hostOf });
  const tree = phaseTree(trace, platform, onClockOf);
  // The origin may lie before the first reading of a host; what all columns share is moved to 0.
  const origin = at(tree.columns.startNs, 0);
  const shifted = (times: Float64Array): Float64Array => times.map((time) => time - origin);
  const { startNs, endNs } = tree.columns;
  const columns = { ...tree.columns, startNs: shifted(startNs), endNs: shifted(endNs) };
  const onClock = (host: string, ns: number): number => clocks.correct(host, ns) - origin;
  const measured = cellMetrics(record, trace, {
    ...{ platform, onClock, hostOf, lineRateBps, cores },
    tree: { columns, asleepNs: tree.asleepNs },
  });
  const hostsOf = Object.fromEntries(Array.from({ length: cell.ranks }, (_, rank) => [String(rank), hostOf(rank)]));
  const places = Object.fromEntries(WORKER_KEYS.map((key) => [key, hostsOf]));
  const model = createModel({
    ...platform,
    phases: columns,
    metrics: measured.metrics,
    mapping: mapPhases(columns, { ...platform, places: { ...places, ...platform.places } }),
    timesliceNs: timesliceNs || undefined,
  });
  const apart = clocks.apart(model.timesliceNs);
  const clockWarning = `The clocks of ${apart.join(', ')} differ from that of ${hosts[0]} by more than a slice: their times were corrected by the measured offsets.`;
  return {
    model,
    part,
    warnings: [
      ...model.notices,
      ...(part?.warnings ?? []),
      ...tree.warnings,
      ...measured.warnings,
      ...(apart.length > 0 ? [clockWarning] : []),
    ],
  };
}

type Stretches = readonly Stretch[];

/**
 * A trace of nothing but the part of a run: what lies before and behind it is left out, and so is what lies between its stretches,
 * which then follow each other at once. Counters rise as they did within them. Messages stay as they are.
 */
export function cutTrace(
  trace: CellTrace,
  {
    stretches,
    clocks,
    hostOf,
  }: { readonly stretches: Stretches; readonly clocks: Clocks; readonly hostOf: (rank: number) => string },
): CellTrace {
  const byHost = new Map<string, Stretches>();
  const of = (host: string): Stretches => {
    const known = byHost.get(host) ?? stretches.map(onClockOf(clocks, host));
    byHost.set(host, known);
    return known;
  };
  return {
    ...trace,
    spans: cutSpans(trace.spans, (rank) => of(hostOf(rank))),
    counters: trace.counters.map((counter) => cutCounter(counter, of(counter.host))),
  };
}

/** From the clock of all to a host's own. */
function onClockOf({ correct }: Clocks, host: string) {
  const aheadNs = -correct(host, 0);
  return ({ startNs, endNs }: Stretch) => ({ startNs: startNs + aheadNs, endNs: endNs + aheadNs });
}

function cutSpans(spans: CellTrace['spans'], stretchesOf: (rank: number) => Stretches): CellTrace['spans'] {
  const kept: { readonly row: number; readonly startNs: number; readonly endNs: number; readonly share: number }[] = [];
  for (const [row, rank] of spans.worker.entries()) {
    const [from, to] = [at(spans.startNs, row), at(spans.endNs, row)];
    const stretches = stretchesOf(rank);
    const [startNs, endNs] = [withoutGaps(from, stretches), withoutGaps(to, stretches)];
    if (endNs > startNs) kept.push({ row, startNs, endNs, share: (endNs - startNs) / (to - from) });
  }
  const column = (values: Float64Array): Float64Array => Float64Array.from(kept, ({ row }) => at(values, row));
  const part = (values: Float64Array): Float64Array =>
    Float64Array.from(kept, ({ row, share }) => at(values, row) * share);
  return {
    worker: Int32Array.from(kept, ({ row }) => at(spans.worker, row)),
    phase: kept.map(({ row }) => at(spans.phase, row)),
    startNs: Float64Array.from(kept, ({ startNs }) => startNs),
    endNs: Float64Array.from(kept, ({ endNs }) => endNs),
    ...{ asleepNs: part(spans.asleepNs), queuedNs: part(spans.queuedNs), bytesSent: part(spans.bytesSent) },
    keys: Object.fromEntries(
      Object.keys(spans.keys).map((key) => [key, column(own(spans.keys, key) ?? column(spans.startNs))]),
    ),
  };
}

/** Between two readings a counter is taken to rise evenly. What it was at the end of one stretch, it is at the start of the next. */
function cutCounter(counter: Counter, stretches: Stretches): Counter {
  // Capacities are no sums.
  if (stretches.length === 1 || CAPACITIES.some((name) => name === counter.metric)) return counter;
  const { timesNs, values } = counter;
  const [times, sums]: [number[], number[]] = [[], []];
  let [gapNs, gap] = [0, 0];
  const add = (ns: number, value: number): void => {
    times.push(ns - gapNs);
    sums.push(value - gap);
  };
  for (const [place, { startNs, endNs }] of stretches.entries()) {
    const before = stretches[place - 1]?.endNs ?? Number.NEGATIVE_INFINITY;
    const isLast = place === stretches.length - 1;
    if (place > 0) {
      gapNs += startNs - before;
      gap += readCounterAt(counter, startNs) - readCounterAt(counter, before);
    }
    for (const [reading, ns] of timesNs.entries()) {
      if ((place === 0 || ns > startNs) && (isLast || ns < endNs)) add(ns, at(values, reading));
    }
    if (!isLast) add(endNs, readCounterAt(counter, endNs));
  }
  return { ...counter, timesNs: Float64Array.from(times), values: Float64Array.from(sums) };
}

/** A counter between its samples. */
export function readCounterAt({ timesNs, values }: Counter, ns: number): number {
  const next = timesNs.findIndex((time) => time >= ns);
  if (next < 0) return values.at(-1) ?? 0;
  if (next === 0) return values[0] ?? 0;
  const [from, to] = [at(timesNs, next - 1), at(timesNs, next)];
  return at(values, next - 1) + ((at(values, next) - at(values, next - 1)) * (ns - from)) / Math.max(1, to - from);
}

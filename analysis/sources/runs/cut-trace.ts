import { at, own } from '../../../base/lists.ts';
import type { CellTrace, Counter } from '../../../experiments/store/read-traces.ts';
import { CAPACITIES } from './cell-metrics.ts';
import type { Clocks } from './clocks.ts';
import { type Stretch, withoutGaps } from './timed-part.ts';

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
      gap += valueAt(counter, startNs) - valueAt(counter, before);
    }
    for (const [reading, ns] of timesNs.entries()) {
      if ((place === 0 || ns > startNs) && (isLast || ns < endNs)) add(ns, at(values, reading));
    }
    if (!isLast) add(endNs, valueAt(counter, endNs));
  }
  return { ...counter, timesNs: Float64Array.from(times), values: Float64Array.from(sums) };
}

function valueAt({ timesNs, values }: Counter, ns: number): number {
  const next = timesNs.findIndex((time) => time >= ns);
  if (next < 0) return values.at(-1) ?? 0;
  if (next === 0) return values[0] ?? 0;
  const [from, to] = [at(timesNs, next - 1), at(timesNs, next)];
  return at(values, next - 1) + ((at(values, next) - at(values, next - 1)) * (ns - from)) / Math.max(1, to - from);
}

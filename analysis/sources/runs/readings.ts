import { at } from '../../../base/lists.ts';
import type { Counter } from '../../../experiments/store/read-traces.ts';
import type { MetricInput } from '../../grade10/model/metrics.ts';

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

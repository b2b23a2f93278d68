import { at, lowerBound, mulberry32 } from '../../base/lists.ts';
import { studentQuantile } from './distributions.ts';

/** A figure of one campaign: its logarithm, and the variance of that by its own repetitions; null where they do not tell. */
export interface LogValue {
  readonly log: number;
  readonly variance: number | null;
}

/** From the value at `index` on, values are `ratio` times those since the change before. */
interface ChangePoint {
  readonly index: number;
  readonly ratio: { readonly value: number; readonly low: number; readonly high: number };
}

/** A history as levels with noise around them. */
export interface Changes {
  readonly points: readonly ChangePoint[];
  /** Typical values between them. */
  readonly levels: readonly number[];
  /** Standard deviation of logarithms around their levels; null where nothing tells it. */
  readonly noise: number | null;
}

interface Asked {
  /** Probability that histories without a change have any change point, all together. */
  readonly falseAlarms?: number;
  /** Probability of the intervals. */
  readonly level?: number;
  readonly seed?: number;
}

/** Of fewer values no order is rare enough. */
export const FEWEST_VALUES = 8;
/** Values on each side of a change: one or two alone may be outliers. */
const SIDE = 3;
/** How false alarms are shared: one change, and two, as where a change was undone. */
const SHARES = [0.85, 0.15] as const;

/**
 * Change points of histories that were measured together, null where one lacks a value. Binary segmentation: the best split is judged by t-tests on
 * logarithms, as in Hunter (Fleming et al., ICPE 2023), and compared with the best splits of permuted histories, as in E-divisive (Matteson and
 * James, JASA 109, 2014). All histories are permuted alike, and the best of any counts (Westfall and Young, 1993). Pairs of changes are tested as well:
 * single splits do not see a change that was undone. Values scatter at least as much as their repetitions do.
 */
export function findChangePoints(
  histories: readonly (readonly (LogValue | null)[])[],
  { falseAlarms = 0.05, level = 0.9, seed = 1 }: Asked = {},
): readonly Changes[] {
  const centred = histories.map((values) => {
    const known = values.flatMap((value) => value ?? []);
    return values.map((value) => (value === null ? Number.NaN : value.log - meanOf(known.map(({ log }) => log))));
  });
  const noises = new Map<string, Noise>();
  const noiseOf = ({ from, to }: Stretch): Noise => {
    const key = `${from} ${to}`;
    const noise =
      noises.get(key) ??
      permutedBests(
        centred.map((values) => values.slice(from, to)),
        seed,
      );
    noises.set(key, noise);
    return noise;
  };
  return histories.map((values, index) => {
    const sums = sumsOf(at(centred, index));
    const least = meanOf(values.flatMap((value) => value?.variance ?? []));
    const starts = splitsOf(sums, { from: 0, to: values.length }, { least, falseAlarms, noiseOf });
    return changesAt(values, starts, { least, level });
  });
}

/** 0 of none. */
function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

/** Levels that begin at these places, and how each differs from the one before. */
function changesAt(
  values: readonly (LogValue | null)[],
  starts: readonly number[],
  { least, level }: { readonly least: number; readonly level: number },
): Changes {
  const bounds = [0, ...starts, values.length];
  const levels = bounds.slice(1).map((to, place) => {
    const logs = values.slice(bounds[place], to).flatMap((value) => value?.log ?? []);
    const log = meanOf(logs);
    return { log, count: logs.length, errors: logs.reduce((sum, each) => sum + (each - log) ** 2, 0) };
  });
  const freedom = levels.reduce((sum, { count }) => sum + count - 1, 0);
  const errors = levels.reduce((sum, one) => sum + one.errors, 0);
  const variance = freedom > 0 ? Math.max(errors / freedom, least) : null;
  const points = starts.map((index, place): ChangePoint => {
    const [before, after] = [at(levels, place), at(levels, place + 1)];
    const log = after.log - before.log;
    const half = studentQuantile(freedom, level) * Math.sqrt((variance ?? 0) * (1 / before.count + 1 / after.count));
    return { index, ratio: { value: Math.exp(log), low: Math.exp(log - half), high: Math.exp(log + half) } };
  });
  return {
    ...{ points, levels: levels.map(({ log }) => Math.exp(log)) },
    noise: variance === null ? null : Math.sqrt(variance),
  };
}

/** Of the values before each place: how many are known, their sum, and that of their squares. */
interface Sums {
  readonly count: Float64Array;
  readonly sum: Float64Array;
  readonly squares: Float64Array;
}

interface Stretch {
  readonly from: number;
  readonly to: number;
}

function emptySums(length: number): Sums {
  const [count, sum, squares] = [
    new Float64Array(length + 1),
    new Float64Array(length + 1),
    new Float64Array(length + 1),
  ];
  return { count, sum, squares };
}

/** Of values around their mean: else their squares would swallow their differences. NaN is no value. Written over `sums`. */
function sumsOf(values: ArrayLike<number>, sums = emptySums(values.length)): Sums {
  const { count, sum, squares } = sums;
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] as number;
    const known = Number.isNaN(value) ? 0 : value;
    count[index + 1] = (count[index] as number) + (Number.isNaN(value) ? 0 : 1);
    sum[index + 1] = (sum[index] as number) + known;
    squares[index + 1] = (squares[index] as number) + known * known;
  }
  return sums;
}

function within(all: Float64Array, from: number, to: number): number {
  return (all[to] as number) - (all[from] as number);
}

/** Squared errors of a stretch around its mean. */
function errorsIn({ count, sum, squares }: Sums, { from, to }: Stretch): number {
  return within(squares, from, to) - within(sum, from, to) ** 2 / Math.max(1, within(count, from, to));
}

interface Test {
  /** Variance of a value by its repetitions. */
  readonly least: number;
  readonly falseAlarms: number;
  readonly noiseOf: (stretch: Stretch) => Noise;
}

/** Where levels begin within a stretch, but the first of them. */
function splitsOf(sums: Sums, stretch: Stretch, test: Test): readonly number[] {
  const { from, to } = stretch;
  const count = within(sums.count, from, to);
  const whole = errorsIn(sums, stretch);
  // Equal values differ by what numbers are rounded to.
  if (count < FEWEST_VALUES || whole <= ROUNDING * count) return [];
  const [first] = [bestSplit, bestPair]
    .map((best, index) => {
      const { starts, explained } = best(sums, stretch);
      const left = Math.max(whole - explained, test.least * (count - 1 - starts.length));
      const shares = at(test.noiseOf(stretch), index);
      const beyond = shares.length - lowerBound(shares, { from: 0, to: shares.length, least: 1 - left / whole - TIE });
      return { starts, chance: (beyond + 1) / (shares.length + 1) / at(SHARES, index) };
    })
    .sort((one, other) => one.chance - other.chance);
  if (first === undefined || first.chance > test.falseAlarms) return [];
  const bounds = [from, ...first.starts, to];
  return bounds.slice(1).flatMap((end, index) => {
    const start = at(bounds, index);
    return [...(index === 0 ? [] : [start]), ...splitsOf(sums, { from: start, to: end }, test)];
  });
}

/** Square of a difference of logarithms that is none. */
const ROUNDING = 1e-20;
/** Shares that differ by less are those of one order of the values. */
const TIE = 1e-9;

interface Best {
  readonly starts: readonly number[];
  /** Squared errors that these levels take away. */
  readonly explained: number;
}

function bestSplit({ count, sum }: Sums, { from, to }: Stretch): Best {
  const common = within(sum, from, to) ** 2 / within(count, from, to);
  let [most, start] = [common, from];
  for (let split = from + SIDE; split <= to - SIDE; split += 1) {
    const [before, after] = [within(count, from, split), within(count, split, to)];
    if (before < SIDE || after < SIDE) continue;
    const explained = within(sum, from, split) ** 2 / before + within(sum, split, to) ** 2 / after;
    if (explained > most) [most, start] = [explained, split];
  }
  return { starts: [start], explained: most - common };
}

function bestPair({ count, sum }: Sums, { from, to }: Stretch): Best {
  const [known, total] = [count[to] as number, sum[to] as number];
  const common = within(sum, from, to) ** 2 / within(count, from, to);
  let [most, start, end] = [common, from, to];
  for (let first = from + SIDE; first <= to - 2 * SIDE; first += 1) {
    const [countThere, sumThere] = [count[first] as number, sum[first] as number];
    const before = countThere - (count[from] as number);
    if (before < SIDE) continue;
    const own = (sumThere - (sum[from] as number)) ** 2 / before;
    for (let second = first + SIDE; second <= to - SIDE; second += 1) {
      const [counted, summed] = [count[second] as number, sum[second] as number];
      const among = counted - countThere;
      const after = known - counted;
      if (among < SIDE || after < SIDE) continue;
      const explained = own + (summed - sumThere) ** 2 / among + (total - summed) ** 2 / after;
      if (explained > most) {
        most = explained;
        start = first;
        end = second;
      }
    }
  }
  return { starts: [start, end], explained: most - common };
}

/** What permuted histories have at best: shares of their squared errors, of a split and of a pair, ascending. */
type Noise = readonly [one: Float64Array, two: Float64Array];

/** How many: as many as about a tenth of a second allows. */
const DRAWS = { least: 199, most: 999, steps: 2e7 };

function permutedBests(histories: readonly (readonly number[])[], seed: number): Noise {
  const length = histories[0]?.length ?? 0;
  const stretch = { from: 0, to: length };
  const told = histories.map((values) => Float64Array.from(values)).filter((values) => isTold(values));
  const draws = Math.round(Math.min(DRAWS.most, Math.max(DRAWS.least, DRAWS.steps / (told.length * length ** 2))));
  const [one, two] = [new Float64Array(draws), new Float64Array(draws)];
  const random = mulberry32(seed);
  const order = Uint32Array.from({ length }, (_, index) => index);
  // Made once: they would take most of the time.
  const [moved, sums] = [new Float64Array(length), emptySums(length)];
  for (let draw = 0; draw < draws; draw += 1) {
    for (let end = length - 1; end > 0; end -= 1) {
      const other = Math.floor(random() * (end + 1));
      const held = order[end] as number;
      order[end] = order[other] as number;
      order[other] = held;
    }
    for (const values of told) {
      for (let index = 0; index < length; index += 1) moved[index] = values[order[index] as number] as number;
      const whole = errorsIn(sumsOf(moved, sums), stretch);
      one[draw] = Math.max(one[draw] as number, bestSplit(sums, stretch).explained / whole);
      two[draw] = Math.max(two[draw] as number, bestPair(sums, stretch).explained / whole);
    }
  }
  return [one.sort(), two.sort()];
}

/** Whether a history is tested at all. */
function isTold(values: Float64Array): boolean {
  const sums = sumsOf(values);
  const count = at(sums.count, values.length);
  return count >= FEWEST_VALUES && errorsIn(sums, { from: 0, to: values.length }) > ROUNDING * count;
}

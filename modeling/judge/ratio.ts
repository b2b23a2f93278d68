import { at } from '../../base/lists.ts';
import { studentQuantile } from './distributions.ts';

/** Standard deviation of one visit and its degrees of freedom. */
interface VisitScatter {
  readonly sd: number;
  readonly freedom: number;
}

/** A typical time as a ratio needs it: logarithms of seconds. */
export interface LogTime {
  readonly log: number;
  readonly visits: number;
  /** Null where too few visits tell. Times that were cleaned together have the same object: one estimate is behind all of them. */
  readonly visitScatter: VisitScatter | null;
  /** Of what all visits of a campaign have in common: how fast its machines were that day. The same object for all its times. */
  readonly dayScatter: VisitScatter | null;
  /** Of each timed run, in an order in which equal places of both sides are the same search. */
  readonly timedRuns: readonly number[];
}

/** How far ln of a ratio is known: its variance and the degrees of freedom behind that. */
export interface Unsureness {
  readonly variance: number;
  readonly freedom: number;
  /** What the variance is the sum of. Parts of one scatter are as sure together as each of them. */
  readonly parts: readonly Part[];
}

interface Part {
  readonly variance: number;
  readonly freedom: number;
  /** The estimate behind it; null where nothing else shares it. */
  readonly scatter: VisitScatter | null;
  /** Whether it is one error, the same for all that share the scatter. */
  readonly isCommon?: true;
}

/** A median of normal values scatters so many times as much as their mean: sqrt(pi / 2). */
const MEDIAN_COST = Math.sqrt(Math.PI / 2);

/**
 * How well ln(one / other) is known: by how visits scatter, with the degrees of freedom of Welch and Satterthwaite (Biometrics Bulletin
 * 2, 1946), where one side alone knows its scatter with that for both; but no better than the timed runs of these very visits tell,
 * search for search where both sides have as many, since a search from the same root has the same work to do. What machines that were
 * seen to wander did between the two days comes on top. Null where nothing tells.
 */
export function computeUnsureness(one: LogTime, other: LogTime): Unsureness | null {
  const known = [betweenVisits(one, other), withinVisits(one, other)].filter((each) => each !== null);
  const [first, ...rest] = known;
  if (first === undefined) return null;
  const own = rest.reduce((most, each) => (most.variance >= each.variance ? most : each), first);
  const days = [one, other].flatMap(({ dayScatter }) => dayScatter ?? []);
  return sumOf([...own.parts, ...days.map(commonPart)]);
}

function commonPart(scatter: VisitScatter): Part {
  return { variance: scatter.sd ** 2, freedom: scatter.freedom, scatter, isCommon: true };
}

function betweenVisits(one: LogTime, other: LogTime): Unsureness | null {
  const either = one.visitScatter ?? other.visitScatter;
  if (either === null) return null;
  return sumOf(
    [one, other].map(({ visitScatter, visits }) => {
      const scatter = visitScatter ?? either;
      return { variance: scatter.sd ** 2 / visits, freedom: scatter.freedom, scatter };
    }),
  );
}

function withinVisits({ timedRuns: ones }: LogTime, { timedRuns: others }: LogTime): Unsureness | null {
  if (ones.length === others.length) return medianOf(ones.map((log, index) => log - at(others, index)));
  const [a, b] = [medianOf(ones), medianOf(others)];
  return a && b && sumOf([...a.parts, ...b.parts]);
}

/** Of the median of some values. */
function medianOf(values: readonly number[]): Unsureness | null {
  const freedom = values.length - 1;
  if (freedom < 1) return null;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return sumOf([{ variance: (MEDIAN_COST ** 2 * squares) / freedom / values.length, freedom, scatter: null }]);
}

/** Of the mean of some logarithms of ratios. */
export function unsurenessOfMean(all: readonly Unsureness[]): Unsureness {
  const count = all.length;
  const shareOf = (part: Part): Part => ({ ...part, variance: part.variance / (part.isCommon ? count : count ** 2) });
  return sumOf(all.flatMap(({ parts }) => parts.map(shareOf)));
}

/** Of a sum of independent errors, with whole degrees of freedom: however many errors one scatter tells of, it is known no better. */
function sumOf(all: readonly Part[]): Unsureness {
  const shared = new Map<VisitScatter, Part>();
  for (const part of all) {
    if (part.scatter === null) continue;
    const variance = part.variance + (shared.get(part.scatter)?.variance ?? 0);
    shared.set(part.scatter, { ...part, variance });
  }
  const parts = [...shared.values(), ...all.filter(({ scatter }) => scatter === null)];
  const variance = parts.reduce((sum, part) => sum + part.variance, 0);
  const doubt = parts.reduce((sum, part) => sum + part.variance ** 2 / part.freedom, 0);
  const least = Math.min(...parts.map(({ freedom }) => freedom));
  return { variance, freedom: doubt > 0 ? Math.max(least, Math.floor(variance ** 2 / doubt)) : least, parts };
}

/** The interval of a ratio that holds with this probability. */
export function ratioInterval(
  log: number,
  known: Unsureness,
  level: number,
): { readonly low: number; readonly high: number } {
  const half = halfWidth(known, level);
  return { low: Math.exp(log - half), high: Math.exp(log + half) };
}

/** Half of such an interval in logarithms. */
export function halfWidth({ variance, freedom }: Unsureness, level: number): number {
  return studentQuantile(freedom, level) * Math.sqrt(variance);
}

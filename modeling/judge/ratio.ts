import { at } from '../../base/at.ts';
import { studentQuantile } from './student.ts';

/** A typical time as a ratio needs it: logarithms of seconds. */
export interface LogTime {
  readonly log: number;
  readonly visits: number;
  /** Standard deviation of one visit and its degrees of freedom; null where too few visits tell. */
  readonly visitScatter: { readonly sd: number; readonly freedom: number } | null;
  /** Of each timed run, in an order in which equal places of both sides are the same search. */
  readonly timedRuns: readonly number[];
}

/** How far ln of a ratio is known: its variance and the degrees of freedom behind that. */
export interface Unsureness {
  readonly variance: number;
  readonly freedom: number;
}

/** A median of normal values scatters so many times as much as their mean: sqrt(pi / 2). */
const MEDIAN_COST = Math.sqrt(Math.PI / 2);

/**
 * How well ln(one / other) is known: by how visits scatter, with the degrees of freedom of Welch and Satterthwaite (Biometrics Bulletin
 * 2, 1946), where one side alone knows its scatter with that for both; but no better than the timed runs of these very visits tell,
 * search for search where both sides have as many, since a search from the same root has the same work to do. Null where neither tells.
 */
export function unsurenessOf(one: LogTime, other: LogTime): Unsureness | null {
  const known = [betweenVisits(one, other), withinVisits(one, other)].filter((each) => each !== null);
  return known.reduce<Unsureness | null>((most, each) => (most && most.variance >= each.variance ? most : each), null);
}

function betweenVisits(one: LogTime, other: LogTime): Unsureness | null {
  const either = one.visitScatter ?? other.visitScatter;
  if (either === null) return null;
  return added(
    [one, other].map(({ visitScatter, visits }) => {
      const { sd, freedom } = visitScatter ?? either;
      return { variance: sd ** 2 / visits, freedom };
    }),
  );
}

function withinVisits({ timedRuns: ones }: LogTime, { timedRuns: others }: LogTime): Unsureness | null {
  if (ones.length === others.length) return medianOf(ones.map((log, index) => log - at(others, index)));
  const [a, b] = [medianOf(ones), medianOf(others)];
  return a && b && added([a, b]);
}

/** Of the median of some values. */
function medianOf(values: readonly number[]): Unsureness | null {
  const freedom = values.length - 1;
  if (freedom < 1) return null;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { variance: (MEDIAN_COST ** 2 * squares) / freedom / values.length, freedom };
}

/** Of a sum of independent parts, with whole degrees of freedom. */
export function added(parts: readonly Unsureness[]): Unsureness {
  const variance = parts.reduce((sum, part) => sum + part.variance, 0);
  const doubt = parts.reduce((sum, part) => sum + part.variance ** 2 / part.freedom, 0);
  const least = Math.min(...parts.map(({ freedom }) => freedom));
  return { variance, freedom: doubt > 0 ? Math.max(least, Math.floor(variance ** 2 / doubt)) : least };
}

/** The interval of a ratio that holds with this probability. */
export function ratioInterval(
  log: number,
  { variance, freedom }: Unsureness,
  level: number,
): { readonly low: number; readonly high: number } {
  const half = studentQuantile(freedom, level) * Math.sqrt(variance);
  return { low: Math.exp(log - half), high: Math.exp(log + half) };
}

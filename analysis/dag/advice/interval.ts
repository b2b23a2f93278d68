import { studentQuantile } from '../../../modeling/index.ts';

/** A value with an interval; null ends where too few periods tell. */
export interface Ranged {
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
}

/**
 * A positive number that stretches of runs give together, with the interval of their scatter: the jackknife over stretches (Efron,
 * 1982) on the number's logarithm with Student's t. It tells how far periods differ, not how far a record's cost changes with the
 * set-up. Null where the number is not known.
 */
export function ranged(batches: number, level: number, estimate: (without: number) => number): Ranged | null {
  const value = estimate(-1);
  if (!(value > 0) || !Number.isFinite(value)) return null;
  const logs = Array.from({ length: batches }, (_, batch) => Math.log(estimate(batch))).filter(Number.isFinite);
  if (logs.length < 2) return { value, low: null, high: null };
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  const squares = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0);
  const error = Math.sqrt((squares * (logs.length - 1)) / logs.length);
  const factor = Math.exp(studentQuantile(logs.length - 1, level) * error);
  return { value, low: value / factor, high: value * factor };
}

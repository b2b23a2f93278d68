import { studentQuantile } from '../../../modeling/judge/distributions.ts';

/** A value with an interval; null ends where too few periods tell. */
export interface Ranged {
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
}

/** How far whole runs lie from what the model says of them: the standard deviation of the logarithm of their rates, and what it rests on. */
export interface RunScatter {
  readonly deviation: number;
  readonly freedom: number;
}

/** From each run's rate over the model's, of which `fitted` numbers were taken from the same runs; null where none is left over. */
export function runScatter(ratios: readonly number[], fitted: number): RunScatter | null {
  const freedom = ratios.length - fitted;
  if (freedom < 1) return null;
  const squares = ratios.reduce((sum, ratio) => sum + Math.log(ratio) ** 2, 0);
  return { deviation: Math.sqrt(squares / freedom), freedom };
}

/**
 * A positive number that stretches of runs give together, with the interval of their scatter: the jackknife over stretches (Efron,
 * 1982) on the number's logarithm with Student's t, widened by the scatter of whole runs where several tell of it. It does not tell how far a
 * record's cost changes with the set-up. Null where the number is not known.
 */
export function ranged(
  {
    batches,
    level,
    scatter,
  }: { readonly batches: number; readonly level: number; readonly scatter: RunScatter | null },
  estimate: (without: number) => number,
): Ranged | null {
  const value = estimate(-1);
  if (!(value > 0) || !Number.isFinite(value)) return null;
  const logs = Array.from({ length: batches }, (_, batch) => Math.log(estimate(batch))).filter(Number.isFinite);
  if (logs.length < 2 && scatter === null) return { value, low: null, high: null };
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  const squares = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0);
  const periods =
    logs.length < 2
      ? 0
      : studentQuantile(logs.length - 1, level) * Math.sqrt((squares * (logs.length - 1)) / logs.length);
  const runs = scatter === null ? 0 : studentQuantile(scatter.freedom, level) * scatter.deviation;
  const factor = Math.exp(Math.hypot(periods, runs));
  return { value, low: value / factor, high: value * factor };
}

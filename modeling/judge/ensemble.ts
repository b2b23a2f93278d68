import { quantileSorted } from 'simple-statistics';
import { at, badInput } from '../../base/index.ts';
import type { Solved } from '../fit/fit.ts';
import type { Estimate, Fit } from '../records.ts';
import { type Noise, noiseOf } from './noise.ts';
import { createRandom } from './random.ts';

export interface BootstrapOptions {
  /** Default 1000. */
  readonly replicates?: number;
  /** Default 1. */
  readonly seed?: number;
  /** Probability that an interval holds the truth; default 0.9. */
  readonly level?: number;
}

/** A fit and what it might as well have been: each replica was fitted to cells redrawn around the curve. */
export interface Ensemble {
  readonly fit: Fit;
  readonly noise: Noise;
  readonly replicas: readonly Fit[];
  readonly level: number;
  readonly seed: number;
}

/**
 * A bootstrap that respects the design: cell means are redrawn around the fitted curve, with the variance that their
 * repetitions and the scatter of whole cells (`Noise`) give them. Repetitions of one cell thus never count as evidence
 * about the curve between cells. Where that scatter rests on few cells its size is redrawn as well, by its chi-squared
 * distribution, so that intervals widen like Student's t.
 */
export function bootstrap(solved: Solved, options: BootstrapOptions = {}): Ensemble {
  const { replicates = 1000, seed = 1, level = 0.9 } = options;
  if (!(Number.isInteger(replicates) && replicates >= 20)) {
    throw badInput(`A bootstrap of ${replicates} replicates: ask for a whole number of at least 20, such as 1000.`);
  }
  requireLevel(level);
  const { fit, cells, design, u, coefficients } = solved;
  const noise = noiseOf(solved);
  const random = createRandom(seed);
  const curve = design.predict(u, coefficients);
  const y = new Float64Array(cells.length);
  const replicas = Array.from({ length: replicates }, (): Fit => {
    const wider = noise.between > 0 ? noise.freedom / random.chiSquared(noise.freedom) : 0;
    const own = noise.withinFreedom > 0 ? noise.withinFreedom / random.chiSquared(noise.withinFreedom) : 0;
    for (let cell = 0; cell < y.length; cell += 1) {
      const mean = at(curve, cell);
      const variance = (own * at(noise.within, cell)) / mean ** 2 + wider * noise.between ** 2;
      // Log-normal, because times are above 0 however wide their scatter.
      y[cell] = mean * Math.exp(Math.sqrt(variance) * random.normal());
    }
    const { form, coefficients: solution, u: logAlpha } = solved.refit(y);
    const named: Record<string, number> = {};
    for (const [index, { name }] of form.terms.entries()) named[name] = at(solution, index);
    return { ...fit, form, coefficients: named, alpha: fit.alpha === null ? null : Math.exp(logAlpha) };
  });
  return { fit, noise, replicas, level, seed };
}

export function requireLevel(level: number): void {
  if (level > 0.5 && level < 1) return;
  throw badInput(`An interval of ${level}: give a probability above 0.5 and below 1, such as 0.9.`);
}

/** Any numbers that follow from a fit, each with its interval. A null counts as beyond every number: never, nowhere. */
export function estimates(
  { fit, replicas, level }: Ensemble,
  of: (fit: Fit) => readonly (number | null)[],
): Estimate[] {
  const values = of(fit);
  const replicated = replicas.map((replica) => of(replica));
  return values.map((value, index) =>
    intervalOf(
      value,
      replicated.map((one) => at(one, index)),
      level,
    ),
  );
}

export function estimate(ensemble: Ensemble, of: (fit: Fit) => number | null): Estimate {
  const [only] = estimates(ensemble, (fit) => [of(fit)]);
  return only ?? { value: null, low: null, high: null };
}

/** Percentile interval of replicated values around the value itself. */
function intervalOf(value: number | null, replicated: readonly (number | null)[], level: number): Estimate {
  const sorted = replicated.map((one) => one ?? Number.POSITIVE_INFINITY).sort((a, b) => a - b);
  const [low, high] = [(1 - level) / 2, (1 + level) / 2].map((share) => {
    // Interpolation next to infinity gives NaN: there the nearest value stands.
    const exact = quantileSorted(sorted, share);
    return Number.isFinite(exact) ? exact : at(sorted, Math.round(share * (sorted.length - 1)));
  });
  const finite = (bound: number | undefined): number | null =>
    bound === undefined || !Number.isFinite(bound) ? null : bound;
  return { value, low: finite(low), high: finite(high) };
}

/**
 * Where the mean of `repetitions` runs at each of these completion times would fall: the uncertainty of the curve plus
 * what makes single cells lie off it. Of the same length as the values that `of` gives.
 */
export function measurable(
  { fit, noise, replicas, level, seed }: Ensemble,
  of: (fit: Fit) => readonly number[],
  repetitions: number,
): Estimate[] {
  const random = createRandom(seed + 1);
  const values = of(fit);
  const replicated = replicas.map((replica) => {
    const wider = noise.between > 0 ? noise.freedom / random.chiSquared(noise.freedom) : 0;
    const spread = Math.sqrt(wider * noise.between ** 2 + (noise.repetition ?? 0) ** 2 / repetitions);
    return of(replica).map((value) => value * Math.exp(spread * random.normal()));
  });
  return values.map((value, index) =>
    intervalOf(
      value,
      replicated.map((one) => at(one, index)),
      level,
    ),
  );
}

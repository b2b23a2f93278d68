import { quantileSorted } from 'simple-statistics';
import { attempt, badInput } from '../../base/errors.ts';
import { at } from '../../base/lists.ts';
import { working } from '../../base/working.ts';
import type { Cells } from '../fit/collapse.ts';
import type { Solved } from '../fit/fit.ts';
import type { Estimate, Fit } from '../model-records.ts';
import { createRandom } from './distributions.ts';
import { drawParts, drawWhole, type MaybeTrue, type Scatter } from './draw-fits.ts';
import type { MeasuredParts } from './measured-parts.ts';
import { createMember } from './member.ts';
import { computePosterior, type Posterior } from './posterior.ts';

/** A fit that was chosen among others, with all of them. */
export interface Mixed extends Solved {
  readonly posterior: Posterior;
  /** Where the parts of its times were measured: then they tell what may be true. */
  readonly parts: MeasuredParts | null;
}

export interface BootstrapOptions {
  /** Default: none. */
  readonly doubt?: string | null;
  /** Default 1000. */
  readonly replicates?: number;
  /** Default 1. */
  readonly seed?: number;
  /** Probability that an interval holds the truth; default 0.9. */
  readonly level?: number;
}

/** A fit and what it might as well have been. */
export interface Ensemble {
  readonly fit: Fit;
  /** True where several forms may be true: replicas have forms of their own, and `fit` comes near to their medians. */
  readonly mixed: boolean;
  readonly replicas: readonly Fit[];
  /** Per replica the relative scatter of whole cells around its curve, of both parts of their times. */
  readonly scatter: readonly Scatter[];
  /** Relative scatter of one repetition; null where cells have one. */
  readonly repetition: number | null;
  /** What it was fitted to. */
  readonly cells: Cells;
  readonly level: number;
  readonly seed: number;
  /** Why no prediction for more nodes is believed, by a blind test (`describeDoubt`); null where none speaks against it. */
  readonly doubt: string | null;
}

/**
 * Draws from what the rows leave open (`computePosterior`): a form by its weight, its unknowns, how far cells scatter, and a bend
 * that goes through the rows as they allow and widens beyond them. A fit by itself is a mixture of one form.
 */
export function bootstrap(solved: Solved | Mixed, options: BootstrapOptions = {}): Ensemble {
  const { replicates = 1000, seed = 1, level = 0.9, doubt = null } = options;
  if (!(Number.isInteger(replicates) && replicates >= 20)) {
    throw badInput(`The number of replicates is ${replicates}: give a whole number of at least 20, such as 1000.`);
  }
  requireLevel(level);
  const { fit, cells } = solved;
  const mixed = 'posterior' in solved;
  const posterior = mixed ? solved.posterior : posteriorAlone(solved);
  const drawn = drawFits(posterior, mixed ? solved.parts : null, { count: replicates, seed });
  return {
    fit,
    mixed,
    replicas: drawn.map(({ replica }) => ({ ...fit, ...replica })),
    scatter: drawn.map(({ scatter }) => scatter),
    repetition: posterior.repetition,
    cells,
    level,
    seed,
    doubt,
  };
}

/** What rows leave open does not change, and several questions ask for the same draws. */
const alone = new WeakMap<Solved, Posterior>();
const drawnFrom = new WeakMap<Posterior, Map<string, readonly MaybeTrue[]>>();

/** Of a form that has no other beside it. */
function posteriorAlone(solved: Solved): Posterior {
  const known = alone.get(solved);
  if (known !== undefined) return known;
  const member = createMember({ form: solved.asked, solved });
  const posterior = computePosterior([{ member, solved, prior: 1 }], solved.cells);
  alone.set(solved, posterior);
  return posterior;
}

function drawFits(
  posterior: Posterior,
  parts: MeasuredParts | null,
  { count, seed }: { readonly count: number; readonly seed: number },
): readonly MaybeTrue[] {
  const all = drawnFrom.get(posterior) ?? new Map<string, readonly MaybeTrue[]>();
  drawnFrom.set(posterior, all);
  const known = all.get(`${count} ${seed}`);
  if (known !== undefined) return known;
  const random = createRandom(seed);
  const drawn = parts === null ? drawWhole(posterior, count, random) : drawParts(parts, { count, seed, random });
  all.set(`${count} ${seed}`, drawn);
  return drawn;
}

/** A fit whose parts take so many times as long. */
function scaled(fit: Fit, processing: number, communication: number): Fit {
  const factors = { processing, communication, whole: 1 };
  const terms = fit.form.terms.map(({ name, part }) => [name, (fit.coefficients[name] ?? Number.NaN) * factors[part]]);
  return { ...fit, coefficients: Object.fromEntries(terms) };
}

function requireLevel(level: number): void {
  if (level > 0.5 && level < 1) return;
  throw badInput(`The probability of the interval is ${level}: give one above 0.5 and below 1, such as 0.9.`);
}

/**
 * Any numbers that follow from a fit, each with its interval. A null counts as beyond every number: never, nowhere. A replica
 * whose form refuses the question has no say; errors are those of the fit itself.
 */
export function estimates(
  { fit, replicas, level }: Ensemble,
  of: (fit: Fit) => readonly (number | null)[],
): Estimate[] {
  const values = of(fit);
  const replicated: (readonly (number | null)[])[] = [];
  for (const [index, replica] of replicas.entries()) {
    working('drawing what may be true', index, replicas.length);
    const own = attempt(() => of(replica));
    if (own) replicated.push(own);
  }
  return values.map((value, index) => {
    const column = replicated.map((one) => at(one, index));
    return intervalOf(value, column, level);
  });
}

export function estimate(ensemble: Ensemble, of: (fit: Fit) => number | null): Estimate {
  const [only] = estimates(ensemble, (fit) => [of(fit)]);
  return only ?? { value: null, low: null, high: null };
}

/** Coefficients and alpha as estimates, under the names that they have as numbers; of an ensemble of one form. */
export function estimatedCoefficients(ensemble: Ensemble) {
  const names = ensemble.fit.form.terms.map(({ name }) => name);
  return {
    coefficients: Object.fromEntries(
      names.map((name) => [name, estimate(ensemble, ({ coefficients }) => coefficients[name] ?? 0)]),
    ),
    alpha: ensemble.fit.alpha === null ? null : estimate(ensemble, ({ alpha }) => alpha),
    interval: ensemble.level,
  };
}

/** Percentile interval of replicated values, in which the value lies. */
function intervalOf(value: number | null, replicated: readonly (number | null)[], level: number): Estimate {
  // Four times as quick as to sort the numbers of a plain array.
  const numbers = new Float64Array(replicated.length);
  for (let index = 0; index < numbers.length; index += 1)
    numbers[index] = replicated[index] ?? Number.POSITIVE_INFINITY;
  const sorted = Array.from(numbers.sort());
  const quantile = (share: number): number => {
    if (sorted.length === 0) return value ?? Number.POSITIVE_INFINITY;
    // Interpolation next to infinity gives NaN: there the nearest value stands.
    const exact = quantileSorted(sorted, share);
    return Number.isFinite(exact) ? exact : at(sorted, Math.round(share * (sorted.length - 1)));
  };
  const own = value ?? Number.POSITIVE_INFINITY;
  const low = Math.min(own, quantile((1 - level) / 2));
  const high = Math.max(own, quantile((1 + level) / 2));
  const finite = (bound: number): number | null => (Number.isFinite(bound) ? bound : null);
  return { value: finite(own), low: finite(low), high: finite(high) };
}

/**
 * Where the mean of `repetitions` runs at each of these completion times would fall: the uncertainty of the curve plus
 * what makes single cells lie off it. Of the same length as the values that `of` gives.
 */
export function measurable(
  { fit, replicas, scatter, repetition, level, seed }: Ensemble,
  of: (fit: Fit) => readonly number[],
  repetitions: number,
): Estimate[] {
  const random = createRandom(seed + 1);
  const curves = replicas.map((replica) => of(replica));
  const noise = (repetition ?? 0) / Math.sqrt(repetitions);
  const replicated = curves.map((curve, index) => {
    const { processing, communication, together } = at(scatter, index);
    const spread = together ? Math.hypot(processing, noise) : noise;
    const own = together
      ? curve
      : of(
          scaled(
            at(replicas, index),
            Math.exp(processing * random.normal()),
            Math.exp(communication * random.normal()),
          ),
        );
    return own.map((value) => value * Math.exp(spread * random.normal()));
  });
  return of(fit).map((value, index) => {
    const run = intervalOf(
      value,
      replicated.map((one) => at(one, index)),
      level,
    );
    // The noise of draws must not make a run surer than its curve.
    const curve = intervalOf(
      value,
      curves.map((one) => at(one, index)),
      level,
    );
    const low = run.low === null || curve.low === null ? null : Math.min(run.low, curve.low);
    const high = run.high === null || curve.high === null ? null : Math.max(run.high, curve.high);
    return { value: run.value, low, high };
  });
}

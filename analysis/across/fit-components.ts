import { PredictError } from '../../base/errors.ts';
import { at } from '../../base/lists.ts';
import { fitModel } from '../../modeling/fit/fit.ts';
import { predict } from '../../modeling/forms/predict.ts';
import { createRandom } from '../../modeling/judge/distributions.ts';
import type { Estimate, Fit } from '../../modeling/model-records.ts';
import { pickRows, rowsFrom } from '../../modeling/rows.ts';
import { componentNames, type Run, type RunSetting, secondsOf } from './run-of-cell.ts';

/** The time that one component explains, as a function of nodes, bandwidth and scale. */
export interface ComponentFit {
  readonly name: string;
  readonly fit: Fit;
  /** Fits of the same form to runs drawn anew. */
  readonly replicas: readonly Fit[];
}

/** Either all components, or one sentence that says why they could not be fitted. */
export type ComponentFits =
  | { readonly kind: 'fitted'; readonly components: readonly ComponentFit[] }
  | { readonly kind: 'refused'; readonly reason: string };

/** A component that a run had nothing of counts as a nanosecond: fits take times above 0. */
const LEAST = 1e-9;
const REPLICAS = 200;

/**
 * Fits each component like completion time, by the volume form: work shared by ranks, volume over the link, messages to
 * partners; coefficients below 0 are ruled out, so that parts stay parts. Replicas are of runs drawn with replacement.
 */
export function fitComponents(
  runs: readonly Run[],
  { ranksPerNode, seed = 1 }: { readonly ranksPerNode: number; readonly seed?: number },
): ComponentFits {
  if (runs.length === 0) return { kind: 'refused', reason: 'There are no runs.' };
  const random = createRandom(seed);
  const draw = (): number => Math.floor(random.uniform() * runs.length);
  const draws = Array.from({ length: REPLICAS }, () => runs.map(draw));
  const components: ComponentFit[] = [];
  for (const name of componentNames(runs)) {
    const rows = rowsFrom(runs.map((run) => ({ ...run, ct: Math.max(LEAST, secondsOf(run, name)) })));
    const found = orRefused(() => fitModel('volume', rows, { ranksPerNode }));
    if (found instanceof PredictError) return { kind: 'refused', reason: found.message };
    const form = { ...found.form, freeSize: false };
    const replicas = draws.flatMap((drawn) => {
      const replica = orRefused(() =>
        fitModel(form, pickRows(rows, drawn), { ranksPerNode, baseScale: found.baseScale }),
      );
      // A draw without a second node count or bandwidth tells nothing.
      return replica instanceof PredictError ? [] : [replica];
    });
    components.push({ name, fit: found, replicas });
  }
  return { kind: 'fitted', components };
}

/** What is made, or why it cannot be. */
function orRefused<T>(make: () => T): T | PredictError {
  try {
    return make();
  } catch (error) {
    if (error instanceof PredictError) return error;
    throw error;
  }
}

/** Seconds of one component at a setting, with an interval of the given probability. */
export function componentAt(fit: ComponentFit, setting: RunSetting, level = 0.9): Estimate {
  return overDraws(fit, (secondsAt) => secondsAt(setting), level);
}

/** A figure by the fit, with the interval of the same figure by each of the draws; null where it is none. */
export function overDraws(
  { fit, replicas }: ComponentFit,
  figureOf: (secondsAt: (setting: RunSetting) => number) => number,
  level: number,
): Estimate {
  const by = (one: Fit): number => figureOf((setting) => predict(one, setting));
  const value = by(fit);
  return { value: Number.isFinite(value) ? value : null, ...middleOf(replicas.map(by).filter(Number.isFinite), level) };
}

/** Seconds of all components together at a setting; the ends are of the same draws of the runs for all. */
export function wholeAt(fits: readonly ComponentFit[], setting: RunSetting, level = 0.9): Estimate {
  const sum = (of: (one: ComponentFit) => Fit): number =>
    fits.reduce((total, one) => total + predict(of(one), setting), 0);
  const draws = Math.min(...fits.map(({ replicas }) => replicas.length));
  const drawn = Array.from({ length: draws }, (_, draw) => sum(({ replicas }) => at(replicas, draw)));
  return { value: sum(({ fit: found }) => found), ...middleOf(drawn, level) };
}

/** Shares of all components together at a setting, percent in their order; the ends are of the same draws of the runs for all. */
export function sharesAt(fits: readonly ComponentFit[], setting: RunSetting, level = 0.9): readonly Estimate[] {
  const sharesOf = (values: readonly number[]): readonly number[] => {
    const total = values.reduce((sum, value) => sum + value, 0);
    return values.map((value) => (value / total) * 100);
  };
  const draws = Math.min(...fits.map(({ replicas }) => replicas.length));
  // A draw that one component could not be fitted to is missing of all: they share their rows.
  const drawn = Array.from({ length: draws }, (_, draw) =>
    sharesOf(fits.map(({ replicas }) => predict(at(replicas, draw), setting))),
  );
  const values = sharesOf(fits.map(({ fit: found }) => predict(found, setting)));
  return values.map((value, index) => ({
    value,
    ...middleOf(
      drawn.map((shares) => at(shares, index)),
      level,
    ),
  }));
}

/** The ends between which the middle `level` of some draws lie; null without draws. */
function middleOf(draws: readonly number[], level: number): Pick<Estimate, 'low' | 'high'> {
  const sorted = [...draws].sort((a, b) => a - b);
  const quantile = (share: number): number | null => sorted[Math.round(share * (sorted.length - 1))] ?? null;
  return { low: quantile((1 - level) / 2), high: quantile((1 + level) / 2) };
}

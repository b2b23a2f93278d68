import { type Ensemble, estimate } from '../judge/ensemble.ts';

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

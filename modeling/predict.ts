import { badInput, formatRange } from '../base/index.ts';
import { models, type Term } from './models.ts';
import type { Fit } from './records.ts';
import type { Variable } from './rows.ts';
import { VARIABLES } from './select.ts';

export interface Target {
  readonly nodes: number;
  /** Percent. */
  readonly bw: number;
  readonly scale: number;
}

/** Completion time (s) at one target. It does not ask whether the fit may be used there: see `requireHeld`. */
export function predict(fit: Fit, target: Target): number {
  let ct = 0;
  for (const term of models[fit.model].terms) ct += termTime(fit, term, target);
  return ct;
}

/** The seconds that one term adds at a target. */
export function termTime(fit: Fit, term: Term, { nodes, bw, scale }: Target): number {
  const coefficient = fit.coefficients[term.name];
  if (coefficient === undefined) {
    throw badInput(`The fit of ${models[fit.model].title}, has no coefficient ${term.name}: fit it again.`);
  }
  // Not 0 * Infinity at tiny bandwidths.
  if (coefficient === 0) return 0;
  const w = (fit.alpha ?? 1) ** (100 / bw);
  return coefficient * term.basis(fit.ranksPerNode * nodes, 2 ** (scale - fit.baseScale), w, 100 / bw);
}

const TRAINED = { scale: 'scales', nodes: 'nodes', bw: 'bw' } as const;

/** The values a fit was trained on. */
export function trainedOn(fit: Fit, variable: Variable): readonly number[] {
  return fit.trainedOn[TRAINED[variable]];
}

/** An error unless the fit's model may vary this variable, or the values are those that it was held at. */
export function requireHeld(fit: Fit, variable: Variable, values: readonly number[]): void {
  const model = models[fit.model];
  if (!model.fixed.includes(variable)) return;
  const trained = trainedOn(fit, variable);
  const other = values.find((value) => !trained.includes(value));
  if (other === undefined) return;
  const { label } = VARIABLES[variable];
  throw badInput(
    `${model.title}, holds the ${label} fixed and was trained at ${formatRange(trained)}, so it says nothing about ` +
      `${other}: ask for ${formatRange(trained)}, or use a model that varies the ${label}.`,
  );
}

import { badInput } from '../../base/errors.ts';
import { formatRange } from '../../base/ranges.ts';
import type { Fit } from '../model-records.ts';
import type { Target, Variable } from '../rows.ts';
import { bendFactor, bentBandwidth } from './bend.ts';
import { type BasisPoint, basisAt, combineTerms, type Form, highestBandwidth, type Term } from './form.ts';
import { variableLabels } from './select.ts';

/** Completion time (s) at one target. It does not ask whether the fit may be used there: see `requireHeld`. */
export function predict(fit: Fit, target: Target): number {
  const { form, bend } = fit;
  const point = pointOf(fit, target);
  const formed = combineTerms(form, (term) => secondsOf(fit, term, point));
  return bend ? formed * bendFactor(bend, target) : formed;
}

/** The seconds that one term adds at a target, before the factor of a bend. */
export function termTime(fit: Fit, term: Term, target: Target): number {
  return secondsOf(fit, term, pointOf(fit, target));
}

function pointOf({ bend, alpha, ranksPerNode, baseScale }: Fit, { nodes, bw, scale }: Target): BasisPoint {
  const s = 100 / (bend ? bentBandwidth(bend, bw) : bw);
  return { n: nodes, x: ranksPerNode * nodes, D: 2 ** (scale - baseScale), s, w: alpha === null ? 1 : alpha ** s };
}

function secondsOf(fit: Fit, { name, basis }: Term, point: BasisPoint): number {
  const coefficient = fit.coefficients[name];
  if (coefficient === undefined) {
    throw badInput(`The fit of ${fit.form.title}, has no coefficient ${name}: fit it again.`);
  }
  // Not 0 * Infinity at tiny bandwidths.
  return coefficient === 0 ? 0 : coefficient * basisAt(basis, point);
}

const TRAINED = { scale: 'scales', nodes: 'nodes', bw: 'bw' } as const;

/** The values a fit was trained on. */
export function trainedOn(fit: Fit, variable: Variable): readonly number[] {
  return fit.trainedOn[TRAINED[variable]];
}

/** An error unless the fit's model may vary this variable, or the values are those that it was held at. */
export function requireHeld(fit: Fit, variable: Variable, values: readonly number[]): void {
  const model: Form = fit.form;
  if (!model.fixed.includes(variable)) return;
  const trained = trainedOn(fit, variable);
  const other = values.find((value) => !trained.includes(value));
  if (other === undefined) return;
  const label = variableLabels[variable];
  throw badInput(
    `${model.title}, has a fixed ${label} (trained at ${formatRange(trained)}), so it cannot predict ` +
      `${other}. Ask for ${formatRange(trained)}, or use a model that varies the ${label}.`,
  );
}

/** An error unless every bandwidth (percent) is one that the fit's form can be asked for. */
export function requireBandwidths({ form }: Fit, bandwidths: readonly number[]): void {
  const highest = highestBandwidth(form);
  const wrong = bandwidths.find((bw) => !(bw > 0 && bw <= highest));
  if (wrong === undefined) return;
  throw badInput(
    `A bandwidth of ${wrong} % is outside the range of ${form.title}: above 0 and up to ${highest}` +
      (wrong > 100 && highest === 100 ? '; for a faster link than the measured one use the volume model.' : '.'),
  );
}

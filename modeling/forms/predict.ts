import { badInput } from '../../base/errors.ts';
import { ascending, at } from '../../base/lists.ts';
import { formatRange } from '../../base/ranges.ts';
import { joinWords } from '../../base/text.ts';
import type { Fit } from '../model-records.ts';
import { type Coordinates, distinct, indicesAt, type Selection, type Target, type Variable } from '../rows.ts';
import { bendFactor, bentBandwidth } from './bend.ts';
import { type BasisPoint, basisAt, combineTerms, type Form, highestBandwidth, type Term } from './form.ts';

/** Completion time (s) at one target. It does not ask whether the fit may be used there: see `requireHeld`. */
export function predict(fit: Fit, target: Target): number {
  const place = placeOf(fit, target);
  const seconds: number[] = [];
  for (const term of fit.form.terms) seconds.push(bentSeconds(fit, term, place));
  return combineTerms(fit.form, seconds);
}

/** The seconds that one term adds at a target. */
export function termTime(fit: Fit, term: Term, target: Target): number {
  return bentSeconds(fit, term, placeOf(fit, target));
}

/** A target as the terms of a fit see it, and the factors by which its bends change their times. */
interface Place extends BasisPoint {
  readonly factor: number;
  readonly ofCommunication: number;
}

function placeOf(fit: Fit, target: Target): Place {
  const { nodes, bw, scale } = target;
  const { alpha, ranksPerNode, baseScale, bend, communicationBend } = fit;
  const warp = communicationBend ?? bend;
  const s = 100 / (warp ? bentBandwidth(warp, bw) : bw);
  const factor = bend ? bendFactor(bend, target) : 1;
  return {
    n: nodes,
    x: ranksPerNode * nodes,
    D: 2 ** (scale - baseScale),
    s,
    w: alpha === null ? 1 : alpha ** s,
    factor,
    ofCommunication: communicationBend ? bendFactor(communicationBend, target) : factor,
  };
}

function bentSeconds({ form, coefficients }: Fit, { name, part, basis }: Term, place: Place): number {
  const coefficient = coefficients[name];
  if (coefficient === undefined) {
    throw badInput(`The fit of ${form.title}, has no coefficient ${name}: fit it again.`);
  }
  // Not 0 * Infinity at tiny bandwidths.
  if (coefficient === 0) return 0;
  return coefficient * basisAt(basis, place) * (part === 'communication' ? place.ofCommunication : place.factor);
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

/** How each variable is called in messages. */
export const variableLabels = { bw: 'bandwidth', scale: 'scale', nodes: 'node count' } as const satisfies Record<
  Variable,
  string
>;

/**
 * The places of the rows or cells that a model can be fitted to. What the model holds fixed must have one value: the
 * caller's, the only one there is, or for the bandwidth 100 %. Otherwise an error asks to pick one.
 */
export function selectFor(model: Form, table: Coordinates, selection: Selection): number[] {
  let indices = indicesOf(table, selection);
  // The bandwidth comes first: its default may leave a single scale.
  for (const variable of ['bw', 'scale', 'nodes'] as const) {
    if (selection[variable] !== undefined || !model.fixed.includes(variable)) continue;
    const values = ascending(indices.map((index) => at(table[variable], index)));
    if (values.length === 1) continue;
    if (variable !== 'bw' || !values.includes(100)) {
      const label = variableLabels[variable];
      throw badInput(
        `${model.title}, has a fixed ${label}, but the rows have ${formatRange(values)}: choose one, such as ${label} ${values.at(-1)}.`,
      );
    }
    indices = indicesAt(table, { ...selection, bw: 100 });
  }
  return indices;
}

/** The places that meet a selection, whatever the model: an error when there are none. */
export function indicesOf(table: Coordinates, selection: Selection): number[] {
  const indices = indicesAt(table, selection);
  if (indices.length > 0) return indices;
  throw table.length === 0 ? badInput('There are no rows to fit a model to.') : nothingSelected(table, selection);
}

function nothingSelected(table: Coordinates, selection: Selection): Error {
  const wanted = (['scale', 'bw', 'nodes'] as const).flatMap((variable) => {
    const value = selection[variable];
    return value === undefined ? [] : [{ variable, value, text: `${variableLabels[variable]} ${value}` }];
  });
  const missing = wanted.find(({ variable, value }) => !table[variable].includes(value));
  return badInput(
    missing
      ? `No row has the ${missing.text}: the rows have ${formatRange(distinct(table, missing.variable))}.`
      : `No row has ${joinWords(wanted.map(({ text }) => text))} together: drop one of them.`,
  );
}

import { badInput } from '../../base/errors.ts';
import { ascending, at } from '../../base/lists.ts';
import { formatRange } from '../../base/ranges.ts';
import { joinWords } from '../../base/text.ts';
import type { Fit } from '../model-records.ts';
import { type Coordinates, distinct, indicesAt, type Selection, type Target, type Variable } from '../rows.ts';
import { type Bend, bendFactor, bentBandwidth } from './bend.ts';
import { type BasisFactor, type Form, factorsOf, highestBandwidth, productAt, softMaximum, type Term } from './form.ts';

/** Completion time (s) at one target. It does not ask whether the fit may be used there: see `requireHeld`. */
export function predict(fit: Fit, target: Target): number {
  const compiled = compiledOf(fit);
  const { terms, overlap } = compiled;
  moveTo(compiled, target);
  let [processing, communication, whole] = [0, 0, 0];
  for (const own of terms) {
    const seconds = secondsOf(own);
    if (overlap === undefined || own.part === 'whole') whole += seconds;
    else if (own.part === 'processing') processing += seconds;
    else communication += seconds;
  }
  return whole + softMaximum(processing, communication, overlap);
}

/** The seconds that one term adds at a target. */
export function termTime(fit: Fit, term: Term, target: Target): number {
  const compiled = compiledOf(fit);
  moveTo(compiled, target);
  return secondsOf(compiled.terms.find((own) => own.term === term) ?? compileTerm(fit, term));
}

interface CompiledTerm {
  readonly term: Term;
  readonly part: Term['part'];
  readonly coefficient: number;
  readonly factors: readonly BasisFactor[];
}

/** A fit in one shape for all: every answer asks each of a thousand fits at hundreds of targets. */
interface Compiled extends Pick<Fit, 'alpha' | 'ranksPerNode' | 'baseScale'> {
  readonly threads: number;
  readonly terms: readonly CompiledTerm[];
  readonly overlap: number | undefined;
  readonly bend: Bend | undefined;
  readonly communicationBend: Bend | undefined;
}

const compiledFits = new WeakMap<Fit, Compiled>();
let lately: { readonly fit: Fit; readonly compiled: Compiled } | null = null;

function compiledOf(fit: Fit): Compiled {
  if (lately?.fit === fit) return lately.compiled;
  let compiled = compiledFits.get(fit);
  if (compiled === undefined) {
    const { form, alpha, ranksPerNode, baseScale, bend, communicationBend, threads = 1 } = fit;
    const terms = form.terms.map((term) => compileTerm(fit, term));
    compiled = { terms, overlap: form.overlap, alpha, ranksPerNode, baseScale, bend, communicationBend, threads };
    compiledFits.set(fit, compiled);
  }
  lately = { fit, compiled };
  return compiled;
}

function compileTerm({ form, coefficients }: Fit, term: Term): CompiledTerm {
  const coefficient = coefficients[term.name];
  if (coefficient === undefined) {
    throw badInput(`The fit of ${form.title}, has no coefficient ${term.name}: fit it again.`);
  }
  return { term, part: term.part, coefficient, factors: factorsOf(term.basis) };
}

/** The target as terms see it, and the factors by which bends change their times: overwritten, because millions are asked for. */
const place = { n: 1, x: 1, t: 1, D: 1, s: 1, w: 1, factor: 1, ofCommunication: 1 };
let placed: Compiled | null = null;
let [placedNodes, placedScale] = [Number.NaN, Number.NaN];

function moveTo(compiled: Compiled, target: Target): void {
  const { alpha, bend, communicationBend } = compiled;
  const { nodes, bw, scale, threads = compiled.threads } = target;
  // Mostly the next target differs in its bandwidth alone.
  if (compiled !== placed || nodes !== placedNodes || scale !== placedScale || threads !== place.t) {
    place.n = nodes;
    place.x = compiled.ranksPerNode * nodes;
    place.t = threads;
    place.D = 2 ** (scale - compiled.baseScale);
    const where = { nodes, bw, scale, threads };
    place.factor = bend ? bendFactor(bend, where) : 1;
    place.ofCommunication = communicationBend ? bendFactor(communicationBend, where) : place.factor;
    placed = compiled;
    placedNodes = nodes;
    placedScale = scale;
  }
  const warp = communicationBend ?? bend;
  place.s = 100 / (warp ? bentBandwidth(warp, bw) : bw);
  place.w = alpha === null ? 1 : alpha ** place.s;
}

/** At the place. */
function secondsOf({ part, coefficient, factors }: CompiledTerm): number {
  // Not 0 * Infinity at tiny bandwidths.
  if (coefficient === 0) return 0;
  return coefficient * productAt(factors, place) * (part === 'communication' ? place.ofCommunication : place.factor);
}

const TRAINED = { scale: 'scales', nodes: 'nodes', bw: 'bw', threads: 'threads' } as const;

/** The values a fit was trained on. */
export function trainedOn(fit: Fit, variable: Variable): readonly number[] {
  return fit.trainedOn[TRAINED[variable]] ?? [1];
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
export const variableLabels = {
  ...{ bw: 'bandwidth', scale: 'scale', nodes: 'node count' },
  threads: 'number of threads',
} as const satisfies Record<Variable, string>;

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

import { badInput, formatRange } from '../base/index.ts';
import { type Cells, collapse, pickCells } from './collapse.ts';
import { createDesign, type Design, type Errors } from './design.ts';
import { type Form, usesAlpha } from './form.ts';
import { scaledGram, solveChosen } from './gram.ts';
import { type ModelName, models } from './models.ts';
import type { Fit } from './records.ts';
import { distinct, type Rows } from './rows.ts';
import { determination } from './score.ts';
import { largestLogAlpha, searchAlpha } from './search-alpha.ts';
import { type Selection, selectFor, VARIABLES } from './select.ts';

export interface FitOptions {
  readonly ranksPerNode: number;
  /** D = 2^(scale - baseScale). Default: one below the smallest scale fitted to. */
  readonly baseScale?: number;
  /** Which rows, where the model holds something fixed that the rows vary. */
  readonly at?: Selection;
  /** What the fit makes small: seconds (the default, the paper's) or percents. R2 and MSE are of seconds either way. */
  readonly errors?: Errors;
}

/** A fit with the problem that it solves: what a bootstrap solves again and again. */
export interface Solved {
  readonly fit: Fit;
  readonly cells: Cells;
  readonly design: Design;
  /** In the order of the form's terms. */
  readonly coefficients: Float64Array;
  /** ln alpha; 0 in forms without alpha. */
  readonly u: number;
  readonly largestU: number;
}

/**
 * Fits a model by non-negative least squares, with alpha by a search in [1, 3] (paper, section IV). Deterministic; the
 * order of the rows does not matter. Rows that cannot determine the model are an error that says what is missing.
 */
export function fitModel(model: ModelName | Form, rows: Rows, options: FitOptions): Fit {
  return solveModel(model, rows, options).fit;
}

export function formOf(model: ModelName | Form): Form {
  return typeof model === 'string' ? models[model] : model;
}

/** As `fitModel`, with what stands behind the fit. */
export function solveModel(model: ModelName | Form, rows: Rows, options: FitOptions): Solved {
  const form = formOf(model);
  const { ranksPerNode, at = {}, errors = 'absolute' } = options;
  if (!(ranksPerNode > 0 && Number.isFinite(ranksPerNode))) {
    throw badInput(`The ranks per node are ${ranksPerNode}: a fit needs a number above 0 (--ranks-per-node 18).`);
  }
  const all = collapse(rows);
  const cells = pickCells(all, selectFor(form, all, at));
  requireEnough(form, cells);

  const trainedOn = { nodes: distinct(cells, 'nodes'), scales: distinct(cells, 'scale'), bw: distinct(cells, 'bw') };
  const baseScale = options.baseScale ?? (trainedOn.scales[0] ?? 0) - 1;
  const design = createDesign(form, cells, { ranksPerNode, baseScale, errors });
  const largestU = largestLogAlpha(trainedOn.bw[0] ?? 100);
  const { u, bound } = usesAlpha(form) ? searchAlpha(design, largestU) : { u: 0, bound: null };
  requireIndependent(form, cells, design, u);
  const coefficients = design.solve(u);
  const fit = {
    model: form.name,
    form,
    coefficients: Object.fromEntries(form.terms.map(({ name }, index) => [name, coefficients[index] ?? 0])),
    alpha: usesAlpha(form) ? Math.exp(u) : null,
    ...(bound ? { alphaAtBound: bound } : {}),
    errors,
    ...quality(cells, design.predict(u, coefficients)),
    ranksPerNode,
    baseScale,
    trainedOn,
  };
  return { fit, cells, design, coefficients, u, largestU };
}

/** R2 and MSE over all rows, from what the cells kept of them. */
function quality(cells: Cells, predicted: Float64Array): { r2: number; mse: number; rows: number } {
  const rows = cells.count.reduce((sum, count) => sum + count, 0);
  const mean = cells.mean.reduce((sum, value, cell) => sum + (value * (cells.count[cell] ?? 0)) / rows, 0);
  let sse = 0;
  let sst = 0;
  for (let cell = 0; cell < cells.length; cell += 1) {
    const [count, own, within] = [cells.count[cell] ?? 0, cells.mean[cell] ?? 0, cells.m2[cell] ?? 0];
    sse += within + count * (own - (predicted[cell] ?? 0)) ** 2;
    sst += within + count * (own - mean) ** 2;
  }
  return { r2: determination({ sse, sst, rows, mean }), mse: sse / rows, rows };
}

function requireEnough(model: Form, cells: Cells): void {
  for (const variable of model.needsTwo) {
    const values = distinct(cells, variable);
    if (values.length >= 2) continue;
    const { label } = VARIABLES[variable];
    throw badInput(
      `${model.title}, needs a second ${label}: the rows have only ${formatRange(values)}. Measure at least two.`,
    );
  }
  const unknowns = model.terms.length + (usesAlpha(model) ? 1 : 0);
  if (cells.length < unknowns) {
    throw badInput(
      `${model.title}, has ${unknowns} unknowns, but the rows hold only ${cells.length} different settings ` +
        '(scale, nodes, bandwidth): measure more of them; repetitions do not count.',
    );
  }
}

function requireIndependent(model: Form, cells: Cells, design: Design, u: number): void {
  const all = model.terms.map((_, index) => index);
  if (solveChosen(scaledGram(design.problem(u)), all)) return;
  const single = (['nodes', 'scale'] as const).filter(
    (variable) => !model.fixed.includes(variable) && distinct(cells, variable).length === 1,
  );
  const wanted = single.map((variable) => `a second ${VARIABLES[variable].label}`).join(' and ') || 'more settings';
  throw badInput(
    `${model.title}: these rows cannot tell ${model.terms.map(({ name }) => name).join(' from ')}: measure ${wanted}.`,
  );
}

import { attempt, badInput } from '../../base/errors.ts';
import { at, last } from '../../base/lists.ts';
import { formatRange } from '../../base/ranges.ts';
import { threadedForm } from '../forms/candidates.ts';
import { type Form, usesAlpha } from '../forms/form.ts';
import { type ModelName, models } from '../forms/models.ts';
import { predict, selectFor, variableLabels } from '../forms/predict.ts';
import type { Fit } from '../model-records.ts';
import { baseScaleOf, distinct, emptyRows, type Rows, type Selection, settingAt } from '../rows.ts';
import { type Cells, collapse, pickCells } from './collapse.ts';
import { createDesign, type Design, type Errors, leastOf } from './design.ts';
import { findRoot, narrow } from './find-root.ts';
import { scaledGram, solveChosen } from './gram.ts';
import { setAsideOdd } from './set-aside-odd.ts';

export interface FitOptions {
  readonly ranksPerNode: number;
  /** D = 2^(scale - baseScale). Default: `baseScaleOf` the cells fitted to. */
  readonly baseScale?: number | undefined;
  /** Which rows, where the model holds something fixed that the rows vary. */
  readonly at?: Selection | undefined;
  /** False where odd cells were set aside already, or are wanted. */
  readonly setAside?: boolean | undefined;
  /** What the fit makes small: seconds (the default, the paper's) or percents. R2 and MSE are of seconds either way. */
  readonly errors?: Errors | undefined;
}

/** A fit with the problem that it solves. */
export interface Solved {
  /** In the order of the form's terms. */
  readonly coefficients: Float64Array;
  /** ln alpha; 0 in forms without alpha. */
  readonly u: number;
  /** The form that was asked for, before a power of D was found for it. */
  readonly asked: Form;
  readonly fit: Fit;
  readonly cells: Cells;
  /** Cells set aside. */
  readonly odd: Cells;
  readonly design: Design;
  /** Per free unknown, how each cell's prediction changes with it: coefficients and an alpha at their bounds are none. */
  readonly directions: readonly Float64Array[];
}

/**
 * Fits a model by non-negative least squares, with alpha by a search in [1, 3] (paper, section IV). Deterministic; the
 * order of the rows does not matter. Rows that cannot determine the model are an error that says what is missing.
 */
export function fitModel(model: ModelName | Form, rows: Rows | Cells, options: FitOptions): Fit {
  return solveModel(model, rows, options).fit;
}

export function formOf(model: ModelName | Form): Form {
  return typeof model === 'string' ? models[model] : model;
}

/** As `fitModel`, with what stands behind the fit. */
export function solveModel(model: ModelName | Form, rows: Rows | Cells, options: FitOptions): Solved {
  const { ranksPerNode, at: selection = {}, errors = 'absolute' } = options;
  if (!(ranksPerNode > 0 && Number.isFinite(ranksPerNode))) {
    throw badInput(`The ranks per node are ${ranksPerNode}: a fit needs a number above 0, such as 18.`);
  }
  const all = collapse(rows);
  const named = formOf(model);
  const selected = pickCells(all, selectFor(named, all, selection));
  const threads = distinct(selected, 'threads');
  const form = threads.length > 1 ? threadedForm(named) : named;
  requireTold(form, threads);
  requireEnough(form, selected);
  const { cells, odd } = options.setAside === false ? { cells: selected, odd: NONE } : trusted(form, selected, options);

  const trainedOn = {
    ...{ nodes: distinct(cells, 'nodes'), scales: distinct(cells, 'scale'), bw: distinct(cells, 'bw') },
    ...(threads.every((count) => count === 1) ? {} : { threads }),
  };
  const baseScale = baseScaleOf(cells, options.baseScale);
  const freeSize = form.freeSize === true && trainedOn.scales.length > 1;
  const largestU = largestLogAlpha(at(trainedOn.bw, 0));
  const designFor = (sized: Form): Design => createDesign(sized, cells, { ranksPerNode, baseScale, errors });
  const size = freeSize ? searchSize((power) => designFor(withSize(form, power)).sse(0)) : 1;
  const found = freeSize ? withSize(form, size) : form;
  const design = designFor(found);
  const { u, bound } = usesAlpha(form) ? searchAlpha(design, largestU) : { u: 0, bound: null };
  requireIndependent(found, cells, design, u);
  const coefficients = design.solve(u);
  const fit = {
    model: form.name,
    form: found,
    coefficients: Object.fromEntries(form.terms.map(({ name }, index) => [name, at(coefficients, index)])),
    alpha: usesAlpha(form) ? Math.exp(u) : null,
    ...(bound ? { alphaAtBound: bound } : {}),
    errors,
    ...quality(cells, design.predict(u, coefficients)),
    ranksPerNode,
    baseScale,
    ...(threads.length > 1 ? { threads: last(threads) } : {}),
    trainedOn,
  };
  const least = leastOf(found);
  const gradient = design
    .gradient(u, coefficients)
    .filter((_, index) => (index < coefficients.length ? coefficients[index] !== least[index] : bound === null));
  const directions = freeSize
    ? [...gradient, bySize((power) => designFor(withSize(form, power)).predict(0, coefficients), size)]
    : gradient;
  return { fit, odd, asked: form, cells, design, coefficients, u, directions };
}

const NONE = collapse(emptyRows(0));

/** Without the cells that the form calls odd by relative errors, by which a large time does not bend a curve more than a small one. */
export function trusted(form: Form, cells: Cells, options: FitOptions): { readonly cells: Cells; readonly odd: Cells } {
  return setAsideOdd(cells, (training, asked) => {
    const fit = attempt(
      () => solveModel(form, training, { ...options, at: {}, errors: 'relative', setAside: false }).fit,
    );
    return fit && Float64Array.from({ length: asked.length }, (_, cell) => predict(fit, settingAt(asked, cell)));
  });
}

/** Powers of D that are looked at, and how exactly. */
const SIZES = { low: 0.5, high: 2.5, width: 1e-9 };
const STEP = 1e-3;

function searchSize(sse: (power: number) => number): number {
  const { low, high } = narrow(sse, SIZES);
  return (low + high) / 2;
}

function withSize(form: Form, power: number): Form {
  return {
    ...form,
    searched: 1,
    terms: form.terms.map((term) =>
      term.basis.D === undefined || term.counted
        ? term
        : { ...term, basis: { ...term.basis, D: term.basis.D * power } },
    ),
  };
}

/** Change of each cell's prediction with the power of D, by a central difference. */
function bySize(predictWith: (size: number) => Float64Array, size: number): Float64Array {
  const [above, below] = [predictWith(size + STEP), predictWith(size - STEP)];
  return above.map((value, cell) => (value - at(below, cell)) / (2 * STEP));
}

/** R2 and MSE over all rows, from what the cells kept of them. */
export function quality(cells: Cells, predicted: Float64Array): { r2: number; mse: number; rows: number } {
  const rows = cells.count.reduce((sum, count) => sum + count, 0);
  const mean = cells.mean.reduce((sum, value, cell) => sum + (value * at(cells.count, cell)) / rows, 0);
  let sse = 0;
  let sst = 0;
  for (let cell = 0; cell < cells.length; cell += 1) {
    const [count, own, within] = [at(cells.count, cell), at(cells.mean, cell), at(cells.m2, cell)];
    sse += within + count * (own - at(predicted, cell)) ** 2;
    sst += within + count * (own - mean) ** 2;
  }
  return { r2: determination({ sse, sst, rows, mean }), mse: sse / rows, rows };
}

/** R2 = 1 - SSE/SST, centred. Where all values are equal but for rounding there is nothing to explain: 0. */
export function determination(of: { sse: number; sst: number; rows: number; mean: number }): number {
  return of.sst > of.rows * (1e-12 * of.mean) ** 2 ? 1 - of.sse / of.sst : 0;
}

/** Rows of several numbers of threads are one program only to a form that knows what threads do. */
function requireTold({ title, terms }: Form, threads: readonly number[]): void {
  if (threads.length < 2 || terms.some(({ basis }) => basis.t !== undefined)) return;
  throw badInput(
    `${title}, does not say what threads do, but the rows have ${formatRange(threads)} threads of each rank: keep those of one.`,
  );
}

function requireEnough(model: Form, cells: Cells): void {
  for (const variable of model.needsTwo) {
    const values = distinct(cells, variable);
    if (values.length >= 2) continue;
    throw badInput(
      `${model.title}, needs a second ${variableLabels[variable]}: the rows have only ${formatRange(values)}. Measure at least two.`,
    );
  }
  const sized = model.freeSize === true && distinct(cells, 'scale').length > 1;
  const unknowns = model.terms.length + (usesAlpha(model) ? 1 : 0) + (sized ? 1 : 0);
  if (cells.length < unknowns) {
    throw badInput(
      `${model.title}, has ${unknowns} parameters, but the rows have only ${cells.length} different configurations ` +
        '(scale, nodes, bandwidth, threads). Measure more of them; repetitions do not count.',
    );
  }
}

function requireIndependent(model: Form, cells: Cells, design: Design, u: number): void {
  const all = model.terms.map((_, index) => index);
  if (solveChosen(scaledGram(design.problem(u)), all)) return;
  const single = (['nodes', 'scale'] as const).filter(
    (variable) => !model.fixed.includes(variable) && distinct(cells, variable).length === 1,
  );
  const wanted =
    single.map((variable) => `a second ${variableLabels[variable]}`).join(' and ') || 'more configurations';
  throw badInput(
    `${model.title}: these rows cannot separate ${model.terms.map(({ name }) => name).join(' from ')}: measure ${wanted}.`,
  );
}

/** The paper searches alpha in [1, 3]. */
const LARGEST_ALPHA = 3;
/** Beyond w = e^300 squares leave the range of a double. */
const LARGEST_LOG_W = 300;
const GRID = 64;
/** A minimum this near to a bound lies there: the difference is rounding. */
const AT_BOUND = 1e-9;

interface Alpha {
  readonly u: number;
  /** Null when the minimum lies inside the search's range. */
  readonly bound: 'lower' | 'upper' | null;
}

/** The largest ln alpha searched for, given the smallest bandwidth (percent) of the rows. */
function largestLogAlpha(smallestBw: number): number {
  return Math.min(Math.log(LARGEST_ALPHA), (LARGEST_LOG_W * smallestBw) / 100);
}

/**
 * The u = ln alpha in [0, last] of least squared error. A coarse scan finds every valley, and each is pinned where the slope changes
 * its sign: comparing errors alone could not pass 1e-8.
 */
function searchAlpha({ sse, slope }: Pick<Design, 'sse' | 'slope'>, last: number): Alpha {
  // Denser near 0: at 1 % of the bandwidth w = alpha^100.
  const grid = Array.from({ length: GRID + 1 }, (_, index) => last * (index / GRID) ** 3);
  const errors = grid.map((u) => sse(u));
  let best = { u: 0, error: Number.POSITIVE_INFINITY };
  for (const [index, error] of errors.entries()) {
    const before = errors[index - 1] ?? Number.POSITIVE_INFINITY;
    const after = errors[index + 1] ?? Number.POSITIVE_INFINITY;
    if (!(error < before && error <= after)) continue;
    const u = bottom(slope, { low: at(grid, Math.max(0, index - 1)), high: at(grid, Math.min(GRID, index + 1)) });
    // The grid's own point wins ties, so that a flat error gives the plain alpha = 1.
    for (const candidate of [
      { u: at(grid, index), error },
      { u, error: sse(u) },
    ]) {
      if (candidate.error < best.error) best = candidate;
    }
  }
  if (best.u < AT_BOUND) return { u: 0, bound: 'lower' };
  return best.u > last - AT_BOUND ? { u: last, bound: 'upper' } : { u: best.u, bound: null };
}

/** Of a valley with one bottom, which may lie at an end. */
function bottom(slope: Design['slope'], { low, high }: { low: number; high: number }): number {
  if (slope(low) > 0) return low;
  return slope(high) <= 0 ? high : findRoot(slope, { low, high });
}

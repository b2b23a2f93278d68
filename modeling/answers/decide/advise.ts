// Optimal design: the variance of one projection as a function of the cells measured (c-optimality; Pukelsheim 1993).

import { badInput } from '../../../base/errors.ts';
import { at } from '../../../base/lists.ts';
import { cholesky, forward } from '../../fit/cholesky.ts';
import type { Cells } from '../../fit/collapse.ts';
import { createDesign } from '../../fit/design.ts';
import type { Solved } from '../../fit/fit.ts';
import { dot } from '../../fit/gram.ts';
import { predict } from '../../forms/predict.ts';
import { type BootstrapOptions, bootstrap, estimate } from '../../judge/ensemble.ts';
import { estimateNoise } from '../../judge/noise.ts';
import type { Estimate, Fit } from '../../model-records.ts';
import { indicesAt, settingAt, type Target } from '../../rows.ts';

interface AdviseOptions extends BootstrapOptions {
  /** What is to be known better. */
  readonly target: Target;
  /** Cells that could be measured next. */
  readonly candidates: readonly Target[];
  /** What one run of a cell costs, node-hours. */
  readonly costOf: (cell: Target) => number;
  readonly budgetNodeHours: number;
  /** Searches per run: repetitions of the new cells. */
  readonly repetitions: number;
  /** Settings may be measured as often as it helps: whole cells lie off the curve because whole visits differ. Default: once. */
  readonly revisits?: boolean | undefined;
}

/** Cells to measure next, in order, and what they would do to the interval of the target's completion time (s). */
export type Advice = ReturnType<typeof advise>;

/** Fewer new cells than this can be one each; a longer list helps nobody. */
const MOST_CELLS = 40;
/** Relative noise that is assumed where the rows cannot tell: one repetition per cell and nothing left over. */
const UNKNOWN_NOISE = 0.05;

/**
 * Which cells to run next so that the interval of the target's completion time shrinks most. Greedy: the cell that takes
 * most variance per node-hour, again and again until the budget is spent. Where whole cells lie off the curve a setting
 * is measured once, because more repetitions of it would say nothing more about the curve; otherwise, or for `revisits`, it may
 * be taken again. The predicted interval is today's, shrunk by the ratio of the standard errors.
 */
export function advise(solved: Solved, options: AdviseOptions) {
  const { target, candidates, budgetNodeHours } = options;
  if (!(budgetNodeHours > 0)) throw badInput(`The budget is ${budgetNodeHours} node-hours: give one above 0.`);
  if (candidates.length === 0) throw badInput('There is no cell to choose from, because no node count is admissible.');
  const { chosen, spent, before, after } = chooseGreedily(createProblem(solved, options), options);
  const now = estimate(bootstrap(solved, options), (one) => predict(one, target));
  return {
    model: solved.fit.model,
    target: { ...target },
    budgetNodeHours,
    nodeHours: spent,
    before: now,
    after: shrunk(now, chosen.length === 0 ? 1 : Math.sqrt(after / before)),
    cells: chosen.map(({ cell, cost, after: left }, index) => ({
      nodes: cell.nodes,
      scale: cell.scale,
      bw: cell.bw,
      nodeHours: cost,
      // Of today's standard error that is left when this cell and those before it are measured.
      standardErrorLeft: Math.sqrt(left / before),
      order: index + 1,
    })),
  };
}

/** Gradients of the fit, each parameter in a unit of its own, and what is known of the parameters. */
interface Problem {
  /** Information of the measured cells. */
  readonly known: Float64Array;
  /** Of the candidates: their gradients, and the variance of a measurement of each. */
  readonly rows: readonly (readonly number[])[];
  readonly variances: readonly number[];
  /** Gradient of the target's time. */
  readonly goal: readonly number[];
  /** Settings that may not be measured again, by `keyOf`; null where all may. */
  readonly closed: Set<string> | null;
}

function createProblem(solved: Solved, { target, candidates, repetitions, revisits = false }: AdviseOptions): Problem {
  const { fit, u, coefficients, cells } = solved;
  const noise = estimateNoise(solved);
  const own = (noise.repetition ?? 0) ** 2 / repetitions + noise.between ** 2;
  const share = own > 0 ? own : UNKNOWN_NOISE ** 2;
  const gradientOf = (some: Cells): number[][] => {
    const columns = createDesign(fit.form, some, fit).gradient(u, coefficients);
    return Array.from({ length: some.length }, (_, cell) => columns.map((column) => at(column, cell)));
  };
  const measured = gradientOf(cells);
  const possible = gradientOf(cellsOf(candidates, fit));
  const goal = at(gradientOf(cellsOf([target], fit)), 0);
  const unit = goal.map((_, index) =>
    Math.max(...[...measured, ...possible].map((row) => Math.abs(at(row, index))), 1e-300),
  );
  const scaled = (row: readonly number[]): number[] => row.map((value, index) => value / at(unit, index));
  const measuredVariances = measured.map((_, cell) => {
    const ct = predict(fit, settingAt(cells, cell));
    const within = at(noise.within, cell) + noise.between ** 2 * ct ** 2;
    return within > 0 ? within : share * ct ** 2;
  });
  return {
    known: information(measured.map(scaled), measuredVariances),
    rows: possible.map(scaled),
    variances: candidates.map((cell) => share * predict(fit, cell) ** 2),
    goal: scaled(goal),
    closed:
      noise.between > 0 && !revisits
        ? new Set(indicesAt(cells, { threads: fit.threads }).map((cell) => keyOf(settingAt(cells, cell))))
        : null,
  };
}

/** The cell that takes most variance per node-hour, again and again; `before` and `after` are variances of the target. */
function chooseGreedily(
  { known, rows, variances, goal, closed }: Problem,
  { candidates, costOf, budgetNodeHours }: AdviseOptions,
) {
  let whiten = whitening(known);
  let wanted = whiten(goal);
  const before = dot(wanted, wanted);
  const chosen: { cell: Target; cost: number; after: number }[] = [];
  let spent = 0;
  while (chosen.length < MOST_CELLS) {
    let best: { index: number; gain: number; cost: number } | null = null;
    for (const [index, row] of rows.entries()) {
      const cell = at(candidates, index);
      const cost = closed?.has(keyOf(cell)) ? Number.POSITIVE_INFINITY : costOf(cell);
      if (!(spent + cost <= budgetNodeHours)) continue;
      // Sherman and Morrison: what one more measurement takes off the target's variance.
      const own = whiten(row);
      const gain = dot(own, wanted) ** 2 / (at(variances, index) + dot(own, own)) / cost;
      if (!best || gain > best.gain) best = { index, gain, cost };
    }
    if (!best || best.gain <= 0) break;
    const cell = at(candidates, best.index);
    add(known, at(rows, best.index), at(variances, best.index));
    whiten = whitening(known);
    wanted = whiten(goal);
    spent += best.cost;
    closed?.add(keyOf(cell));
    chosen.push({ cell, cost: best.cost, after: dot(wanted, wanted) });
  }
  return { chosen, spent, before, after: dot(wanted, wanted) };
}

function keyOf({ nodes, scale, bw }: Target): string {
  return `${nodes} ${scale} ${bw}`;
}

function shrunk({ value, low, high }: Estimate, ratio: number): Estimate {
  const pull = (end: number | null): number | null =>
    end === null || value === null ? end : value + (end - value) * ratio;
  return { value, low: pull(low), high: pull(high) };
}

/** Targets as cells of one repetition whose mean does not matter. */
function cellsOf(targets: readonly Target[], { threads: usual = 1 }: Pick<Fit, 'threads'>): Cells {
  const ones = new Float64Array(targets.length).fill(1);
  return {
    length: targets.length,
    scale: Float64Array.from(targets, ({ scale }) => scale),
    nodes: Float64Array.from(targets, ({ nodes }) => nodes),
    bw: Float64Array.from(targets, ({ bw }) => bw),
    threads: Float64Array.from(targets, ({ threads }) => threads ?? usual),
    count: ones,
    mean: ones,
    m2: new Float64Array(targets.length),
    outliers: new Float64Array(targets.length),
    share: new Float64Array(targets.length).fill(Number.NaN),
  };
}

/** Sum of g gT / variance, row by row, with a trace of a ridge for directions that no cell has seen. */
function information(rows: readonly (readonly number[])[], variances: readonly number[]): Float64Array {
  const size = at(rows, 0).length;
  const matrix = new Float64Array(size * size);
  for (const [cell, row] of rows.entries()) add(matrix, row, at(variances, cell));
  const diagonal = Array.from({ length: size }, (_, index) => index * (size + 1));
  const trace = diagonal.reduce((sum, place) => sum + at(matrix, place), 0);
  for (const place of diagonal) matrix[place] = at(matrix, place) + 1e-9 * trace;
  return matrix;
}

/** What one more measurement with gradient `row` tells. */
function add(matrix: Float64Array, row: readonly number[], variance: number): void {
  const size = row.length;
  for (let a = 0; a < size; a += 1) {
    for (let b = 0; b < size; b += 1) {
      matrix[a * size + b] = at(matrix, a * size + b) + (at(row, a) * at(row, b)) / variance;
    }
  }
}

/** Gradients such that the covariance of two is their product. */
function whitening(matrix: Float64Array): (row: readonly number[]) => Float64Array {
  const lower = cholesky(matrix, Math.sqrt(matrix.length));
  if (!lower) throw badInput('The rows and cells do not determine all parameters: measure a second node count first.');
  return (row) => forward(lower, Float64Array.from(row));
}

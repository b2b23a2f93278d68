// Optimal design: the variance of one projection as a function of the cells measured (c-optimality; Pukelsheim 1993).
import { at } from '../../../base/at.ts';
import { badInput } from '../../../base/index.ts';
import type { Cells } from '../../fit/collapse.ts';
import { createDesign } from '../../fit/design.ts';
import type { Solved } from '../../fit/fit.ts';
import { solveChosen } from '../../fit/gram.ts';
import { predict, type Target } from '../../forms/predict.ts';
import { type BootstrapOptions, bootstrap, estimate } from '../../judge/ensemble.ts';
import { noiseOf } from '../../judge/noise.ts';
import type { Estimate } from '../../records.ts';
import { settingAt } from '../../rows.ts';

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
  const { target, candidates, costOf, budgetNodeHours, repetitions, revisits = false } = options;
  if (!(budgetNodeHours > 0)) throw badInput(`The budget is ${budgetNodeHours} node-hours: give one above 0.`);
  if (candidates.length === 0) throw badInput('There is no cell to choose from, because no node count is admissible.');
  const { fit, u, coefficients, cells } = solved;
  const noise = noiseOf(solved);
  const own = (noise.repetition ?? 0) ** 2 / repetitions + noise.between ** 2;
  const share = own > 0 ? own : UNKNOWN_NOISE ** 2;

  const gradientOf = (some: Cells): number[][] => {
    const columns = createDesign(fit.form, some, fit).gradient(u, coefficients);
    return Array.from({ length: some.length }, (_, cell) => columns.map((column) => at(column, cell)));
  };
  const measured = gradientOf(cells);
  const possible = gradientOf(cellsOf(candidates));
  const goal = at(gradientOf(cellsOf([target])), 0);
  const unit = goal.map((_, index) =>
    Math.max(...[...measured, ...possible].map((row) => Math.abs(at(row, index))), 1e-300),
  );
  const scaled = (row: readonly number[]): number[] => row.map((value, index) => value / at(unit, index));

  let covariance = inverse(
    information(
      measured.map(scaled),
      measured.map((_, cell) => {
        const ct = predict(fit, settingAt(cells, cell));
        const within = at(noise.within, cell) + noise.between ** 2 * ct ** 2;
        return within > 0 ? within : share * ct ** 2;
      }),
    ),
  );
  const wanted = scaled(goal);
  const rows = possible.map(scaled);
  const variances = candidates.map((cell) => share * predict(fit, cell) ** 2);
  const before = quadratic(covariance, wanted, wanted);
  const chosen: { cell: Target; cost: number; after: number }[] = [];
  let spent = 0;
  const key = ({ nodes, scale, bw }: Target): string => `${nodes} ${scale} ${bw}`;
  const isOnce = noise.between > 0 && !revisits;
  const closed = new Set(isOnce ? measured.map((_, cell) => key(settingAt(cells, cell))) : []);
  while (chosen.length < MOST_CELLS) {
    let best: { index: number; gain: number; cost: number } | null = null;
    for (const [index, row] of rows.entries()) {
      const cell = candidates[index];
      const cost = cell && !closed.has(key(cell)) ? costOf(cell) : Number.POSITIVE_INFINITY;
      if (!(spent + cost <= budgetNodeHours)) continue;
      // Sherman and Morrison: what one more measurement takes off the target's variance.
      const along = quadratic(covariance, row, wanted);
      const gain = along ** 2 / (at(variances, index) + quadratic(covariance, row, row)) / cost;
      if (!best || gain > best.gain) best = { index, gain, cost };
    }
    const cell = best && candidates[best.index];
    if (!best || !cell || best.gain <= 0) break;
    covariance = updated(covariance, at(rows, best.index), at(variances, best.index));
    spent += best.cost;
    if (isOnce) closed.add(key(cell));
    chosen.push({ cell, cost: best.cost, after: quadratic(covariance, wanted, wanted) });
  }
  const now = estimate(bootstrap(solved, options), (one) => predict(one, target));
  const ratio = chosen.length === 0 ? 1 : Math.sqrt(quadratic(covariance, wanted, wanted) / before);
  return {
    model: fit.model,
    target: { ...target },
    budgetNodeHours,
    nodeHours: spent,
    before: now,
    after: shrunk(now, ratio),
    cells: chosen.map(({ cell, cost, after }, index) => ({
      nodes: cell.nodes,
      scale: cell.scale,
      bw: cell.bw,
      nodeHours: cost,
      // Of today's standard error that is left when this cell and those before it are measured.
      standardErrorLeft: Math.sqrt(after / before),
      order: index + 1,
    })),
  };
}

function shrunk({ value, low, high }: Estimate, ratio: number): Estimate {
  const pull = (end: number | null): number | null =>
    end === null || value === null ? end : value + (end - value) * ratio;
  return { value, low: pull(low), high: pull(high) };
}

/** Targets as cells of one repetition whose mean does not matter. */
function cellsOf(targets: readonly Target[]): Cells {
  const ones = new Float64Array(targets.length).fill(1);
  return {
    length: targets.length,
    scale: Float64Array.from(targets, ({ scale }) => scale),
    nodes: Float64Array.from(targets, ({ nodes }) => nodes),
    bw: Float64Array.from(targets, ({ bw }) => bw),
    count: ones,
    mean: ones,
    m2: new Float64Array(targets.length),
    outliers: new Float64Array(targets.length),
  };
}

/** Sum of g gT / variance, with a trace of a ridge for directions that no cell has seen. */
function information(rows: readonly (readonly number[])[], variances: readonly number[]): number[][] {
  const size = at(rows, 0).length;
  const matrix = Array.from({ length: size }, () => new Array<number>(size).fill(0));
  for (const [cell, row] of rows.entries()) {
    for (const [a, line] of matrix.entries()) {
      for (let b = 0; b < size; b += 1) line[b] = at(line, b) + (at(row, a) * at(row, b)) / at(variances, cell);
    }
  }
  const trace = matrix.reduce((sum, line, index) => sum + at(line, index), 0);
  for (const [index, line] of matrix.entries()) line[index] = at(line, index) + 1e-9 * trace;
  return matrix;
}

/** By one Cholesky solution per column of the unit matrix, on a unit diagonal. */
function inverse(matrix: readonly (readonly number[])[]): number[][] {
  const size = matrix.length;
  const norms = matrix.map((line, index) => Math.sqrt(at(line, index)));
  const gram = Float64Array.from(
    matrix.flatMap((line, a) => line.map((value, b) => value / (at(norms, a) * at(norms, b)))),
  );
  const all = [...norms.keys()];
  return all.map((row) => {
    const rhs = new Float64Array(size);
    rhs[row] = 1;
    const solution = solveChosen({ gram, rhs }, all);
    if (!solution)
      throw badInput('The rows and cells do not determine all parameters: measure a second node count first.');
    return [...solution].map((value, column) => value / (at(norms, row) * at(norms, column)));
  });
}

function times(matrix: readonly (readonly number[])[], vector: readonly number[]): number[] {
  return matrix.map((line) => line.reduce((sum, value, index) => sum + value * at(vector, index), 0));
}

function quadratic(matrix: readonly (readonly number[])[], left: readonly number[], right: readonly number[]): number {
  return times(matrix, right).reduce((sum, value, index) => sum + value * at(left, index), 0);
}

/** The covariance after one more measurement with gradient `row`. */
function updated(covariance: readonly (readonly number[])[], row: readonly number[], variance: number): number[][] {
  const along = times(covariance, row);
  const scale = variance + quadratic(covariance, row, row);
  return covariance.map((line, a) => line.map((value, b) => value - (at(along, a) * at(along, b)) / scale));
}

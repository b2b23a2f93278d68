// Inner loops index with `?? NaN`, see gram.ts.
import { at } from '../../base/lists.ts';
import { combineTerms, type Form, factorsOf, productAt } from '../forms/form.ts';
import type { Cells } from './collapse.ts';
import { dot, type LeastSquares, residuals, scaledGram, solveChosen } from './gram.ts';
import { nnls } from './nnls.ts';
import { jacobian, solveOverlap } from './solve-overlap.ts';

/** What turns nodes into ranks x and scales into D. */
export interface Scaling {
  readonly ranksPerNode: number;
  readonly baseScale: number;
}

/**
 * Whether a second of error counts the same everywhere (the paper's least squares), or a percent does: better where
 * times span a decade.
 */
export type Errors = 'absolute' | 'relative';

/**
 * A form's weighted least-squares problem on cell means (s), as a function of u = ln alpha (0 in forms without alpha).
 */
export interface Design {
  readonly weights: Float64Array;
  readonly problem: (u: number) => LeastSquares;
  readonly solve: (u: number) => Float64Array;
  /** Sum over cells of weight (mean - prediction)² at the best coefficients for u. */
  readonly sse: (u: number) => number;
  /** d sse / du, up to a positive factor. */
  readonly slope: (u: number) => number;
  /** Predicted completion time per cell, s. */
  readonly predict: (u: number, coefficients: Float64Array) => Float64Array;
  /** Per unknown (coefficients, then u where the form has alpha) the change of each cell's prediction. */
  readonly gradient: (u: number, coefficients: Float64Array) => Float64Array[];
}

interface DesignOptions extends Scaling {
  readonly errors?: Errors;
}

export function createDesign(form: Form, cells: Cells, { ranksPerNode, baseScale, errors }: DesignOptions): Design {
  const x = cells.nodes.map((nodes) => nodes * ranksPerNode);
  const size = cells.scale.map((scale) => 2 ** (scale - baseScale));
  const slowdown = cells.bw.map((bw) => 100 / bw);
  const weights =
    errors === 'relative' ? cells.count.map((count, cell) => count / at(cells.mean, cell) ** 2) : cells.count;
  const still = form.terms.map(({ basis }) => {
    const { w: _, ...rest } = basis;
    const factors = factorsOf(rest);
    return x.map((ranks, cell) =>
      productAt(factors, {
        ...{ n: at(cells.nodes, cell), x: ranks, t: at(cells.threads, cell) },
        ...{ D: at(size, cell), s: at(slowdown, cell), w: 1 },
      }),
    );
  });
  const exponents = form.terms.map(({ basis }) => basis.w ?? 0);
  const least = leastOf(form);

  const columns = (u: number): Float64Array[] =>
    still.map((column, term) => {
      const rate = u * (exponents[term] ?? NaN);
      return rate === 0 ? column : column.map((value, cell) => value * Math.exp(rate * (slowdown[cell] ?? NaN)));
    });
  const solveColumns = (problem: LeastSquares): Float64Array => {
    if (form.overlap !== undefined) return solveOverlap(form, problem);
    return form.signed === true ? solveSigned(problem) : solveAtLeast(problem, least);
  };
  const y = cells.mean;
  const problem = (u: number): LeastSquares => ({ columns: columns(u), y, weights });
  const combine = createCombine(form);
  return {
    weights,
    problem,
    solve: (u) => solveColumns(problem(u)),
    predict: (u, coefficients) => combine(columns(u), coefficients),
    sse: (u) => {
      const own = problem(u);
      const predicted = combine(own.columns, solveColumns(own));
      let sum = 0;
      for (let cell = 0; cell < y.length; cell += 1) {
        sum += (weights[cell] ?? NaN) * ((y[cell] ?? NaN) - (predicted[cell] ?? NaN)) ** 2;
      }
      return sum;
    },
    slope: (u) => {
      const own = problem(u);
      const coefficients = solveColumns(own);
      // The coefficients are optimal for u, so only the columns' own change counts (envelope theorem).
      return -dot(byAlpha(own.columns, coefficients), residuals(own, coefficients), weights);
    },
    gradient: (u, coefficients) => {
      const bases = columns(u);
      const own = form.overlap === undefined ? bases : jacobian(form, { columns: bases }, coefficients);
      return exponents.some((exponent) => exponent !== 0) ? [...own, byAlpha(bases, coefficients)] : own;
    },
  };

  /** d prediction / du per cell: d/du e^(u e s) = e s times the column. */
  function byAlpha(bases: readonly Float64Array[], coefficients: Float64Array): Float64Array {
    const change = new Float64Array(cells.length);
    for (const [term, column] of bases.entries()) {
      const factor = (exponents[term] ?? NaN) * (coefficients[term] ?? NaN);
      if (factor === 0) continue;
      for (let cell = 0; cell < change.length; cell += 1) {
        change[cell] = (change[cell] ?? NaN) + factor * (slowdown[cell] ?? NaN) * (column[cell] ?? NaN);
      }
    }
    return change;
  }
}

function createCombine(form: Form): (columns: readonly Float64Array[], coefficients: Float64Array) => Float64Array {
  return (columns, coefficients) => {
    const length = columns[0]?.length ?? 0;
    const sum = new Float64Array(length);
    if (form.overlap !== undefined) {
      return sum.map((_, cell) =>
        combineTerms(
          form,
          columns.map((column, term) => (coefficients[term] ?? NaN) * (column[cell] ?? NaN)),
        ),
      );
    }
    for (const [term, column] of columns.entries()) {
      const coefficient = coefficients[term] ?? NaN;
      for (let cell = 0; cell < length; cell += 1) sum[cell] = (sum[cell] ?? NaN) + coefficient * (column[cell] ?? NaN);
    }
    return sum;
  };
}

/** Per term what its coefficient is at least. */
export function leastOf({ terms }: Pick<Form, 'terms'>): Float64Array {
  return Float64Array.from(terms, ({ counted }) => counted?.least ?? 0);
}

/** Non-negative least squares above bounds: what the bounds leave is for the coefficients above them. */
function solveAtLeast(problem: LeastSquares, least: Float64Array): Float64Array {
  if (least.every((bound) => bound === 0)) return nnls(problem);
  return nnls({ ...problem, y: residuals(problem, least) }).map((value, term) => value + (least[term] ?? NaN));
}

function solveSigned(problem: LeastSquares): Float64Array {
  const scaled = scaledGram(problem);
  const all = problem.columns.map((_, index) => index);
  const solution = solveChosen(scaled, all);
  return Float64Array.from(all, (index) => ((solution?.[index] ?? 0) * scaled.yNorm) / (scaled.norms[index] || 1));
}

import type { Cells } from './collapse.ts';
import { dot, type Problem, residuals } from './gram.ts';
import type { Model } from './models.ts';
import { nnls } from './nnls.ts';

/** What turns nodes into ranks x and scales into D. */
export interface Scaling {
  readonly ranksPerNode: number;
  readonly baseScale: number;
}

/** A model's least-squares problem on cell means, as a function of u = ln alpha (0 in models without alpha). */
export interface Design {
  readonly problem: (u: number) => Problem;
  readonly solve: (u: number) => Float64Array;
  /** Sum over cells of count (mean - prediction)² at the best coefficients for u, s². */
  readonly sse: (u: number) => number;
  /** d sse / du, up to a positive factor. */
  readonly slope: (u: number) => number;
  /** Predicted completion time per cell, s. */
  readonly predict: (u: number, coefficients: Float64Array) => Float64Array;
}

export function createDesign(model: Model, cells: Cells, { ranksPerNode, baseScale }: Scaling): Design {
  const x = cells.nodes.map((nodes) => nodes * ranksPerNode);
  const size = cells.scale.map((scale) => 2 ** (scale - baseScale));
  const slowdown = cells.bw.map((bw) => 100 / bw);

  const factors = (u: number): Float64Array => slowdown.map((ratio) => Math.exp(u * ratio));
  const columns = (w: Float64Array, stretch = 1): Float64Array[] =>
    model.terms.map(({ basis }) => {
      const column = new Float64Array(cells.length);
      for (let cell = 0; cell < column.length; cell += 1) {
        column[cell] = basis(x[cell] ?? 0, size[cell] ?? 0, (w[cell] ?? 0) * stretch, slowdown[cell] ?? 0);
      }
      return column;
    });
  const problem = (u: number): Problem => ({ columns: columns(factors(u)), y: cells.mean, weights: cells.count });
  return {
    problem,
    solve: (u) => nnls(problem(u)),
    predict: (u, coefficients) => combine(columns(factors(u)), coefficients),
    sse: (u) => {
      const at = problem(u);
      const rest = residuals(at, nnls(at));
      return dot(rest, rest, cells.count);
    },
    slope: (u) => {
      const w = factors(u);
      const at = { columns: columns(w), y: cells.mean, weights: cells.count };
      const coefficients = nnls(at);
      const rest = residuals(at, coefficients);
      // The coefficients are optimal for u, so only the columns' own change counts (envelope theorem). With w = e^(u ratio),
      // d/du = ratio * w d/dw; w d/dw by the five-point formula: exact for terms linear in w, error below 1e-12 else.
      const h = 1e-3;
      const [a, b, c, d] = [1 - 2 * h, 1 - h, 1 + h, 1 + 2 * h].map((stretch) =>
        combine(columns(w, stretch), coefficients),
      );
      return rest.reduce((sum, r, cell) => {
        const change =
          ((a?.[cell] ?? 0) - (d?.[cell] ?? 0) + 8 * ((c?.[cell] ?? 0) - (b?.[cell] ?? 0))) * (slowdown[cell] ?? 0);
        return sum - (cells.count[cell] ?? 0) * r * change;
      }, 0);
    },
  };
}

function combine(columns: readonly Float64Array[], coefficients: Float64Array): Float64Array {
  const sum = new Float64Array(columns[0]?.length ?? 0);
  for (const [term, column] of columns.entries()) {
    const coefficient = coefficients[term] ?? 0;
    for (let cell = 0; cell < sum.length; cell += 1) sum[cell] = (sum[cell] ?? 0) + coefficient * (column[cell] ?? 0);
  }
  return sum;
}

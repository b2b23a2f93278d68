// Inner loops index with `?? NaN`, see gram.ts.
import { type Form, softMaximum } from '../forms/form.ts';
import type { LeastSquares } from './gram.ts';
import { nnls } from './nnls.ts';

const ROUNDS = 60;
const CONVERGED = 1e-10;

/**
 * Coefficients >= 0 of a form whose parts overlap: CT = (P^p + N^p)^(1/p) + the rest. Gauss-Newton: CT is homogeneous of
 * degree 1 in the coefficients, so its linearisation at c is J c' without a constant, and each step is one non-negative
 * least squares. Starts: the plain sum, and most time in either part. The best of them is kept.
 */
export function solveOverlap(form: Form, problem: LeastSquares): Float64Array {
  const sum = nnls(problem);
  const starts = [sum, ...(['processing', 'communication'] as const).map((part) => leaning(form, sum, part))];
  let best = { coefficients: sum, error: errorOf(form, problem, sum) };
  for (const start of starts) {
    const found = descend(form, problem, start);
    if (found.error < best.error) best = found;
  }
  return best.coefficients;
}

interface Found {
  readonly coefficients: Float64Array;
  readonly error: number;
}

function descend(form: Form, problem: LeastSquares, start: Float64Array): Found {
  let at: Found = { coefficients: start, error: errorOf(form, problem, start) };
  for (let round = 0; round < ROUNDS; round += 1) {
    const target = nnls({ ...problem, columns: jacobian(form, problem, at.coefficients) });
    const next = stepTo(form, problem, at, target);
    if (!next || at.error - next.error <= CONVERGED * at.error) return next ?? at;
    at = next;
  }
  return at;
}

/** The longest of a few steps towards the target that lowers the error; null when none does. */
function stepTo(form: Form, problem: LeastSquares, from: Found, target: Float64Array): Found | null {
  for (let step = 1; step > 1e-2; step /= 2) {
    const coefficients = from.coefficients.map((value, term) => value + step * ((target[term] ?? NaN) - value));
    const error = errorOf(form, problem, coefficients);
    if (error < from.error) return { coefficients, error };
  }
  return null;
}

function leaning(form: Form, sum: Float64Array, part: 'processing' | 'communication'): Float64Array {
  return sum.map((value, term) => (form.terms[term]?.part === part ? value : value / 4));
}

function errorOf(form: Form, { columns, y, weights }: LeastSquares, coefficients: Float64Array): number {
  const { hidden, whole } = times(form, columns, coefficients);
  let error = 0;
  for (let cell = 0; cell < y.length; cell += 1) {
    error += (weights?.[cell] ?? 1) * ((y[cell] ?? NaN) - (hidden[cell] ?? NaN) - (whole[cell] ?? NaN)) ** 2;
  }
  return error;
}

/** d CT / d C per term and cell: the basis times the share with which its part enters the soft maximum. */
export function jacobian(
  form: Form,
  { columns }: Pick<LeastSquares, 'columns'>,
  coefficients: Float64Array,
): Float64Array[] {
  const p = form.overlap ?? 1;
  const parts = times(form, columns, coefficients);
  return columns.map((column, term) => {
    const part = form.terms[term]?.part ?? 'whole';
    if (part === 'whole') return column;
    const own = parts[part];
    return column.map((value, cell) => {
      const soft = parts.hidden[cell] ?? NaN;
      return soft === 0 ? value : value * ((own[cell] ?? NaN) / soft) ** (p - 1);
    });
  });
}

/** Seconds per cell of the two parts, of their soft maximum, and of the terms beside it. */
function times(
  { terms, overlap }: Form,
  columns: readonly Float64Array[],
  coefficients: Float64Array,
): Record<'processing' | 'communication' | 'hidden' | 'whole', Float64Array> {
  const of = (): Float64Array => new Float64Array(columns[0]?.length ?? 0);
  const sums = { processing: of(), communication: of(), whole: of() };
  for (const [term, column] of columns.entries()) {
    const sum = sums[terms[term]?.part ?? 'whole'];
    const coefficient = coefficients[term] ?? NaN;
    for (let cell = 0; cell < sum.length; cell += 1)
      sum[cell] = (sum[cell] ?? NaN) + coefficient * (column[cell] ?? NaN);
  }
  const hidden = sums.processing.map((own, cell) => softMaximum(own, sums.communication[cell] ?? NaN, overlap));
  return { ...sums, hidden };
}

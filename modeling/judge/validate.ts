import { badInput, shuffledIndices } from '../../base/index.ts';
import { type FitOptions, fitModel, formOf } from '../fit/fit.ts';
import { predictRows, score } from '../fit/score.ts';
import type { Form } from '../forms/form.ts';
import type { ModelName } from '../forms/models.ts';
import { selectFor } from '../forms/select.ts';
import type { Score, Validation } from '../records.ts';
import { baseScaleOf, pickRows, type Rows } from '../rows.ts';

interface ValidateOptions extends FitOptions {
  /** `split`: the paper's, one random fifth held out. `k-fold` (default): each fifth held out once. */
  readonly protocol?: Validation['protocol'];
  /** Default 5. */
  readonly folds?: number;
  /** The same seed gives the same split. Default 1. */
  readonly seed?: number;
}

/**
 * Fits to 4/5 of the rows, chosen at random, and predicts the rest (paper, section IV.C). Held-out rows share their
 * settings with the training rows, so this tests interpolation only; see `leaveLargestOut`.
 */
export function validate(model: ModelName | Form, rows: Rows, options: ValidateOptions): Validation {
  const { protocol = 'k-fold', folds = 5, seed = 1 } = options;
  const selected = pickRows(rows, selectFor(formOf(model), rows, options.at ?? {}));
  if (!Number.isInteger(folds) || folds < 2 || folds > selected.length) {
    throw badInput(
      `The validation splits ${selected.length} rows into ${folds} parts: choose 2 to ${selected.length} parts.`,
    );
  }
  // The base must not depend on which rows happen to be held out.
  const baseScale = baseScaleOf(selected, options.baseScale);
  const order = shuffledIndices(selected.length, seed);
  const tested = protocol === 'split' ? 1 : folds;
  const parts = Array.from({ length: tested }, (_, part) => {
    const from = Math.floor((part * selected.length) / folds);
    const to = Math.floor(((part + 1) * selected.length) / folds);
    const training = pickRows(selected, [...order.subarray(0, from), ...order.subarray(to)]);
    const heldOut = pickRows(selected, order.subarray(from, to));
    const fitted = fitModel(model, training, { ranksPerNode: options.ranksPerNode, baseScale, errors: options.errors });
    const predicted = predictRows(fitted, heldOut);
    return { fit: fitted, measured: heldOut.ct, predicted, score: score(heldOut.ct, predicted) };
  });
  return {
    model: formOf(model).name,
    protocol,
    folds,
    seed,
    score: pooled(parts),
    parts: parts.map((part) => ({ fit: part.fit, score: part.score })),
  };
}

function pooled(parts: readonly { measured: Float64Array; predicted: Float64Array }[]): Score {
  const join = (columns: readonly Float64Array[]): Float64Array => {
    const joined = new Float64Array(columns.reduce((sum, column) => sum + column.length, 0));
    let offset = 0;
    for (const column of columns) {
      joined.set(column, offset);
      offset += column.length;
    }
    return joined;
  };
  return score(join(parts.map((part) => part.measured)), join(parts.map((part) => part.predicted)));
}

import { median } from 'simple-statistics';
import { badInput } from '../../base/errors.ts';
import { at, shuffledIndices } from '../../base/lists.ts';
import { determination, type FitOptions, fitModel, formOf } from '../fit/fit.ts';
import type { Form } from '../forms/form.ts';
import type { ModelName } from '../forms/models.ts';
import { predict, selectFor } from '../forms/predict.ts';
import type { Score, Validation } from '../model-records.ts';
import { baseScaleOf, pickRows, type Rows, settingAt } from '../rows.ts';

interface ValidateOptions extends FitOptions {
  /** Default 5. */
  readonly folds?: number;
  /** The same seed gives the same split. Default 1. */
  readonly seed?: number;
}

/**
 * Fits to 4/5 of the rows, chosen at random, and predicts the rest (paper, section IV.C), until each fifth was held out once. Held-out
 * rows share their settings with the training rows, so this tests interpolation only; see `leaveLargestOut`.
 */
export function validate(model: ModelName | Form, rows: Rows, options: ValidateOptions): Validation {
  const { folds = 5, seed = 1 } = options;
  const selected = pickRows(rows, selectFor(formOf(model), rows, options.at ?? {}));
  if (!Number.isInteger(folds) || folds < 2 || folds > selected.length) {
    throw badInput(
      `The validation splits ${selected.length} rows into ${folds} parts: choose 2 to ${selected.length} parts.`,
    );
  }
  // The base must not depend on which rows happen to be held out.
  const baseScale = baseScaleOf(selected, options.baseScale);
  const order = shuffledIndices(selected.length, seed);
  const parts = Array.from({ length: folds }, (_, part) => {
    const from = Math.floor((part * selected.length) / folds);
    const to = Math.floor(((part + 1) * selected.length) / folds);
    const training = pickRows(selected, [...order.subarray(0, from), ...order.subarray(to)]);
    const heldOut = pickRows(selected, order.subarray(from, to));
    const fitted = fitModel(model, training, { ranksPerNode: options.ranksPerNode, baseScale, errors: options.errors });
    const predicted = Array.from(heldOut.ct, (_, row) => predict(fitted, settingAt(heldOut, row)));
    return { fit: fitted, measured: [...heldOut.ct], predicted, score: score([...heldOut.ct], predicted) };
  });
  const all = (column: 'measured' | 'predicted'): number[] => parts.flatMap((part) => part[column]);
  return {
    score: score(all('measured'), all('predicted')),
    parts: parts.map((part) => ({ fit: part.fit, score: part.score })),
  };
}

/** How well predictions meet measurements, both in seconds and of equal length above 0. */
function score(measured: readonly number[], predicted: readonly number[]): Score {
  const rows = measured.length;
  const mean = measured.reduce((sum, value) => sum + value, 0) / rows;
  let sse = 0;
  let sst = 0;
  const errors = measured.map((value, index) => {
    const difference = at(predicted, index) - value;
    sse += difference ** 2;
    sst += (value - mean) ** 2;
    return (Math.abs(difference) / value) * 100;
  });
  return {
    rows,
    r2: determination({ sse, sst, rows, mean }),
    mse: sse / rows,
    medianErrorPercent: median(errors),
    meanErrorPercent: errors.reduce((sum, error) => sum + error, 0) / rows,
  };
}

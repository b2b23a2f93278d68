import { at } from '../../base/at.ts';
import { predict } from '../forms/predict.ts';
import type { Fit, Score } from '../records.ts';
import { type Rows, settingAt } from '../rows.ts';

/** Predicted completion time (s) of each row. */
export function predictRows(fit: Fit, rows: Rows): Float64Array {
  return rows.ct.map((_, index) => predict(fit, settingAt(rows, index)));
}

/** How well predictions meet measurements, both in seconds and of equal length above 0. */
export function score(measured: Float64Array, predicted: Float64Array): Score {
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

/** R2 = 1 - SSE/SST, centred. Where all values are equal but for rounding there is nothing to explain: 0. */
export function determination(of: { sse: number; sst: number; rows: number; mean: number }): number {
  return of.sst > of.rows * (1e-12 * of.mean) ** 2 ? 1 - of.sse / of.sst : 0;
}

export function median(values: Float64Array): number {
  const sorted = values.toSorted();
  const middle = (sorted.length - 1) / 2;
  return (at(sorted, Math.floor(middle)) + at(sorted, Math.ceil(middle))) / 2;
}

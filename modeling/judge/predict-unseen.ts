import { median } from 'simple-statistics';
import { at } from '../../base/at.ts';
import { type Cells, collapse } from '../fit/collapse.ts';
import type { Solved } from '../fit/fit.ts';
import { predict } from '../forms/predict.ts';
import type { Extrapolation, Fit, UnseenCell } from '../records.ts';
import { distinct, type Rows, settingAt } from '../rows.ts';
import { createAbstention } from './abstain.ts';
import { type AskedModel, type CompareOptions, solve } from './compare.ts';
import { type BootstrapOptions, bootstrap, estimates, type Mixed, measurable } from './ensemble.ts';

export interface UnseenOptions extends CompareOptions {
  /** Gives every prediction the interval in which its cell's measured mean should fall. */
  readonly interval?: BootstrapOptions | undefined;
}

/** Fits to some rows, or chooses among all forms for them alone, and predicts the cells of others, which it has not seen. */
export function predictUnseen(
  model: AskedModel,
  { training, unseen }: { readonly training: Rows | Cells; readonly unseen: Rows | Cells },
  options: UnseenOptions,
): Extrapolation {
  return extrapolate(solve(model, training, options), unseen, options.interval);
}

/** The cells of rows that a fit has not seen, as it predicts them. */
export function extrapolate(
  solved: Solved | Mixed,
  unseen: Rows | Cells,
  interval: BootstrapOptions | undefined,
): Extrapolation {
  const { fit } = solved;
  const cells = collapse(unseen);
  const targets = Array.from({ length: cells.length }, (_, cell) => settingAt(cells, cell));
  const rows = cells.count.reduce((sum, count) => sum + count, 0);
  const repetitions = Math.max(1, Math.round(rows / cells.length));
  const times = (one: Fit): number[] => targets.map((target) => predict(one, target));
  const ensemble = interval || 'posterior' in solved ? bootstrap(solved, interval) : null;
  const values = ensemble && estimates(ensemble, times);
  const intervals = interval && ensemble && measurable(ensemble, times, repetitions);
  const abstains = ensemble && createAbstention(ensemble);
  const predictions = targets.map((target, cell) => {
    const measured = at(cells.mean, cell);
    const predicted = values?.[cell]?.value ?? predict(fit, target);
    const range = intervals?.[cell];
    return {
      ...target,
      rows: at(cells.count, cell),
      measured,
      predicted,
      errorPercent: ((predicted - measured) / measured) * 100,
      interval: range ? { low: range.low, high: range.high } : null,
      abstains: (range && abstains?.(target, range)) ?? null,
    };
  });
  const sizes = predictions.map(({ errorPercent }) => Math.abs(errorPercent));
  return {
    fit,
    heldOutNodes: distinct(cells, 'nodes'),
    cells: predictions,
    medianErrorPercent: median(sizes),
    maxErrorPercent: Math.max(...sizes),
    insidePercent: insidePercent(predictions),
  };
}

/** Share of the cells that lie inside their interval, of those that have one; null where none has. */
export function insidePercent(cells: readonly Pick<UnseenCell, 'measured' | 'interval'>[]): number | null {
  const inside = cells.flatMap(({ measured, interval }) =>
    interval ? [measured >= (interval.low ?? 0) && measured <= (interval.high ?? Number.POSITIVE_INFINITY)] : [],
  );
  return inside.length === 0 ? null : (inside.filter((one) => one).length / inside.length) * 100;
}

import { badInput, formatRange } from '../base/index.ts';
import { collapse } from './collapse.ts';
import { type FitOptions, fitModel, formOf } from './fit.ts';
import type { Form } from './form.ts';
import type { ModelName } from './models.ts';
import { predict } from './predict.ts';
import type { Extrapolation } from './records.ts';
import { distinct, pickRows, type Rows } from './rows.ts';
import { median } from './score.ts';
import { selectFor } from './select.ts';

export interface LeaveLargestOutOptions extends FitOptions {
  /** How many of the largest node counts to hold out. Default 1. */
  readonly count?: number;
}

/** Fits to all but the largest node counts and predicts those: the test nearest to what a projection does. */
export function leaveLargestOut(
  modelName: ModelName | Form,
  rows: Rows,
  options: LeaveLargestOutOptions,
): Extrapolation {
  const model = formOf(modelName);
  const { count = 1, at = {}, ranksPerNode } = options;
  if (model.fixed.includes('nodes')) {
    throw badInput(`${model.title}, holds the node count fixed, so it cannot predict another: use eq6 or eq7.`);
  }
  const selected = pickRows(rows, selectFor(model, rows, at));
  const nodeCounts = distinct(selected, 'nodes');
  // Two must stay: from one, nothing is learnt about how the time changes with nodes.
  if (!Number.isInteger(count) || count < 1 || count > nodeCounts.length - 2) {
    throw badInput(
      `Leaving out the ${count} largest of the node counts ${formatRange(nodeCounts)}: ` +
        'at least one must be left out and two must stay to fit to.',
    );
  }
  const heldOutNodes = nodeCounts.slice(-count);
  const smallestHeldOut = Math.min(...heldOutNodes);
  const places = (heldOut: boolean): number[] =>
    Array.from(selected.nodes.keys()).filter((row) => (selected.nodes[row] ?? 0) >= smallestHeldOut === heldOut);
  const baseScale = options.baseScale ?? selected.scale.reduce((least, scale) => Math.min(least, scale)) - 1;
  const fitted = fitModel(modelName, pickRows(selected, places(false)), { ranksPerNode, baseScale });

  const left = collapse(pickRows(selected, places(true)));
  const cells = Array.from({ length: left.length }, (_, cell) => {
    const target = { scale: left.scale[cell] ?? 0, nodes: left.nodes[cell] ?? 0, bw: left.bw[cell] ?? 0 };
    const measured = left.mean[cell] ?? Number.NaN;
    const predicted = predict(fitted, target);
    const errorPercent = ((predicted - measured) / measured) * 100;
    return { ...target, rows: left.count[cell] ?? 0, measured, predicted, errorPercent };
  });
  const sizes = Float64Array.from(cells, (cell) => Math.abs(cell.errorPercent));
  return {
    fit: fitted,
    heldOutNodes,
    cells,
    medianErrorPercent: median(sizes),
    maxErrorPercent: sizes.reduce((most, size) => Math.max(most, size)),
  };
}

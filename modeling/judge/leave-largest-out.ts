import { at } from '../../base/at.ts';
import { badInput, formatRange } from '../../base/index.ts';
import { type Cells, collapse, pickCells } from '../fit/collapse.ts';
import { formOf } from '../fit/fit.ts';
import { indicesOf, selectFor } from '../forms/select.ts';
import type { Extrapolation } from '../records.ts';
import { baseScaleOf, distinct, indicesWhere, type Rows } from '../rows.ts';
import type { AskedModel } from './compare.ts';
import { predictUnseen, type UnseenOptions } from './predict-unseen.ts';

export interface LeaveLargestOutOptions extends UnseenOptions {
  /** How many of the largest node counts to hold out. Default 1. */
  readonly count?: number;
}

/** Fits to all but the largest node counts and predicts those: the test nearest to what a projection does. */
export function leaveLargestOut(
  model: AskedModel,
  rows: Rows | Cells,
  { count = 1, at: selection = {}, ...options }: LeaveLargestOutOptions,
): Extrapolation {
  const form = model === 'auto' ? null : formOf(model);
  if (form?.fixed.includes('nodes')) {
    throw badInput(`${form.title}, has a fixed node count, so it cannot predict another one: use eq6 or eq7.`);
  }
  const all = collapse(rows);
  const selected = pickCells(all, form ? selectFor(form, all, selection) : indicesOf(all, selection));
  const nodeCounts = distinct(selected, 'nodes');
  // Two must stay: from one, nothing is learnt about how the time changes with nodes.
  if (!Number.isInteger(count) || count < 1 || count > nodeCounts.length - 2) {
    throw badInput(
      `The ${count} largest of the node counts ${formatRange(nodeCounts)} cannot be left out: ` +
        'leave out at least one and keep two to fit.',
    );
  }
  const smallestHeldOut = at(nodeCounts, nodeCounts.length - count);
  const part = (heldOut: boolean): Cells =>
    pickCells(
      selected,
      indicesWhere(selected, (cell) => at(selected.nodes, cell) >= smallestHeldOut === heldOut),
    );
  const baseScale = baseScaleOf(selected, options.baseScale);
  return predictUnseen(model, { training: part(false), unseen: part(true) }, { ...options, baseScale });
}

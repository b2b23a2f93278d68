import { median } from 'simple-statistics';
import { badInput } from '../../base/errors.ts';
import { at } from '../../base/lists.ts';
import { formatRange } from '../../base/ranges.ts';
import { type Cells, collapse, pickCells } from '../fit/collapse.ts';
import { formOf, type Solved } from '../fit/fit.ts';
import { indicesOf, predict, selectFor } from '../forms/predict.ts';
import type { Extrapolation, Fit, UnseenCell } from '../model-records.ts';
import { baseScaleOf, distinct, pickRows, type Rows, settingAt } from '../rows.ts';
import { createAbstention } from './abstain.ts';
import { computeSkill } from './baselines.ts';
import { type AskedModel, type CompareOptions, solve } from './compare-candidates.ts';
import { type BootstrapOptions, bootstrap, estimates, type Mixed, measurable } from './ensemble.ts';

interface UnseenOptions extends CompareOptions {
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

interface LeaveLargestOutOptions extends UnseenOptions {
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
  const indices = form ? selectFor(form, rows, selection) : indicesOf(rows, selection);
  const selected = pick(rows, indices);
  const nodeCounts = distinct(selected, 'nodes');
  // Two must stay: from one, nothing is learnt about how the time changes with nodes.
  if (!Number.isInteger(count) || count < 1 || count > nodeCounts.length - 2) {
    throw badInput(
      `The ${count} largest of the node counts ${formatRange(nodeCounts)} cannot be left out: ` +
        'leave out at least one and keep two to fit.',
    );
  }
  const left = nodeCounts.slice(-count);
  // Rows become cells apart: which of them are odd is told by the scatter of all.
  const part = (isLeft: boolean): Rows | Cells =>
    pick(
      rows,
      indices.filter((index) => left.includes(at(rows.nodes, index)) === isLeft),
    );
  const baseScale = baseScaleOf(selected, options.baseScale);
  return predictUnseen(model, { training: part(false), unseen: part(true) }, { ...options, baseScale });
}

function pick(rows: Rows | Cells, indices: readonly number[]): Rows | Cells {
  return 'mean' in rows ? pickCells(rows, indices) : pickRows(rows, indices);
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
    const { threads, ...place } = target;
    return {
      ...(threads === 1 ? place : target),
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
    skill: 'posterior' in solved ? computeSkill(predictions, solved.cells, fit) : null,
  };
}

/** Share of the cells that lie inside their interval, of those that have one; null where none has. */
export function insidePercent(cells: readonly Pick<UnseenCell, 'measured' | 'interval'>[]): number | null {
  const inside = cells.flatMap(({ measured, interval }) =>
    interval ? [measured >= (interval.low ?? 0) && measured <= (interval.high ?? Number.POSITIVE_INFINITY)] : [],
  );
  return inside.length === 0 ? null : (inside.filter((one) => one).length / inside.length) * 100;
}

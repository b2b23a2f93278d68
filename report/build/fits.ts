import { median as medianOf } from 'simple-statistics';
import { PredictError } from '../../base/index.ts';
import {
  type Fit,
  type FitOptions,
  fit as fitModel,
  formula,
  type ModelName,
  models,
  type Rows,
  validate,
} from '../../modeling/index.ts';
import type { FitRow, ReportData } from '../data.ts';

/** A fit with the name under which the report knows it. */
export interface NamedFit {
  readonly row: FitRow;
  readonly fit: Fit;
}

export interface Attempts<T> {
  readonly made: readonly T[];
  /** Why the others could not be made, without repetition. */
  readonly reasons: readonly string[];
}

/** Which model to fit to which part of the rows. */
export interface Task {
  readonly model: ModelName;
  readonly at: NonNullable<FitOptions['at']>;
}

/** In order of preference: models with bandwidth before those without, one scale before all scales. */
export function tasksFor({
  scales,
  nodes,
}: {
  readonly scales: readonly number[];
  readonly nodes: readonly number[];
}): Task[] {
  const each = (model: ModelName): Task[] => [...scales].reverse().map((scale) => ({ model, at: { scale } }));
  const several = scales.length > 1;
  const [only] = nodes;
  return [
    ...each('eq6'),
    ...(several ? [{ model: 'eq7' as const, at: {} }] : []),
    ...each('volume'),
    ...(several ? [{ model: 'volume' as const, at: {} }] : []),
    ...(nodes.length === 1 && only !== undefined
      ? scales.map((scale) => ({ model: 'eq5' as const, at: { scale, nodes: only } }))
      : []),
    ...each('eq2').map(({ model, at }) => ({ model, at: { ...at, bw: 100 } })),
    ...(several ? [{ model: 'eq3' as const, at: { bw: 100 } }] : []),
  ];
}

/** How much nearer than the paper's models ours must come to unseen node counts to be preferred. */
const CLEARLY = 0.7;

/** The bandwidth models that missed unseen node counts least come first; the others keep their order behind them. */
export function byHeldOutError(tasks: readonly Task[], check: ReportData['check']): Task[] {
  const miss = (task: Task): number => {
    const { title, fixed } = models[task.model];
    const rows = (check?.rows ?? []).filter(
      (row) => row.model === title && row.set === 'heldOut' && row.scale === (task.at.scale ?? row.scale),
    );
    if (fixed.includes('bw')) return Number.POSITIVE_INFINITY;
    if (rows.length === 0) return Number.MAX_VALUE;
    const median = medianOf(rows.map((row) => Math.abs(row.errorPercent)));
    // Whole percents: below that the order of the list decides.
    return Math.round(task.model === 'volume' ? median / CLEARLY : median);
  };
  const misses = new Map(tasks.map((task) => [task, miss(task)]));
  return [...tasks].sort((a, b) => compare(misses.get(a) ?? 0, misses.get(b) ?? 0));
}

function compare(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Fits what can be fitted, with cross-validation where there are rows enough. */
export function fitAll(rows: Rows, tasks: readonly Task[], ranksPerNode: number): Attempts<NamedFit> {
  return attemptAll(tasks, ({ model, at }) => {
    const fitted = fitModel(model, rows, { ranksPerNode, at });
    const { title, fixed } = models[model];
    const checked = attemptAll([0], () => validate(model, rows, { ranksPerNode, at })).made[0];
    const row: FitRow = {
      id: at.scale === undefined ? model : `${model}-s${at.scale}`,
      model,
      title,
      formula: readable(formula(fitted.form)),
      scale: at.scale ?? null,
      usesBandwidth: !fixed.includes('bw'),
      coefficients: fitted.coefficients,
      alpha: fitted.alpha,
      alphaAtBound: fitted.alphaAtBound ?? null,
      r2: fitted.r2,
      mse: fitted.mse,
      rows: fitted.rows,
      ranksPerNode: fitted.ranksPerNode,
      baseScale: fitted.baseScale,
      crossValidation: checked
        ? { r2: checked.score.r2, mse: checked.score.mse, medianErrorPercent: checked.score.medianErrorPercent }
        : null,
    };
    return { row, fit: fitted };
  });
}

/** What a model refuses is a fact to report, not a failure of the report. */
export function attemptAll<In, Out>(inputs: readonly In[], make: (input: In) => Out): Attempts<Out> {
  const made: Out[] = [];
  const reasons = new Set<string>();
  for (const input of inputs) {
    try {
      made.push(make(input));
    } catch (error) {
      if (!(error instanceof PredictError)) throw error;
      reasons.add(error.message);
    }
  }
  return { made, reasons: [...reasons] };
}

/** A formula in the letters of mathematics. */
function readable(formula: string): string {
  return formula.replaceAll('sqrt(x)', '√x').replaceAll('alpha', 'α').replaceAll('*', '·');
}

import { attempt, PredictError } from '../../base/errors.ts';
import { ascending } from '../../base/lists.ts';
import type { FitOptions } from '../../modeling/fit/fit.ts';
import { formula, usesBandwidth } from '../../modeling/forms/form.ts';
import type { ModelName } from '../../modeling/forms/models.ts';
import { type AskedModel, type Choice, chosenForm, solve } from '../../modeling/judge/compare-candidates.ts';
import { formulaWithNumbers } from '../../modeling/judge/describe-fit.ts';
import { diagnose } from '../../modeling/judge/diagnose.ts';
import { bootstrap, type Ensemble, estimatedCoefficients } from '../../modeling/judge/ensemble.ts';
import { validate } from '../../modeling/judge/validate.ts';
import type { Comparison, Estimate, Fit, Score, Trend } from '../../modeling/model-records.ts';
import type { AnswerBasis } from '../answers/basis.ts';

/** A fit with the name under which the report knows it. */
export interface NamedFit {
  readonly row: FitRow;
  readonly ensemble: Ensemble;
}

/** A fitted model for the page; `id` joins curves, projections and dominance with it. */
export interface FitRow extends Fit {
  readonly id: string;
  readonly title: string;
  readonly formula: string;
  /** Null for generalised models. */
  readonly scale: number | null;
  /** False for Eq 2 and Eq 3, which describe full bandwidth only. */
  readonly usesBandwidth: boolean;
  readonly crossValidation: Score | null;
  /** Its constants, alpha among them, with 90 % intervals; empty where other forms are likely too, which call other things C2. */
  readonly constants: readonly (Estimate & { readonly name: string })[];
  /** Variables that what the fit leaves over still follows: the form is not that of the program. */
  readonly misspecified: readonly Trend['variable'][];
}

/** Which model to fit to which part of the rows. */
export interface Task {
  readonly model: AskedModel;
  readonly at: NonNullable<FitOptions['at']>;
  readonly errors?: FitOptions['errors'];
  /** Where it was made already: all forms together on all rows, with their draws. */
  readonly made?: { readonly choice: Choice; readonly ensemble: Ensemble };
}

/** In order of preference: what the comparison chose, then the paper's models; with bandwidth before those without. */
export function tasksFor({ points, choice, ensemble }: AnswerBasis): Task[] {
  if (points.length === 0) return [];
  const scales = ascending(points.map((point) => point.scale));
  const nodes = ascending(points.map((point) => point.nodes));
  const each = (model: ModelName): Task[] => [...scales].reverse().map((scale) => ({ model, at: { scale } }));
  const several = scales.length > 1;
  const [only] = nodes;
  const paper: Task[] = [
    ...each('eq6'),
    ...(several ? [{ model: 'eq7' as const, at: {} }] : []),
    ...(nodes.length === 1 && only !== undefined
      ? scales.map((scale) => ({ model: 'eq5' as const, at: { scale, nodes: only } }))
      : []),
    ...each('eq2').map(({ model, at }) => ({ model, at: { ...at, bw: 100 } })),
    ...(several ? [{ model: 'eq3' as const, at: { bw: 100 } }] : []),
  ];
  if (choice === null || ensemble === null) return paper;
  const { errors } = choice.comparison;
  return [{ model: 'auto' as const, at: {}, errors, made: { choice, ensemble } }, ...paper];
}

/** Fits what can be fitted, with intervals, and with cross-validation where there are rows enough. */
export function fitAll({ rows, ranksPerNode, traffic }: AnswerBasis, tasks: readonly Task[]) {
  return attemptAll(tasks, ({ model, at, errors = 'absolute', made }): NamedFit => {
    const options = { ranksPerNode, at, errors, traffic };
    const solved = made?.choice.solved ?? solve(model, rows, options);
    const { fit } = solved;
    const { title, fixed, name } = fit.form;
    const checked = attempt(() => validate(solved.asked, rows, options));
    const id = name.replaceAll(/[^a-z0-9]+/gi, '-').replace(/-$/, '');
    const ensemble = made?.ensemble ?? bootstrap(solved);
    const row: FitRow = {
      ...fit,
      id: at.scale === undefined ? id : `${id}-s${at.scale}`,
      title,
      formula: readable(ensemble.mixed ? formulaWithNumbers(fit) : formula(fit.form)),
      scale: at.scale ?? null,
      usesBandwidth: usesBandwidth(fit.form) && !fixed.includes('bw'),
      crossValidation: checked?.score ?? null,
      constants: ensemble.mixed ? [] : constantsOf(ensemble),
      misspecified: diagnose(solved).trends.map(({ variable }) => variable),
    };
    return { row, ensemble };
  });
}

function constantsOf(ensemble: Ensemble): FitRow['constants'] {
  const { coefficients, alpha } = estimatedCoefficients(ensemble);
  const named = Object.entries(coefficients).map(([name, one]) => ({ name, ...one }));
  return alpha === null ? named : [...named, { name: 'α', ...alpha }];
}

/** What a model refuses is a fact to report, not a failure of the report: what was made, and why the rest was not. */
export function attemptAll<In, Out>(inputs: readonly In[], make: (input: In) => Out) {
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

/** `Eq 6` of `Eq 6, refined model`: for use inside a sentence. */
export function shortTitle(title: string): string {
  return title.split(',')[0] ?? title;
}

/** What the page shows of a comparison: how the competing forms did on node counts that were left out. */
export function shownComparison(comparison: Comparison) {
  const { chosen, leftOutNodes, candidates } = comparison;
  return {
    sentence: `${shortTitle(chosenForm(comparison).title)} explains most. Predictions combine all likely candidate models.`,
    leftOutNodes,
    candidates: candidates.map(({ name, form, formula, score, bic, warning }) => ({
      title: form.title,
      formula: readable(formula),
      medianErrorPercent: score,
      bic,
      warning: warning === null ? null : readable(warning),
      chosen: name === chosen,
    })),
  };
}

import { at, attempt } from '../../base/index.ts';
import { type Cells, collapse, pickCells } from '../fit/collapse.ts';
import { type FitOptions, formOf, type Solved, solveModel } from '../fit/fit.ts';
import { mechanismForms, paperModelFor, peerForms, termTexts, variesIn, withExtras } from '../forms/candidates.ts';
import { type Form, formula } from '../forms/form.ts';
import { pmnfForm } from '../forms/pmnf.ts';
import { indicesOf } from '../forms/select.ts';
import { type TrafficPoint, trafficForm } from '../forms/traffic.ts';
import type { Candidate, Comparison } from '../records.ts';
import { baseScaleOf, distinct, type Rows } from '../rows.ts';
import { diagnose } from './diagnose.ts';
import { type LeaveLargestOutOptions, leaveLargestOut } from './leave-largest-out.ts';
import { meaning } from './meaning.ts';
import { noiseOf } from './noise.ts';

interface CompareOptions extends FitOptions {
  /** What hosts sent per search, where counters told: lets the form with measured volumes compete. */
  readonly traffic?: readonly TrafficPoint[] | undefined;
}

/** How much lower the information criterion of a less preferred form must be: "very strong" evidence (Kass and Raftery 1995). */
const VERY_STRONG = 10;
/** How much nearer to unseen node counts another family must come. */
const CLEARLY = 0.7;

type Family = 'paper' | 'mechanism' | 'peer';

interface Contender {
  readonly family: Family;
  readonly form: Form;
  readonly solved: Solved;
  readonly bic: number;
  readonly score: number | null;
}

/**
 * Fits all forms that these rows can determine, ranks them by leaving out the largest node counts, and chooses one. The
 * order of preference is: the paper's form, its best extension, our mechanisms, the peers' forms. A less preferred form is
 * chosen only where its information criterion (BIC) is lower by 10, and where it is of another family only if it missed
 * the left-out node counts by less than 0.7 times as much; with too few node counts to leave one out, only mechanisms
 * can replace the paper's family. Errors are relative unless asked otherwise, because completion times span a decade.
 */
export function compare(
  rows: Rows | Cells,
  { traffic = [], at: selection = {}, ...options }: CompareOptions,
): Comparison {
  const all = collapse(rows);
  const cells = pickCells(all, indicesOf(all, selection));
  const settled = {
    ...options,
    baseScale: baseScaleOf(cells, options.baseScale),
    errors: options.errors ?? 'relative',
  };
  const leftOutNodes = leftOut(cells);
  const contenders = contend(cells, { ...settled, traffic, leftOut: leftOutNodes.length });
  const chosen = choose(contenders);
  const candidates = contenders
    .map((contender): Candidate => candidateOf(contender))
    .sort((a, b) => (a.score ?? Number.POSITIVE_INFINITY) - (b.score ?? Number.POSITIVE_INFINITY) || a.bic - b.bic);
  return {
    chosen: chosen.solved.fit.model,
    fit: chosen.solved.fit,
    sentence: meaning(chosen.solved.fit),
    errors: settled.errors,
    leftOutNodes,
    candidates,
  };
}

/** The form that a comparison chose, before it was fitted. */
export function chosenForm({ candidates, chosen, fit }: Comparison): Form {
  return candidates.find(({ name }) => name === chosen)?.form ?? fit.form;
}

interface Contest extends FitOptions {
  readonly baseScale: number;
  readonly traffic: readonly TrafficPoint[];
  /** How many of the largest node counts to predict. */
  readonly leftOut: number;
}

function contend(cells: Cells, { traffic, leftOut: count, ...options }: Contest): Contender[] {
  const varies = variesIn(cells);
  const paper = formOf(paperModelFor(varies));
  const measured = trafficForm(traffic, cells, options);
  const pmnf = pmnfForm(cells, options);
  const forms: (readonly [Family, Form])[] = [
    ...withExtras(paper, varies).map((form) => ['paper', form] as const),
    ...[...mechanismForms(varies), ...(measured ? [measured] : [])].map((form) => ['mechanism', form] as const),
    ...[...(varies.nodes ? peerForms(varies) : []), ...(pmnf ? [pmnf] : [])].map((form) => ['peer', form] as const),
  ];
  const solved = forms.flatMap(([family, form]) => {
    // What the rows cannot determine does not compete.
    const one = attempt(() => solveModel(form, cells, options));
    return one ? [{ family, form, solved: one }] : [];
  });
  if (solved.length === 0) solveModel(paper, cells, options); // says what is missing
  const criterion = createCriterion(solved.map((one) => one.solved));
  const scored = solved.map(
    (one): Contender => ({
      ...one,
      bic: criterion(one.solved),
      score: heldOutError(one.form, cells, { ...options, count }),
    }),
  );
  return withoutWeakExtensions(scored, paper.name);
}

/** Of the paper's form and its extensions the form itself and the best extension stay. */
function withoutWeakExtensions(contenders: readonly Contender[], paper: string): Contender[] {
  const extensions = contenders.filter((one) => one.family === 'paper' && one.solved.fit.model !== paper);
  const best = [...extensions].sort((a, b) => a.bic - b.bic)[0];
  return contenders.filter((one) => !extensions.includes(one) || one === best);
}

/** Contenders come in the order of preference: each must be clearly better than the one before that it replaces. */
function choose(contenders: readonly Contender[]): Contender {
  const [first, ...others] = contenders;
  if (!first) throw new Error('a comparison without contenders');
  return others.reduce((home, other) => (isClearlyBetter(other, home) ? other : home), first);
}

function isClearlyBetter(one: Contender, home: Contender): boolean {
  if (one.bic > home.bic - VERY_STRONG) return false;
  if (one.family === 'paper') return true;
  if (one.score === null || home.score === null) return one.family === 'mechanism';
  return one.score < CLEARLY * home.score;
}

function candidateOf({ form, solved, bic, score }: Contender): Candidate {
  const { fit } = solved;
  return {
    name: fit.model,
    form,
    formula: formula(fit.form),
    terms: termTexts(fit.form),
    coefficients: fit.coefficients,
    alpha: fit.alpha,
    score,
    bic,
    warning: diagnose(solved).warnings[0] ?? null,
  };
}

/**
 * Schwarz's criterion, with the noise taken as known: squared errors over the variance of their cell mean, plus unknowns
 * times ln(evidence). The scatter of whole cells is that of the form that leaves the least; where there is any, the
 * pieces of evidence are cells, else rows.
 */
function createCriterion(solved: readonly Solved[]): (one: Solved) => number {
  const noises = solved.map(noiseOf);
  const most = Math.max(...noises.map(({ freedom }) => freedom));
  const reliable = noises.filter(({ freedom }) => freedom > 0 && freedom >= most / 2);
  const between = Math.min(...reliable.map((noise) => noise.between), Number.POSITIVE_INFINITY);
  const scatter = Number.isFinite(between) ? between : 0;
  return (one) => {
    const { cells, design, u, coefficients, fit } = one;
    const { within } = noiseOf(one);
    const predicted = design.predict(u, coefficients);
    let squares = 0;
    for (let cell = 0; cell < cells.length; cell += 1) {
      const mean = at(cells.mean, cell);
      const variance = at(within, cell) + (Math.max(scatter, 1e-9) * mean) ** 2;
      squares += (mean - at(predicted, cell)) ** 2 / variance;
    }
    const unknowns = fit.form.terms.length + (fit.alpha === null ? 0 : 1) + (fit.form.searched ?? 0);
    return squares + unknowns * Math.log(scatter > 0 ? cells.length : fit.rows);
  };
}

/** The largest third of the node counts; none of fewer than three. */
function leftOut(cells: Cells): number[] {
  const nodes = distinct(cells, 'nodes');
  return nodes.length < 3 ? [] : nodes.slice(-Math.max(1, Math.floor(nodes.length / 3)));
}

/** Median error, percent, on the node counts left out when fitted to the others. */
function heldOutError(form: Form, cells: Cells, options: LeaveLargestOutOptions): number | null {
  if (options.count === 0 || form.fixed.includes('nodes')) return null;
  return attempt(() => leaveLargestOut(form, cells, options).medianErrorPercent);
}

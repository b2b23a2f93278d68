import { PredictError } from '../base/index.ts';
import { mechanismForms, paperModelFor, peerForms, termTexts, type Varies, withExtras } from './candidates.ts';
import { diagnose } from './diagnose.ts';
import { type FitOptions, formOf, type Solved, solveModel } from './fit.ts';
import type { Form } from './form.ts';
import { leaveLargestOut } from './leave-largest-out.ts';
import { meaning } from './meaning.ts';
import { noiseOf } from './noise.ts';
import { pmnfForm } from './pmnf.ts';
import type { Candidate, Comparison } from './records.ts';
import { distinct, pickRows, type Rows } from './rows.ts';
import { indicesOf } from './select.ts';

export interface CompareOptions extends FitOptions {
  /** Forms beside the ones that every comparison has, such as one with measured volumes. */
  readonly more?: readonly Form[];
}

/** How much lower the information criterion of another form must be to leave the paper's ("strong", Kass and Raftery 1995). */
const STRONG = 6;
/** How much nearer to unseen node counts another family must come. */
const CLEARLY = 0.7;

type Family = 'paper' | 'mechanism' | 'peer';

interface Contender {
  readonly family: Family;
  readonly solved: Solved;
  readonly bic: number;
  readonly score: number | null;
}

/**
 * Fits all forms that these rows can determine, ranks them by leaving out the largest node counts, and chooses one:
 * 1. of the paper's form and its extensions the one with the lowest information criterion (BIC), where an extension must
 *    beat the paper's own form by 6;
 * 2. a form of another family only where its BIC is lower by 6 as well and it missed the left-out node counts by less than
 *    0.7 times as much; with too few node counts to leave one out, one of our mechanisms whose BIC is lower by 6.
 * Errors are relative unless asked otherwise, because completion times span a decade.
 */
export function compare(rows: Rows, options: CompareOptions): Comparison {
  const { contenders, options: settled } = contend(rows, { errors: 'relative', ...options });
  const chosen = choose(contenders);
  const candidates = contenders
    .map((contender): Candidate => candidateOf(contender))
    .sort((a, b) => (a.score ?? Number.POSITIVE_INFINITY) - (b.score ?? Number.POSITIVE_INFINITY) || a.bic - b.bic);
  return {
    chosen: chosen.solved.fit.model,
    fit: chosen.solved.fit,
    sentence: meaning(chosen.solved.fit),
    errors: settled.errors ?? 'relative',
    leftOutNodes: leftOut(rows, settled),
    candidates,
  };
}

function contend(
  rows: Rows,
  { more = [], ...options }: CompareOptions,
): { readonly contenders: readonly Contender[]; readonly options: FitOptions } {
  const selected = pickRows(rows, indicesOf(rows, options.at ?? {}));
  const varies = Object.fromEntries(
    (['scale', 'nodes', 'bw'] as const).map((variable) => [variable, distinct(selected, variable).length > 1]),
  ) as Varies;
  const baseScale = options.baseScale ?? Math.min(...distinct(selected, 'scale')) - 1;
  const settled = { ...options, baseScale, at: {} };
  const paper = formOf(paperModelFor(varies));
  const pmnf = pmnfForm(selected, { ranksPerNode: options.ranksPerNode, baseScale });
  const forms: (readonly [Family, Form])[] = [
    ...withExtras(paper, varies).map((form) => ['paper', form] as const),
    ...[...mechanismForms(varies), ...more].map((form) => ['mechanism', form] as const),
    ...[...(varies.nodes ? peerForms(varies) : []), ...(pmnf ? [pmnf] : [])].map((form) => ['peer', form] as const),
  ];
  const solved = forms.flatMap(([family, form]) => {
    const one = attempt(() => solveModel(form, selected, settled));
    return one ? [{ family, solved: one }] : [];
  });
  if (solved.length === 0) solveModel(paper, selected, settled); // says what is missing
  const criterion = createCriterion(solved.map((one) => one.solved));
  const scored = solved.map(
    (one): Contender => ({
      ...one,
      bic: criterion(one.solved),
      score: heldOutError(one.solved.fit.form, selected, settled),
    }),
  );
  return { contenders: withoutWeakExtensions(scored, paper.name), options: settled };
}

/** Of the paper's form and its extensions the form itself and the best extension stay. */
function withoutWeakExtensions(contenders: readonly Contender[], paper: string): Contender[] {
  const extensions = contenders.filter((one) => one.family === 'paper' && one.solved.fit.model !== paper);
  const best = [...extensions].sort((a, b) => a.bic - b.bic)[0];
  return contenders.filter((one) => !extensions.includes(one) || one === best);
}

function choose(contenders: readonly Contender[]): Contender {
  const [paper, extension] = contenders.filter((one) => one.family === 'paper');
  const home = extension && paper && extension.bic < paper.bic - STRONG ? extension : (paper ?? contenders[0]);
  if (!home) throw new Error('a comparison without contenders');
  const better = contenders.filter((one) => {
    if (one.family === 'paper' || one === home) return false;
    if (home.score === null || one.score === null) return one.family === 'mechanism' && one.bic < home.bic - STRONG;
    return one.score < CLEARLY * home.score && one.bic < home.bic - STRONG;
  });
  const rank = (one: Contender): number => one.score ?? one.bic;
  return better.sort((a, b) => rank(a) - rank(b))[0] ?? home;
}

function candidateOf({ solved, bic, score }: Contender): Candidate {
  const { fit } = solved;
  return {
    name: fit.model,
    title: fit.form.title,
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
      const mean = cells.mean[cell] ?? 0;
      const variance = (within[cell] ?? 0) + (Math.max(scatter, 1e-9) * mean) ** 2;
      squares += (mean - (predicted[cell] ?? 0)) ** 2 / variance;
    }
    const unknowns = fit.form.terms.length + (fit.alpha === null ? 0 : 1) + (fit.form.searched ?? 0);
    return squares + unknowns * Math.log(scatter > 0 ? cells.length : fit.rows);
  };
}

function leftOut(rows: Rows, { at = {} }: FitOptions): number[] {
  const nodes = distinct(pickRows(rows, indicesOf(rows, at)), 'nodes');
  return nodes.length < 3 ? [] : nodes.slice(-Math.max(1, Math.floor(nodes.length / 3)));
}

/** Median error, percent, on the largest third of the node counts when fitted to the others. */
function heldOutError(form: Form, rows: Rows, options: FitOptions): number | null {
  const count = leftOut(rows, options).length;
  if (count === 0 || form.fixed.includes('nodes')) return null;
  return attempt(() => leaveLargestOut(form, rows, { ...options, count }).medianErrorPercent);
}

/** Null where the rows cannot determine a form: it does not compete. */
function attempt<T>(make: () => T): T | null {
  try {
    return make();
  } catch (error) {
    if (error instanceof PredictError) return null;
    throw error;
  }
}

import { median } from 'simple-statistics';
import { attempt } from '../../base/errors.ts';
import { at } from '../../base/lists.ts';
import { type Cells, collapse, pickCells, splitByNodes } from '../fit/collapse.ts';
import type { Errors } from '../fit/design.ts';
import { type FitOptions, formOf, quality, type Solved, solveModel, trusted } from '../fit/fit.ts';
import { extendedForms, mechanismForms, paperModelFor, peerForms, variesIn } from '../forms/candidates.ts';
import { type Form, formula, termFormula } from '../forms/form.ts';
import type { ModelName } from '../forms/models.ts';
import { pmnfForm } from '../forms/pmnf.ts';
import { indicesOf, predict } from '../forms/predict.ts';
import { type TrafficPoint, trafficForm } from '../forms/traffic-form.ts';
import type { Candidate, Comparison } from '../model-records.ts';
import { baseScaleOf, distinct, type Rows, settingAt } from '../rows.ts';
import { describeFit } from './describe-fit.ts';
import { diagnose } from './diagnose.ts';
import type { Mixed } from './ensemble.ts';
import { type MeasuredParts, partsOf } from './measured-parts.ts';
import { createMember } from './member.ts';
import { nearestFit } from './nearest-fit.ts';
import { createCriterion } from './noise.ts';
import { computePosterior } from './posterior.ts';
import { type Family, rivalsOf } from './rivals.ts';

export interface CompareOptions extends FitOptions {
  /** What hosts sent per search, where counters told: lets the form with measured volumes compete. */
  readonly traffic?: readonly TrafficPoint[] | undefined;
}

/** Extra-P's form has so many exponents to choose from that fewer node counts are always met. */
const FEWEST_FOR_PMNF = 5;

/** A form that competes, and how it is made of any rows: some are looked for in them. */
interface Contender {
  readonly family: Family;
  readonly make: (cells: Cells) => Form | null;
  readonly form: Form;
  readonly solved: Solved;
}

/** What is asked of a comparison, settled. */
interface Contest extends FitOptions {
  readonly baseScale: number;
  readonly errors: Errors;
  readonly traffic: readonly TrafficPoint[];
}

/** A comparison, and all its forms as one mixture from which `bootstrap` draws; its `fit` is one formula for all (`nearestFit`). */
export interface Choice {
  readonly comparison: Comparison;
  readonly solved: Mixed;
}

/**
 * Fits all forms that these rows can determine and weighs them: the share of a form is its marginal likelihood times what is
 * known beforehand. Where the parts of times were measured, these take the place of all forms. Of the likely forms the one whose fit
 * leaves least gives the mixture its name. The largest node counts are left out and predicted as well, which orders the candidates. Errors are relative unless asked otherwise, because completion times span a decade.
 */
export function compare(rows: Rows | Cells, options: CompareOptions): Comparison {
  return chooseAmong(rows, options).comparison;
}

export function chooseAmong(rows: Rows | Cells, options: CompareOptions): Choice {
  const { solved, ranked, first, contest } = mixAll(rows, options);
  const leftOutNodes = leftOut(solved.cells);
  const candidates = withoutWeakExtensions(ranked, first)
    .map(({ contender, weight, bic }): Candidate => {
      const score = heldOutError(contender, solved.cells, { contest, leftOutNodes });
      return { ...candidateOf(contender.solved), form: contender.form, weight, bic, score };
    })
    .sort((a, b) => (a.score ?? Number.POSITIVE_INFINITY) - (b.score ?? Number.POSITIVE_INFINITY) || a.bic - b.bic);
  const { fit } = solved;
  const told = { fit, sentence: describeFit(fit), errors: contest.errors };
  return { comparison: { chosen: first.solved.fit.model, ...told, leftOutNodes, candidates }, solved };
}

/** A mixture with what it was chosen among. */
type Mixture = ReturnType<typeof mix>;

/** The last mixtures by their rows: a command asks several questions of the same. */
const lately = new Map<string, Mixture>();
const KEPT = 8;

/** The mixture, without the table of its candidates. */
function mixAll(rows: Rows | Cells, { traffic = [], at: selection = {}, ...options }: CompareOptions): Mixture {
  const all = collapse(rows);
  const selected = pickCells(all, indicesOf(all, selection));
  const { ranksPerNode, errors = 'relative' } = options;
  const baseScale = baseScaleOf(selected, options.baseScale);
  const contest: Contest = { traffic, ranksPerNode, baseScale, errors, setAside: false };
  const key = JSON.stringify([contest, columnsOf(selected)]);
  const mixture = lately.get(key) ?? mix(selected, contest);
  lately.delete(key);
  lately.set(key, mixture);
  const [oldest] = lately.keys();
  if (lately.size > KEPT && oldest !== undefined) lately.delete(oldest);
  return mixture;
}

function columnsOf({ scale, nodes, bw, threads, count, mean, m2, outliers, share }: Cells): number[][] {
  return [scale, nodes, bw, threads, count, mean, m2, outliers, share].map((column) => Array.from(column));
}

function mix(selected: Cells, contest: Contest) {
  const { contenders: rivals, odd } = contendTrusting(selected, contest);
  const cells = at(rivals, 0).solved.cells;
  const parts = partsOf(cells, contest);
  const { posterior, weights } = weigh(rivals, cells, parts);
  const contenders = parts === null ? rivals : [...rivals, contenderOf(parts, cells, contest)];
  const criterion = createCriterion(contenders.map(({ solved }) => solved));
  const ranked = contenders.map((contender, index) => ({
    contender,
    weight: at(weights, index),
    bic: criterion(contender.solved),
  }));
  const { contender: first } = explainsMost(ranked);
  const chosen: Mixed = { ...first.solved, odd, posterior, parts };
  return { solved: { ...chosen, fit: nearestFit(chosen) }, ranked, first, contest };
}

/** A form, or all of them. */
export type AskedModel = ModelName | Form | 'auto';

/** Fits a form, or chooses among all of them. */
export function solve(model: AskedModel, rows: Rows | Cells, options: CompareOptions): Solved | Mixed {
  return model === 'auto' ? mixAll(rows, options).solved : solveModel(model, rows, options);
}

/** The form that a comparison chose, before it was fitted. */
export function chosenForm({ candidates, chosen, fit }: Comparison): Form {
  return candidates.find(({ name }) => name === chosen)?.form ?? fit.form;
}

/** All forms on the cells that the nearest of them, in the median, does not call odd. */
function contendTrusting(cells: Cells, contest: Contest) {
  const contenders = contend(cells, contest);
  const [nearest] = contenders
    .filter(({ form }) => form.signed !== true)
    .map(({ form, solved: { fit } }) => ({
      form,
      miss: median(
        Array.from(cells.mean, (mean, cell) => Math.abs(Math.log(predict(fit, settingAt(cells, cell)) / mean))),
      ),
    }))
    .sort((a, b) => a.miss - b.miss);
  const { cells: kept, odd } = nearest ? trusted(nearest.form, cells, contest) : { cells, odd: pickCells(cells, []) };
  return { contenders: odd.length === 0 ? contenders : contend(kept, contest), odd };
}

function contend(cells: Cells, { traffic, ...options }: Contest): Contender[] {
  const varies = variesIn(cells);
  const paper = formOf(paperModelFor(varies));
  const measured = trafficForm(traffic, cells, options);
  const known = (family: Family) => (form: Form) => ({ family, make: (): Form => form });
  const makers: Pick<Contender, 'family' | 'make'>[] = [
    known('paper')(paper),
    // One bandwidth does not tell them from a power of x.
    ...(varies.bw ? extendedForms(paper, varies) : []).map(known('extension')),
    ...[...mechanismForms(varies), ...(measured ? [measured] : [])].map(known('mechanism')),
    ...(varies.nodes ? peerForms(varies) : []).map(known('peer')),
    {
      family: 'peer',
      make: (some) => (distinct(some, 'nodes').length < FEWEST_FOR_PMNF ? null : pmnfForm(some, options)),
    },
  ];
  const solved = makers.flatMap(({ family, make }) => {
    const form = make(cells);
    // What the rows cannot determine does not compete.
    const one = form && attempt(() => solveModel(form, cells, options));
    return one ? [{ family, make, form, solved: one }] : [];
  });
  if (solved.length === 0) solveModel(paper, cells, options); // says what is missing
  return solved;
}

/** The sum of both parts, whose powers and coefficients are those of the parts. */
function contenderOf({ form, coefficients }: MeasuredParts, cells: Cells, contest: Contest): Contender {
  const solved = solveModel(form, cells, { ...contest, at: {} });
  const fit = { ...solved.fit, coefficients };
  const predicted = Float64Array.from({ length: cells.length }, (_, cell) => predict(fit, settingAt(cells, cell)));
  return {
    family: 'parts',
    make: () => form,
    form,
    solved: { ...solved, fit: { ...fit, ...quality(cells, predicted) } },
  };
}

/**
 * The mixture of all forms but the peers', which are baselines; a form counts with its variants. Parts that were measured tell more than
 * any of them.
 */
function weigh(contenders: readonly Contender[], cells: Cells, parts: MeasuredParts | null) {
  const counted = contenders.some(({ form }) => form.volume !== undefined);
  const rivals = contenders.flatMap(({ family, form, solved }, index) => {
    return rivalsOf({ family, form }, counted, cells).map(({ form: own, shrinks, prior }) => ({
      index,
      solved,
      prior,
      member: createMember({ form: own, solved, shrinks }),
    }));
  });
  const posterior = computePosterior(rivals, cells);
  const weights = contenders.map((_, index) =>
    rivals.reduce((sum, rival, place) => sum + (rival.index === index ? at(posterior.weights, place) : 0), 0),
  );
  return { posterior, weights: parts === null ? weights : [...weights.map(() => 0), 1] };
}

interface Ranked {
  readonly contender: Contender;
  readonly weight: number;
  readonly bic: number;
}

/** Beside the likeliest form, one that is so likely may give the mixture its name. */
const LIKELY = 0.1;

/** Where bends explain what forms do not, weights are alike: of the likely forms the one whose own fit leaves least. */
function explainsMost(ranked: readonly Ranked[]): Ranked {
  const most = Math.max(...ranked.map(({ weight }) => weight));
  const [best] = ranked.filter(({ weight }) => weight >= LIKELY * most).sort((a, b) => a.bic - b.bic);
  if (!best) throw new Error('a comparison without contenders');
  return best;
}

/** Of the extensions of the paper's form the likeliest stays. */
function withoutWeakExtensions(ranked: readonly Ranked[], chosen: Contender): Ranked[] {
  const extensions = ranked.filter(({ contender }) => contender.family === 'extension');
  const [best] = [...extensions].sort((a, b) => b.weight - a.weight);
  return ranked.filter((one) => one === best || one.contender === chosen || one.contender.family !== 'extension');
}

function candidateOf(solved: Solved) {
  const { fit } = solved;
  return {
    name: fit.model,
    formula: formula(fit.form),
    terms: fit.form.terms.map(termFormula),
    coefficients: fit.coefficients,
    alpha: fit.alpha,
    warning: diagnose(solved).warnings[0] ?? null,
  };
}

/** The largest third of the node counts; none of fewer than three. */
function leftOut(cells: Cells): number[] {
  const nodes = distinct(cells, 'nodes');
  return nodes.length < 3 ? [] : nodes.slice(-Math.max(1, Math.floor(nodes.length / 3)));
}

/** Median error, percent, on the node counts left out when made of and fitted to the others; null where it cannot be. */
function heldOutError(
  { make, form }: Contender,
  cells: Cells,
  { contest, leftOutNodes }: { readonly contest: Contest; readonly leftOutNodes: readonly number[] },
): number | null {
  if (leftOutNodes.length === 0 || form.fixed.includes('nodes')) return null;
  const { on: unseen, others: training } = splitByNodes(cells, leftOutNodes);
  const own = make(training);
  const fit = own && attempt(() => solveModel(own, training, contest).fit);
  if (!fit) return null;
  return median(
    Array.from(unseen.mean, (mean, cell) => Math.abs(predict(fit, settingAt(unseen, cell)) / mean - 1) * 100),
  );
}

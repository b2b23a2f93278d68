import { at, attempt } from '../../base/index.ts';
import { type Cells, collapse, pickCells } from '../fit/collapse.ts';
import type { Errors } from '../fit/design.ts';
import { type FitOptions, formOf, type Solved, solveModel, trusted } from '../fit/fit.ts';
import { median } from '../fit/score.ts';
import { mechanismForms, paperModelFor, peerForms, termTexts, variesIn, withExtras } from '../forms/candidates.ts';
import { type Form, formula, type Term, usesBandwidth, type VolumeLaw } from '../forms/form.ts';
import type { ModelName } from '../forms/models.ts';
import { pmnfForm } from '../forms/pmnf.ts';
import { predict } from '../forms/predict.ts';
import { indicesOf } from '../forms/select.ts';
import { type TrafficPoint, termsOf, trafficForm } from '../forms/traffic.ts';
import type { Candidate, Comparison } from '../records.ts';
import { baseScaleOf, distinct, indicesWhere, type Rows, settingAt } from '../rows.ts';
import { createCriterion } from './criterion.ts';
import { diagnose } from './diagnose.ts';
import type { Mixed } from './ensemble.ts';
import { meaning } from './meaning.ts';
import { createMember } from './member.ts';
import { posteriorOf } from './posterior.ts';

export interface CompareOptions extends FitOptions {
  /** What hosts sent per search, where counters told: lets the form with measured volumes compete. */
  readonly traffic?: readonly TrafficPoint[] | undefined;
}

type Family = 'paper' | 'extension' | 'mechanism' | 'peer';

/** How likely a form is before any row was seen, beside the others (docs/models.md). */
const PRIOR: Readonly<Record<Family, number>> = { paper: 1, extension: 0.2, mechanism: 0.5, peer: 0.1 };
/** Of the paper's form with a power of x of its own: without a bandwidth that tells work from transfers it says most. */
const FREE = { overNodes: 5, overBandwidth: 1 };
/** Several bandwidths tell one extension from another, and messages show. */
const EXTENSION_OVER_BANDWIDTH = 2.5;
/** Of a mechanism's variants beside itself. */
const VARIANT = { withMessages: 1, withoutMessages: 0.5, constantMessages: 0.3, allToAll: 0.5, free: 0.5 };
/** The same where counters told its volume: what its transfers take is known, and so is less often that something else grows. */
const COUNTED_VARIANT = { withMessages: 0.1, withoutMessages: 1, constantMessages: 0.3 };
/** Of mechanisms that assume another volume than the one that was counted. */
const AGAINST_COUNTERS = 0.1;
/** Each rank sends its share of the data, 1/x, to the others: all but its own (x - 1) / x of it leaves. */
const ALL_TO_ALL = { others: 1, x: -2 };
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

/** A comparison, and all its forms as one mixture from which `bootstrap` draws; its `fit` is that of the likeliest form. */
export interface Choice {
  readonly comparison: Comparison;
  readonly solved: Mixed;
}

/**
 * Fits all forms that these rows can determine and weighs them: the share of a form is its marginal likelihood times what is
 * known beforehand. Of the likely forms the one whose fit leaves least gives
 * the mixture its name. The largest node counts are left out and predicted as well,
 * which orders the candidates. Errors are relative unless asked otherwise, because completion times span a decade.
 */
export function compare(rows: Rows | Cells, options: CompareOptions): Comparison {
  return chooseAmong(rows, options).comparison;
}

export function chooseAmong(
  rows: Rows | Cells,
  { traffic = [], at: selection = {}, ...options }: CompareOptions,
): Choice {
  const all = collapse(rows);
  const selected = pickCells(all, indicesOf(all, selection));
  const contest: Contest = {
    ...options,
    traffic,
    baseScale: baseScaleOf(selected, options.baseScale),
    errors: options.errors ?? 'relative',
    setAside: false,
  };
  const { contenders, odd } = contendTrusting(selected, contest);
  const cells = at(contenders, 0).solved.cells;
  const { posterior, weights } = weigh(contenders, cells);
  const criterion = createCriterion(contenders.map(({ solved }) => solved));
  const leftOutNodes = leftOut(cells);
  const ranked = contenders.map((contender, index) => ({
    contender,
    weight: at(weights, index),
    bic: criterion(contender.solved),
  }));
  const { contender: first } = explainsMost(ranked);
  const chosen = first.solved;
  const candidates = withoutWeakExtensions(ranked, first)
    .map(({ contender, weight, bic }): Candidate => {
      const score = heldOutError(contender, cells, { contest, leftOutNodes });
      return {
        ...candidateOf(contender.solved),
        form: contender.form,
        weight,
        bic,
        score,
      };
    })
    .sort((a, b) => (a.score ?? Number.POSITIVE_INFINITY) - (b.score ?? Number.POSITIVE_INFINITY) || a.bic - b.bic);
  return {
    comparison: {
      chosen: chosen.fit.model,
      fit: chosen.fit,
      sentence: meaning(chosen.fit),
      errors: contest.errors,
      leftOutNodes,
      candidates,
    },
    solved: { ...chosen, odd, posterior },
  };
}

/** A form, or all of them. */
export type AskedModel = ModelName | Form | 'auto';

/** Fits a form, or chooses among all of them. */
export function solve(model: AskedModel, rows: Rows | Cells, options: CompareOptions): Solved | Mixed {
  return model === 'auto' ? chooseAmong(rows, options).solved : solveModel(model, rows, options);
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
      miss: median(cells.mean.map((mean, cell) => Math.abs(Math.log(predict(fit, settingAt(cells, cell)) / mean)))),
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
    ...withExtras(paper, varies, 1).map((form) => known(form === paper ? 'paper' : 'extension')(form)),
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

/** The mixture of all forms but Extra-P's, whose coefficients of either sign lead below 0; a form counts with its variants. */
function weigh(contenders: readonly Contender[], cells: Cells) {
  const counted = contenders.some(({ form }) => form.volume !== undefined);
  const rivals = contenders.flatMap(({ family, form, solved }, index) => {
    if (form.signed === true) return [];
    const assumes = counted && family === 'mechanism' && form.volume === undefined;
    return variantsOf(family, form).map(({ form: own, freeShrink, share }) => ({
      index,
      solved,
      prior: PRIOR[family] * share * (assumes ? AGAINST_COUNTERS : 1),
      member: createMember({ form: own, solved, freeShrink }),
    }));
  });
  const posterior = posteriorOf(rivals, cells);
  const weights = contenders.map((_, index) =>
    rivals.reduce((sum, rival, place) => sum + (rival.index === index ? at(posterior.weights, place) : 0), 0),
  );
  return { posterior, weights };
}

interface Variant {
  readonly form: Form;
  readonly freeShrink: boolean;
  /** Of the form's own weight beforehand. */
  readonly share: number;
}

/**
 * What a form stands for in the mixture: itself, the same with a power of x of its own for the communication, and mechanisms
 * also without messages to partners, with a constant cost in their place, or exchanging all with all, where counters do not tell.
 */
function variantsOf(family: Family, form: Form): Variant[] {
  const itself = { form, freeShrink: false, share: 1 };
  if (form.fixed.includes('nodes') || form.terms.length < 2) return [itself];
  const over = usesBandwidth(form) ? 'overBandwidth' : 'overNodes';
  if (family === 'paper') return [itself, { form, freeShrink: true, share: FREE[over] }];
  if (family === 'extension' && over === 'overBandwidth') return [{ ...itself, share: EXTENSION_OVER_BANDWIDTH }];
  if (family !== 'mechanism') return [itself];
  if (form.volume !== undefined) return countedVariants(form, form.volume.laws);
  const [work, transfer, third] = form.terms;
  if (!work || !transfer || !third) return [itself];
  const variants = [
    ...withMessages(form, [work, transfer, third], VARIANT),
    {
      form: { ...form, terms: [work, { ...transfer, basis: { ...transfer.basis, ...ALL_TO_ALL } }] },
      share: VARIANT.allToAll,
    },
  ];
  // What hides behind work keeps its power.
  const free = form.overlap === undefined ? [VARIANT.free] : [];
  return variants.flatMap(({ form: own, share }) => [
    { form: own, freeShrink: false, share },
    ...(own.terms[1]?.basis.others === undefined ? free : []).map((times) => ({
      form: own,
      freeShrink: true,
      share: share * times,
    })),
  ]);
}

/** Every law that the counters leave open; its power is known, so none is looked for. */
function countedVariants(form: Form, laws: readonly VolumeLaw[]): Variant[] {
  return laws.flatMap((law) =>
    withMessages(form, termsOf(law), COUNTED_VARIANT).map(({ form: own, share }) => ({
      form: own,
      freeShrink: false,
      share: share * law.share,
    })),
  );
}

/** A mechanism with its messages, without any, and with a constant cost in their place. */
function withMessages(
  form: Form,
  [work, transfer, third]: readonly [Term, Term, Term],
  shares: typeof COUNTED_VARIANT,
) {
  return [
    { form: { ...form, terms: [work, transfer, third] }, share: shares.withMessages },
    { form: { ...form, terms: [work, transfer] }, share: shares.withoutMessages },
    { form: { ...form, terms: [work, transfer, { ...third, basis: {} }] }, share: shares.constantMessages },
  ];
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
    terms: termTexts(fit.form),
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
  const part = (leftOut: boolean): Cells =>
    pickCells(
      cells,
      indicesWhere(cells, (cell) => leftOutNodes.includes(at(cells.nodes, cell)) === leftOut),
    );
  const [training, unseen] = [part(false), part(true)];
  const own = make(training);
  const fit = own && attempt(() => solveModel(own, training, contest).fit);
  if (!fit) return null;
  return median(unseen.mean.map((mean, cell) => Math.abs(predict(fit, settingAt(unseen, cell)) / mean - 1) * 100));
}

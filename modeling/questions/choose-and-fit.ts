import { median } from 'simple-statistics';
import { badInput } from '../../base/errors.ts';
import { ascending } from '../../base/lists.ts';
import { closest, shortened } from '../../base/text.ts';
import { collapse } from '../fit/collapse.ts';
import { type FitOptions, type Solved, solveModel } from '../fit/fit.ts';
import type { Form } from '../forms/form.ts';
import { modelNames, models } from '../forms/models.ts';
import { type TrafficPoint, trafficForm } from '../forms/traffic-form.ts';
import { type Choice, type CompareOptions, chooseAmong, chosenForm } from '../judge/compare-candidates.ts';
import type { BootstrapOptions, Mixed } from '../judge/ensemble.ts';
import { extrapolate, insidePercent, leaveLargestOut, predictUnseen } from '../judge/predict-unseen.ts';
import type { Comparison, Extrapolation } from '../model-records.ts';
import { baseScaleOf, distinct, filterRows, type Rows, type Selection } from '../rows.ts';
import type { Measurements } from './measurements.ts';

/** Which model of which rows. */
export interface FitQuestion {
  /** A model's name, `traffic`, or `auto` (the default): all forms as one mixture. */
  readonly model?: string | undefined;
  readonly errors?: FitOptions['errors'] | undefined;
  readonly baseScale?: number | undefined;
  /** Threads of each rank to ask the fit for. Default: the most that were measured. */
  readonly threads?: number | undefined;
  /** Rows to fit to. */
  readonly at?: Selection;
  /** True when scale and bandwidth of `at` are what is asked for: they pick rows only where the model holds them fixed. */
  readonly projecting?: boolean;
}

/** A fitted model and, where it was chosen, among what. */
interface ChosenFit {
  readonly solved: Solved | Mixed;
  readonly comparison: Comparison | null;
  /** The form before it was fitted, and what it was fitted with, for tests on the same rows. */
  readonly form: Form;
  readonly options: CompareOptions;
}

/** A comparison of all forms, and the counters that it knows. */
type Weighed = Choice & { readonly traffic: readonly TrafficPoint[] };

/** Fits the model that is asked for, or the one that a comparison of all forms chooses: `known` where these rows were compared before. */
export async function chooseAndFit(
  measurements: Measurements,
  question: FitQuestion,
  known: Weighed | null = null,
): Promise<ChosenFit> {
  if (question.model === undefined || question.model === 'auto') {
    const { comparison, solved, traffic } = known ?? (await weighForms(measurements, question));
    const { errors, baseScale } = comparison.fit;
    const options = { ...optionsFor(measurements, question, null), errors, baseScale, traffic };
    return { solved: askedFor(solved, question), comparison, form: chosenForm(comparison), options };
  }
  const form = await formNamed(measurements, question);
  const options = optionsFor(measurements, question, form);
  const solved = askedFor(solveModel(form, measurements.rows, options), question);
  return { solved, comparison: null, form, options };
}

/** A fit that is asked for so many threads where a target does not say. */
export function askedFor<S extends Solved>(solved: S, { threads }: Pick<FitQuestion, 'threads'>): S {
  const { fit } = solved;
  if (threads === undefined || threads === fit.threads) return solved;
  if (fit.threads !== undefined) return { ...solved, fit: { ...fit, threads } };
  const [only = 1] = fit.trainedOn.threads ?? [];
  if (only === threads) return solved;
  const all = `${only} ${only === 1 ? 'thread' : 'threads'}`;
  throw badInput(`--threads asks for ${threads}, but all runs have ${all} of each rank: measure a second number.`);
}

/** All forms on the rows asked about, those with measured volumes among them, as one mixture. */
export async function weighForms(measurements: Measurements, question: FitQuestion): Promise<Weighed> {
  const { campaign } = measurements;
  const cells = collapse(measurements.rows);
  // Counters are read only where volumes can matter.
  const traffic = campaign !== null && distinct(cells, 'bw').length > 1 ? await campaign.traffic() : [];
  return { ...chooseAmong(cells, { ...optionsFor(measurements, question, null), traffic }), traffic };
}

/** The extrapolation test of a fit, chosen anew where it was chosen; null where there are too few node counts for it. */
export function leaveLargest(
  { solved: { fit }, comparison, form, options }: ChosenFit,
  rows: Rows,
): Extrapolation | null {
  if (form.fixed.includes('nodes') || distinct(rows, 'nodes').length < 3) return null;
  return leaveLargestOut(comparison ? 'auto' : form, rows, {
    ...options,
    interval: {},
    baseScale: fit.baseScale,
    errors: fit.errors,
  });
}

function optionsFor({ ranksPerNode }: Measurements, question: FitQuestion, form: Form | null): FitOptions {
  const { at = {}, baseScale, errors, projecting = false } = question;
  const picked = (variable: 'scale' | 'bw'): number | undefined =>
    !projecting || form?.fixed.includes(variable) ? at[variable] : undefined;
  return { ranksPerNode, at: { scale: picked('scale'), bw: picked('bw'), nodes: at.nodes }, baseScale, errors };
}

async function formNamed(measurements: Measurements, question: FitQuestion): Promise<Form> {
  const { rows, ranksPerNode, campaign } = measurements;
  const name = question.model;
  const known = modelNames.find((one) => one === name);
  if (known) return models[known];
  if (name !== 'traffic') {
    const names = ['auto', ...modelNames, 'traffic'];
    const guess = closest(name ?? '', names);
    const meant = guess === undefined ? '' : `; did you mean ${guess}?`;
    throw badInput(`The model '${shortened(name ?? '')}' is not one of ${names.join(', ')}${meant || '.'}`);
  }
  const selected = filterRows(rows, optionsFor(measurements, question, null).at ?? {});
  const baseScale = baseScaleOf(selected, question.baseScale);
  const form = campaign && trafficForm(await campaign.traffic(), selected, { ranksPerNode, baseScale });
  if (form) return form;
  throw badInput(
    'The model traffic needs a campaign of several bandwidths with counters of its timed runs: use volume.',
  );
}

/** One form, or `auto` for all of them, fitted to the training rows and asked for those that were kept out. */
export interface UnseenAnswer extends Omit<Extrapolation, 'fit'> {
  readonly name: string;
  readonly perBandwidth: readonly {
    readonly bw: number;
    readonly medianErrorPercent: number;
    readonly insidePercent: number;
  }[];
}

/** The mixture and every form of a comparison asked for the cells that were kept out, the nearest first; none where none were. */
export function askForUnseen(
  { comparison: { candidates, fit, errors }, solved }: Choice,
  { rows, unseen, ranksPerNode }: Measurements,
  interval: BootstrapOptions,
): UnseenAnswer[] {
  if (unseen.length === 0) return [];
  const options = { ranksPerNode, baseScale: fit.baseScale, errors, interval };
  const each = candidates
    .map(({ name, form }) => ({ name, ...predictUnseen(form, { training: rows, unseen }, options) }))
    // Coefficients of either sign may lead to a time of 0 and below: no answer.
    .filter(({ fit: { form }, cells }) => form.signed !== true || cells.every(({ predicted }) => predicted > 0));
  return [{ name: 'auto', ...extrapolate(solved, unseen, interval) }, ...each]
    .map(({ fit: _, ...one }): UnseenAnswer => ({ ...one, perBandwidth: perBandwidth(one.cells) }))
    .sort((a, b) => a.medianErrorPercent - b.medianErrorPercent);
}

function perBandwidth(cells: Extrapolation['cells']): UnseenAnswer['perBandwidth'] {
  const levels = ascending(cells.map(({ bw }) => bw)).reverse();
  return levels.map((bw) => {
    const own = cells.filter((cell) => cell.bw === bw);
    return {
      bw,
      medianErrorPercent: median(own.map(({ errorPercent }) => Math.abs(errorPercent))),
      insidePercent: insidePercent(own) ?? 0,
    };
  });
}

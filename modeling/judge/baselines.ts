import { PowerRegression } from 'ml-regression';
import { median } from 'simple-statistics';
import { attempt } from '../../base/errors.ts';
import { at, last } from '../../base/lists.ts';
import { joinWords } from '../../base/text.ts';
import { formatSeconds, nodesText, roughly, sizeText } from '../../base/units.ts';
import type { Cells } from '../fit/collapse.ts';
import { fitModel, formOf } from '../fit/fit.ts';
import { paperModelFor, peerForms, variesIn } from '../forms/candidates.ts';
import { predict, trainedOn } from '../forms/predict.ts';
import type { BaselineTimes, Fit, Skill, UnseenCell } from '../model-records.ts';
import { indicesAt, type Target } from '../rows.ts';
import type { Ensemble } from './ensemble.ts';

/** A model so simple that a prediction should be nearer to the truth than it. */
interface Baseline {
  /** `power`, `amdahl`, or the name of the paper's model. */
  readonly name: string;
  /** For use inside a sentence. */
  readonly title: string;
  /** Completion time, s; null where it says nothing. */
  readonly timeAt: (target: Target) => number | null;
}

type Known = Pick<Fit, 'ranksPerNode' | 'baseScale'>;

/** Those that these cells can determine: a straight line in logs, Amdahl's law, and the paper's equation that uses all that varies. */
function fitBaselines(cells: Cells, { ranksPerNode, baseScale }: Known): Baseline[] {
  const varies = variesIn(cells);
  const forms = [...peerForms(varies).filter(({ name }) => name === 'amdahl'), formOf(paperModelFor(varies))];
  const fitted = forms.flatMap((form): Baseline[] => {
    const options = { ranksPerNode, baseScale, errors: 'relative', setAside: false } as const;
    const fit = attempt(() => fitModel(form, cells, options));
    if (fit === null) return [];
    const isHeld = (target: Target): boolean =>
      form.fixed.every((variable) => trainedOn(fit, variable).includes(target[variable] ?? 1));
    const timeAt = (target: Target): number | null => (isHeld(target) ? predict(fit, target) : null);
    return [{ name: form.name, title: form.title.split(',')[0] ?? form.title, timeAt }];
  });
  return [{ name: 'power', title: 'a straight line in logs', timeAt: (target) => onLine(cells, target) }, ...fitted];
}

/** By CT = A nodes^B through the cells of the target's bandwidth, scale and threads; null where fewer than two were measured. */
function onLine(cells: Cells, { nodes, bw, scale, threads }: Target): number | null {
  const own = indicesAt(cells, { bw, scale, threads });
  if (own.length < 2) return null;
  const read = (column: 'nodes' | 'mean'): number[] => own.map((cell) => at(cells[column], cell));
  return new PowerRegression(read('nodes'), read('mean')).predict(nodes);
}

/** A baseline that is nearer than this (ln) is the truth itself: nothing can be better. */
const EXACT = 1e-9;

/**
 * How much nearer to measured times predictions are than baselines fitted to the same training cells (skill score: Wilks,
 * Statistical Methods in the Atmospheric Sciences, chapter 8). Null where no baseline predicts all of these cells.
 */
export function computeSkill(predictions: readonly UnseenCell[], training: Cells, known: Known): Skill | null {
  const baselines = fitBaselines(training, known).flatMap(({ name, title, timeAt }) => {
    const ratios = predictions.map((cell) => (timeAt(cell) ?? 0) / cell.measured);
    if (ratios.some((ratio) => ratio <= 0)) return [];
    const medianErrorPercent = median(ratios.map((ratio) => Math.abs(ratio - 1) * 100));
    return [{ name, title, medianErrorPercent, meanLogError: meanLogError(ratios) }];
  });
  const [best] = baselines.toSorted((a, b) => a.meanLogError - b.meanLogError);
  if (best === undefined) return null;
  const own = meanLogError(predictions.map(({ predicted, measured }) => predicted / measured));
  return { score: best.meanLogError < EXACT ? null : 1 - own / best.meanLogError, reference: best.name, baselines };
}

function meanLogError(ratios: readonly number[]): number {
  return ratios.reduce((sum, ratio) => sum + Math.abs(Math.log(ratio)), 0) / ratios.length;
}

/** `auto errs by 2.2 % (median), Amdahl's law by 7.0 % and Eq 6 by 1.2 %: skill score -0.55 against Eq 6.` */
export function describeSkill({ score, reference, baselines }: Skill, medianErrorPercent: number): string {
  const others = baselines.map(({ title, medianErrorPercent: error }) => `${title} by ${roughly(error)}`);
  const best = baselines.find(({ name }) => name === reference)?.title ?? reference;
  const told = score === null ? '' : `: skill score ${score.toFixed(2)} against ${best}`;
  return `${joinWords([`auto errs by ${roughly(medianErrorPercent)} (median)`, ...others])}${told}.`;
}

/** A target with its completion time, s; null where it is not known. */
type Predicted = Target & { readonly ct: number | null };

/**
 * What baselines fitted to the same cells say of the largest of some predicted clusters. Null where no cluster is larger than the
 * measured ones, or no baseline says anything.
 */
export function compareLargest(
  { fit, cells, mixed }: Pick<Ensemble, 'fit' | 'cells' | 'mixed'>,
  predicted: readonly Predicted[],
): BaselineTimes | null {
  const [largest] = predicted
    .map((target) => ({ threads: fit.threads, ...target }))
    .filter(({ nodes }) => nodes > last(fit.trainedOn.nodes))
    .toSorted((a, b) => b.nodes - a.nodes || b.scale - a.scale || b.bw - a.bw);
  if (largest === undefined || largest.ct === null) return null;
  const { nodes, bw, scale, ct } = largest;
  const times = fitBaselines(cells, fit).flatMap(({ name, title, timeAt }) => {
    const own = timeAt(largest);
    // A form by itself is no baseline of its own.
    return own === null || (!mixed && name === fit.model) ? [] : [{ name, title, ct: own }];
  });
  return times.length === 0 ? null : { nodes, bw, scale, ct, times };
}

/** `On 100 nodes at 100 % bandwidth 233 ms are predicted; Amdahl's law gives 312 ms and Eq 6 240 ms.` */
export function describeLargest({ nodes, bw, scale, ct, times }: BaselineTimes): string {
  const where = `On ${nodesText(nodes)} at ${bw} % bandwidth${sizeText(scale)}`;
  const others = times.map((one, index) => `${one.title}${index === 0 ? ' gives' : ''} ${formatSeconds(one.ct)}`);
  return `${where}, ${formatSeconds(ct)} are predicted; ${joinWords(others)}.`;
}

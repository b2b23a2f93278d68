import { attempt, badInput } from '../../base/errors.ts';
import { at } from '../../base/lists.ts';
import { combineTerms } from '../forms/form.ts';
import { predict, termTime } from '../forms/predict.ts';
import { type Ensemble, estimate, estimates } from '../judge/ensemble.ts';
import type { Estimate, Fit } from '../model-records.ts';
import type { Target } from '../rows.ts';

interface SizeQuestion {
  /** Node counts to choose from, ascending. */
  readonly nodes: readonly number[];
  /** Percent. */
  readonly bw: number;
  readonly scale: number;
}

/**
 * Of these node counts the one with the least completion time, with its interval, all three from the list. Null stands for the
 * last of them: time falls as far as the list goes, so that no turn is seen in it.
 */
export function findBestSize(ensemble: Ensemble, question: SizeQuestion): Estimate {
  const { nodes } = question;
  // Places instead of counts: a quantile between two counts is none on which a program can run.
  const { value, low, high } = estimate(ensemble, (fit) => placeOfLeast(fit, question));
  const count = (place: number | null): number | null =>
    place === null || place >= nodes.length - 1 ? null : at(nodes, place);
  return {
    value: count(value === null ? null : Math.round(value)),
    low: count(low === null ? null : Math.floor(low)),
    high: count(high === null ? null : Math.ceil(high)),
  };
}

function placeOfLeast(fit: Fit, { nodes, bw, scale }: SizeQuestion): number | null {
  const times = nodes.map((count) => predict(fit, { nodes: count, bw, scale }));
  const place = times.indexOf(Math.min(...times));
  return place === nodes.length - 1 ? null : place;
}

/** What a change of the cluster or its link saves of the completion time, percent of the time `from`; below 0 where it costs. */
export function savingPercent(
  ensemble: Ensemble,
  { from, to }: { readonly from: Target; readonly to: Target },
): Estimate {
  return estimate(ensemble, (fit) => (1 - predict(fit, to) / predict(fit, from)) * 100);
}

/**
 * What a completion time is made of, by what would change it: `work` is shared by the ranks, `link` is what a link without limits
 * would save, `overhead` is the rest: what ranks neither share nor send faster (messages, waiting, constant costs).
 */
const PARTS = ['work', 'overhead', 'link'] as const;
export type TimePart = (typeof PARTS)[number];

/** Shares of a completion time, percent. */
export interface Parts {
  readonly percent: Readonly<Record<TimePart, Estimate>>;
  /** The part that is the largest by the lower end of its interval as well; null where none is. */
  readonly largest: TimePart | null;
}

/** A bandwidth, percent, that limits nothing. */
const ENDLESS = 1e14;

/** The parts of the completion time at a target; null where the form of the fit does not tell them apart. */
export function computeTimeParts(ensemble: Ensemble, target: Target): Parts | null {
  const found = attempt(() =>
    estimates(ensemble, (fit) => {
      const shares = sharesOf(fit, target);
      const most = Math.max(...shares);
      return [...shares, ...shares.map((share) => (share === most ? 1 : 0))];
    }),
  );
  if (found === null) return null;
  const [work, overhead, link] = [at(found, 0), at(found, 1), at(found, 2)];
  const largest = PARTS.find((_, index) => found[PARTS.length + index]?.low === 1) ?? null;
  return { percent: { work, overhead, link }, largest };
}

/** In the order of PARTS, percent. Errors: badInput for a form that does not tell work from the rest. */
function sharesOf(fit: Fit, target: Target): readonly number[] {
  if (!fit.form.terms.some(({ part }) => part === 'processing')) {
    throw badInput(`${fit.form.title}, does not separate work from communication: use eq2, eq3, eq6 or eq7.`);
  }
  const time = predict(fit, target);
  const work = combineTerms(
    fit.form,
    fit.form.terms.map((term) => (term.part === 'processing' ? termTime(fit, term, target) : 0)),
  );
  const endless = predict(fit, { ...target, bw: ENDLESS });
  return [work, endless - work, time - endless].map((seconds) => (Math.max(0, seconds) / time) * 100);
}

import { attempt, badInput } from '../../base/errors.ts';
import { at } from '../../base/lists.ts';
import { combineTerms } from '../forms/form.ts';
import { predict, termTime } from '../forms/predict.ts';
import { type Ensemble, estimates } from '../judge/ensemble.ts';
import type { Estimate, Fit } from '../model-records.ts';
import type { Target } from '../rows.ts';

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
  // A bend bends the whole time at a node count and a scale: shares stay.
  const plain = { ...fit, bend: undefined };
  const time = predict(plain, target);
  const work = combineTerms(plain.form, (term) => (term.part === 'processing' ? termTime(plain, term, target) : 0));
  const endless = predict(plain, { ...target, bw: ENDLESS });
  return [work, endless - work, time - endless].map((seconds) => (Math.max(0, seconds) / time) * 100);
}

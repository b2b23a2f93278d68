import { at } from '../../base/lists.ts';
import { predict } from '../forms/predict.ts';
import { type Ensemble, estimate } from '../judge/ensemble.ts';
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

import { predict, type Target } from '../forms/predict.ts';
import { type Ensemble, estimate } from '../judge/ensemble.ts';
import type { Estimate } from '../records.ts';

/** What a change of the cluster or its link saves of the completion time, percent of the time `from`; below 0 where it costs. */
export function savingPercent(
  ensemble: Ensemble,
  { from, to }: { readonly from: Target; readonly to: Target },
): Estimate {
  return estimate(ensemble, (fit) => (1 - predict(fit, to) / predict(fit, from)) * 100);
}

import { predict, type Target } from '../../forms/predict.ts';
import type { Fit } from '../../records.ts';

/** S = CT(reference) / CT(target). */
export function speedup(fit: Fit, target: Target, reference: Target): number {
  return predict(fit, reference) / predict(fit, target);
}

/** E = S times reference nodes / nodes, percent: 100 where all added nodes pay in full. */
export function efficiencyPercent(fit: Fit, target: Target, reference: Target): number {
  return (speedup(fit, target, reference) * 100 * reference.nodes) / target.nodes;
}

import { predict, type Target } from '../../forms/predict.ts';
import type { Fit } from '../../records.ts';

/** S = CT(reference) / CT(target). */
export function speedup(fit: Fit, target: Target, reference: Target): number {
  return predict(fit, reference) / predict(fit, target);
}

/** E = S times reference nodes / nodes: 1 where all added nodes pay in full. */
export function efficiency(fit: Fit, target: Target, reference: Target): number {
  return (speedup(fit, target, reference) * reference.nodes) / target.nodes;
}

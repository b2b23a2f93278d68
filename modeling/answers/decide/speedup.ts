import { predict, type Target } from '../../forms/predict.ts';
import type { Fit } from '../../records.ts';

/** A node count that speedups and efficiencies are relative to. */
export interface Reference {
  readonly nodes: number;
  readonly bw: number;
  readonly scale: number;
}

/** S = CT(reference) / CT(target). */
export function speedup(fit: Fit, target: Target, reference: Reference): number {
  return predict(fit, reference) / predict(fit, target);
}

/** E = S times reference nodes / nodes: 1 where all added nodes pay in full. */
export function efficiency(fit: Fit, target: Target, reference: Reference): number {
  return (speedup(fit, target, reference) * reference.nodes) / target.nodes;
}

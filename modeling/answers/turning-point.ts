import { narrow } from '../fit/golden.ts';
import { predict } from '../forms/predict.ts';
import type { Fit } from '../records.ts';

const MOST_NODES = 1e7;

/** The node count at which completion time is least; null when it falls as far as 10 million nodes. */
export function turningPoint(fit: Fit, { bw, scale }: { readonly bw: number; readonly scale: number }): number | null {
  const at = (logNodes: number): number => predict(fit, { nodes: Math.exp(logNodes), bw, scale });
  // Every form is a sum of powers of x, convex in ln x but for logarithms: one valley.
  const { low, high } = narrow(at, { low: 0, high: Math.log(MOST_NODES), width: 1e-8 });
  const nodes = Math.exp((low + high) / 2);
  return nodes > MOST_NODES * 0.999 ? null : nodes;
}

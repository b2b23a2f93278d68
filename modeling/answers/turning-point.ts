import { narrow } from '../fit/golden.ts';
import { predict } from '../forms/predict.ts';
import type { Fit } from '../records.ts';

const MOST_NODES = 1e7;

/** Between two of so many node counts, evenly in ln nodes, time has one valley. */
const STEPS = 32;

/** The node count at which completion time is least; null when that is 10 million nodes or beyond. */
export function turningPoint(fit: Fit, { bw, scale }: { readonly bw: number; readonly scale: number }): number | null {
  const at = (logNodes: number): number => predict(fit, { nodes: Math.exp(logNodes), bw, scale });
  // Sums of powers of x have one valley; of what goes to all others and of bends there may be several.
  const step = Math.log(MOST_NODES) / STEPS;
  let least = 0;
  for (let place = 1; place <= STEPS; place += 1) if (at(place * step) < at(least * step)) least = place;
  const [from, to] = [Math.max(0, least - 1) * step, Math.min(STEPS, least + 1) * step];
  const { low, high } = narrow(at, { low: from, high: to, width: 1e-8 });
  const nodes = Math.exp((low + high) / 2);
  return nodes > MOST_NODES * 0.999 ? null : nodes;
}

import { predict } from './predict.ts';
import type { Fit } from './records.ts';

const MOST_NODES = 1e7;
const ROUNDS = 100;

/** The node count at which completion time is least; null when it falls as far as 10 million nodes. */
export function turningPoint(fit: Fit, { bw, scale }: { readonly bw: number; readonly scale: number }): number | null {
  const at = (logNodes: number): number => predict(fit, { nodes: Math.exp(logNodes), bw, scale });
  const ratio = (Math.sqrt(5) - 1) / 2;
  // Every form is a sum of powers of x, convex in ln x but for logarithms: one valley.
  let [low, high] = [0, Math.log(MOST_NODES)];
  let [left, right] = [high - ratio * (high - low), low + ratio * (high - low)];
  let [atLeft, atRight] = [at(left), at(right)];
  for (let round = 0; round < ROUNDS && high - low > 1e-9; round += 1) {
    if (atLeft < atRight) {
      [high, right, atRight] = [right, left, atLeft];
      left = high - ratio * (high - low);
      atLeft = at(left);
    } else {
      [low, left, atLeft] = [left, right, atRight];
      right = low + ratio * (high - low);
      atRight = at(right);
    }
  }
  const nodes = Math.exp((low + high) / 2);
  return nodes > MOST_NODES * 0.999 ? null : nodes;
}

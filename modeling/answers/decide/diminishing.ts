import { badInput } from '../../../base/errors.ts';
import { at } from '../../../base/lists.ts';
import { findRoot, narrow } from '../../fit/find-root.ts';
import { predict } from '../../forms/predict.ts';
import type { Fit } from '../../model-records.ts';
import type { Target } from '../../rows.ts';
import { findCrossovers } from '../dominance.ts';

/** The definitions in use of the node count beyond which more nodes are not worth it. */
export type Definition =
  | { readonly kind: 'communication-dominates' }
  | { readonly kind: 'doubling-gains-less'; readonly percent: number }
  | { readonly kind: 'efficiency-below'; readonly percent: number; readonly reference: Target }
  | { readonly kind: 'time-rises' };

const MOST_NODES = 1e7;

/** The continuous node count of diminishing return; null where it lies beyond 10 million nodes. */
export function findDiminishingReturn(
  fit: Fit,
  definition: Definition,
  { bw, scale }: { readonly bw: number; readonly scale: number },
): number | null {
  const least = fit.trainedOn.nodes[0] ?? 1;
  switch (definition.kind) {
    case 'communication-dominates':
      return at(findCrossovers(fit, { bw: [bw], scale }), 0);
    case 'time-rises':
      return findTurningPoint(fit, { bw, scale });
    case 'doubling-gains-less': {
      requirePercent(definition.percent, 'saving from doubling the nodes');
      const kept = 1 - definition.percent / 100;
      return lastRise(
        (nodes) => predict(fit, { nodes: 2 * nodes, bw, scale }) / predict(fit, { nodes, bw, scale }) - kept,
        least,
      );
    }
    case 'efficiency-below': {
      requirePercent(definition.percent, 'lowest efficiency');
      const { percent, reference } = definition;
      const atReference = predict(fit, { ...reference, bw, scale });
      return lastRise((nodes) => {
        const fast = atReference / predict(fit, { nodes, bw, scale });
        return percent - efficiencyPercent(fast, nodes, reference.nodes);
      }, least);
    }
  }
}

/**
 * From where on `excess` stays above 0, from the smallest measured node count up: before that more nodes may look useless for a
 * while (one node sends nothing, the second one all). Null where it is not above 0 at the end.
 */
function lastRise(excess: (nodes: number) => number, least: number): number | null {
  // Between two of so many node counts, evenly in ln nodes, an excess has one sign.
  const steps = 24;
  const step = Math.log(MOST_NODES / least) / steps;
  const nodesAt = (place: number): number => least * Math.exp(place * step);
  let place = steps;
  while (place >= 0 && excess(nodesAt(place)) > 0) place -= 1;
  if (place === steps) return null;
  if (place < 0) return least;
  const ends = { low: Math.log(nodesAt(place)), high: Math.log(nodesAt(place + 1)) };
  return Math.exp(findRoot((logNodes) => excess(Math.exp(logNodes)), ends));
}

function requirePercent(percent: number, what: string): void {
  if (percent > 0 && percent < 100) return;
  throw badInput(`The ${what} is ${percent} %: give a percentage above 0 and below 100.`);
}

/** Between two of so many node counts, evenly in ln nodes, time has one valley. */
const STEPS = 32;

/** The node count at which completion time is least; null when that is 10 million nodes or beyond. */
export function findTurningPoint(
  fit: Fit,
  { bw, scale }: { readonly bw: number; readonly scale: number },
): number | null {
  const timeAt = (logNodes: number): number => predict(fit, { nodes: Math.exp(logNodes), bw, scale });
  // Sums of powers of x have one valley; of what goes to all others and of bends there may be several.
  const step = Math.log(MOST_NODES) / STEPS;
  let [least, leastTime] = [0, timeAt(0)];
  for (let place = 1; place <= STEPS; place += 1) {
    const time = timeAt(place * step);
    if (time < leastTime) [least, leastTime] = [place, time];
  }
  const [from, to] = [Math.max(0, least - 1) * step, Math.min(STEPS, least + 1) * step];
  const { low, high } = narrow(timeAt, { low: from, high: to, width: 1e-8 });
  const nodes = Math.exp((low + high) / 2);
  return nodes > MOST_NODES * 0.999 ? null : nodes;
}

/** S = CT(reference) / CT(target). */
export function speedup(fit: Fit, target: Target, reference: Target): number {
  return predict(fit, reference) / predict(fit, target);
}

/** E = S times reference nodes / nodes, percent: 100 where all added nodes pay in full. */
function efficiencyPercent(fast: number, nodes: number, referenceNodes: number): number {
  return (fast * 100 * referenceNodes) / nodes;
}

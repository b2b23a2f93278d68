import { at } from '../../../base/at.ts';
import { badInput } from '../../../base/index.ts';
import { findRoot } from '../../fit/find-root.ts';
import { predict, type Target } from '../../forms/predict.ts';
import type { Fit } from '../../records.ts';
import { dominance } from '../dominance.ts';
import { turningPoint } from '../turning-point.ts';
import { efficiencyPercent } from './speedup.ts';

/** The definitions in use of the node count beyond which more nodes are not worth it. */
export type Definition =
  | { readonly kind: 'communication-dominates' }
  | { readonly kind: 'doubling-gains-less'; readonly percent: number }
  | { readonly kind: 'efficiency-below'; readonly percent: number; readonly reference: Target }
  | { readonly kind: 'time-rises' };

const MOST_NODES = 1e7;

/** The continuous node count of diminishing return; null where it lies beyond 10 million nodes. */
export function diminishingReturn(
  fit: Fit,
  definition: Definition,
  { bw, scale }: { readonly bw: number; readonly scale: number },
): number | null {
  switch (definition.kind) {
    case 'communication-dominates':
      return at(dominance(fit, { bw: [bw], scale }), 0).nodes;
    case 'time-rises':
      return turningPoint(fit, { bw, scale });
    case 'doubling-gains-less': {
      requirePercent(definition.percent, 'time that doubling the nodes saves');
      const kept = 1 - definition.percent / 100;
      return firstNodes(
        (nodes) => predict(fit, { nodes: 2 * nodes, bw, scale }) / predict(fit, { nodes, bw, scale }) - kept,
      );
    }
    case 'efficiency-below': {
      requirePercent(definition.percent, 'lowest efficiency');
      const { percent, reference } = definition;
      return firstNodes((nodes) => percent - efficiencyPercent(fit, { nodes, bw, scale }, { ...reference, bw, scale }));
    }
  }
}

/** Where `excess`, rising with nodes, turns above 0. */
function firstNodes(excess: (nodes: number) => number): number | null {
  if (excess(1) > 0) return 1;
  if (!(excess(MOST_NODES) > 0)) return null;
  return Math.exp(findRoot((logNodes) => excess(Math.exp(logNodes)), { low: 0, high: Math.log(MOST_NODES) }));
}

function requirePercent(percent: number, what: string): void {
  if (percent > 0 && percent < 100) return;
  throw badInput(`The ${what} is ${percent} %: give a percentage above 0 and below 100.`);
}

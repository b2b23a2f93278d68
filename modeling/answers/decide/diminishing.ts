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
  const least = fit.trainedOn.nodes[0] ?? 1;
  switch (definition.kind) {
    case 'communication-dominates':
      return at(dominance(fit, { bw: [bw], scale }), 0).nodes;
    case 'time-rises':
      return turningPoint(fit, { bw, scale });
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
      return lastRise(
        (nodes) => percent - efficiencyPercent(fit, { nodes, bw, scale }, { ...reference, bw, scale }),
        least,
      );
    }
  }
}

/** Between two of so many node counts, evenly in ln nodes, an excess has one sign. */
const STEPS = 24;

/**
 * From where on `excess` stays above 0, from the smallest measured node count up: before that more nodes may look useless for a
 * while (one node sends nothing, the second one all). Null where it is not above 0 at the end.
 */
function lastRise(excess: (nodes: number) => number, least: number): number | null {
  const step = Math.log(MOST_NODES / least) / STEPS;
  const nodesAt = (place: number): number => least * Math.exp(place * step);
  let place = STEPS;
  while (place >= 0 && excess(nodesAt(place)) > 0) place -= 1;
  if (place === STEPS) return null;
  if (place < 0) return least;
  const ends = { low: Math.log(nodesAt(place)), high: Math.log(nodesAt(place + 1)) };
  return Math.exp(findRoot((logNodes) => excess(Math.exp(logNodes)), ends));
}

function requirePercent(percent: number, what: string): void {
  if (percent > 0 && percent < 100) return;
  throw badInput(`The ${what} is ${percent} %: give a percentage above 0 and below 100.`);
}

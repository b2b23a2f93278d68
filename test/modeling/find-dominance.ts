import { findCrossovers, isPerfectSquare, smallestAdmissible } from '../../modeling/answers/dominance.ts';
import { trainedOn } from '../../modeling/forms/predict.ts';
import type { Fit } from '../../modeling/model-records.ts';

interface DominanceOptions {
  readonly bw: readonly number[];
  /** Default: perfect squares, as with 18 ranks per node in the paper. */
  readonly isAdmissible?: (nodes: number) => boolean;
  /** Default: the smallest scale of the fit. */
  readonly scale?: number;
}

/** A row of the paper's Table V per bandwidth: the crossover, and the smallest node count at or above it that can run. */
export function findDominance(fit: Fit, { bw, isAdmissible = isPerfectSquare, scale }: DominanceOptions) {
  const crossovers = findCrossovers(fit, { bw, scale: scale ?? Math.min(...trainedOn(fit, 'scale')) });
  return crossovers.map((nodes, index) => ({
    bw: bw[index],
    nodes,
    admissibleNodes: nodes === null ? null : smallestAdmissible(nodes, isAdmissible),
  }));
}

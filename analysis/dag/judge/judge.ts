import { own } from '../../../base/index.ts';
import { type DagGraph, type DagShape, dagGraph } from './graph.ts';
import { type Bottlenecks, judgePeriod, type Thresholds } from './judge-period.ts';
import type { Fractions, PeriodShares } from './shares.ts';

/** A period with its verdict. Arrays go by places of vertices and edges; NaN where nobody lived. */
export interface JudgedPeriod extends Bottlenecks {
  readonly startNs: number;
  readonly endNs: number;
  /** Mean share of PROCESSING over the instances of each task. */
  readonly pt: Float64Array;
  /** Mean share of SATURATED over the channels of each edge. */
  readonly st: Float64Array;
  /** Largest share of PROCESSING of an instance less their mean: what the mean hides. */
  readonly imbalance: Float64Array;
}

/** All that was judged: one graph, and its periods in their order. Rows of periods before a task joined are shorter. */
export interface DagHistory {
  readonly graph: DagGraph;
  readonly thresholds: Thresholds;
  readonly periods: readonly JudgedPeriod[];
}

/** Judges periods as they come. Memory: three numbers per task and edge and period. */
export class DagJudge implements DagHistory {
  readonly thresholds: Thresholds;
  readonly periods: JudgedPeriod[] = [];
  graph: DagGraph;

  /** Errors: `badInput` as `dagGraph`. */
  constructor(shape: DagShape, thresholds: Thresholds) {
    this.graph = dagGraph(shape);
    this.thresholds = thresholds;
  }

  /** The graph from the next period on: what was there keeps its place, so new ones come last. Errors: `badInput` as `dagGraph`. */
  grow(shape: DagShape): void {
    this.graph = dagGraph(shape);
  }

  /** Judges one more period. */
  add({ startNs, endNs, processing, saturated }: PeriodShares): JudgedPeriod {
    const { vertexIds, edgeIds } = this.graph;
    const pt = new Float64Array(vertexIds.length);
    const imbalance = new Float64Array(vertexIds.length);
    for (const [place, id] of vertexIds.entries()) {
      const fractions = own(processing, id) ?? NOBODY;
      pt[place] = meanOf(fractions);
      imbalance[place] = largestOf(fractions) - (pt[place] as number);
    }
    const st = Float64Array.from(edgeIds, (id) => meanOf(own(saturated, id) ?? NOBODY));
    const judged = { startNs, endNs, pt, st, imbalance, ...judgePeriod(this.graph, this.thresholds, { pt, st }) };
    this.periods.push(judged);
    return judged;
  }
}

const NOBODY: Fractions = [];

/** Mean of those that lived; NaN for none. */
function meanOf(fractions: Fractions): number {
  let sum = 0;
  let living = 0;
  for (let index = 0; index < fractions.length; index += 1) {
    const fraction = fractions[index];
    if (fraction === null || fraction === undefined) continue;
    sum += fraction;
    living += 1;
  }
  return sum / living;
}

function largestOf(fractions: Fractions): number {
  let largest = Number.NaN;
  for (let index = 0; index < fractions.length; index += 1) {
    const fraction = fractions[index];
    if (fraction !== null && fraction !== undefined && !(fraction <= largest)) largest = fraction;
  }
  return largest;
}

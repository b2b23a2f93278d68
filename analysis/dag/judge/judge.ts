import { createDagGraph, type DagGraph, type DagShape } from './graph.ts';
import {
  type Bottlenecks,
  type DagThresholds,
  type Fractions,
  judgePeriod,
  type PeriodShares,
} from './judge-period.ts';

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
  readonly thresholds: DagThresholds;
  readonly periods: readonly JudgedPeriod[];
}

/** Judges periods as they come. Memory: three numbers per task and edge and period. */
export class DagJudge implements DagHistory {
  readonly thresholds: DagThresholds;
  readonly periods: JudgedPeriod[] = [];
  graph: DagGraph;

  /** Errors: `badInput` as `dagGraph`. */
  constructor(shape: DagShape, thresholds: DagThresholds) {
    this.graph = createDagGraph(shape);
    this.thresholds = thresholds;
  }

  /** The graph from the next period on: what was there keeps its place, so new ones come last. Errors: `badInput` as `dagGraph`. */
  grow(shape: DagShape): void {
    this.graph = createDagGraph(shape);
  }

  /** Judges one more period. */
  add({ startNs, endNs, processing, saturated }: PeriodShares): JudgedPeriod {
    const { vertexIds, edgeIds } = this.graph;
    const pt = new Float64Array(vertexIds.length);
    const imbalance = new Float64Array(vertexIds.length);
    for (let place = 0; place < pt.length; place += 1) {
      const fractions = fractionsOf(processing, vertexIds[place]);
      pt[place] = meanOf(fractions);
      imbalance[place] = largestOf(fractions) - (pt[place] as number);
    }
    const st = new Float64Array(edgeIds.length);
    for (let place = 0; place < st.length; place += 1) {
      st[place] = meanOf(fractionsOf(saturated, edgeIds[place]));
    }
    const judged = { startNs, endNs, pt, st, imbalance, ...judgePeriod(this.graph, this.thresholds, { pt, st }) };
    this.periods.push(judged);
    return judged;
  }
}

const NOBODY: Fractions = [];

/** What a record has of an id; ids are anybody's words, and `constructor` is no list. */
function fractionsOf(record: PeriodShares['processing'], id = ''): Fractions {
  const found: unknown = record[id];
  return Array.isArray(found) || found instanceof Float64Array ? found : NOBODY;
}

/** Mean of those that lived; NaN for none. Four at a time in two sums, which a processor adds side by side. */
function meanOf(fractions: Fractions): number {
  const { length } = fractions;
  const fours = length - (length % 4);
  let even = 0;
  let odd = 0;
  let dead = 0;
  let index = 0;
  for (; index < fours; index += 4) {
    const a = fractions[index] as number | null;
    const b = fractions[index + 1] as number | null;
    const c = fractions[index + 2] as number | null;
    const d = fractions[index + 3] as number | null;
    if (a === null || b === null || c === null || d === null) break;
    even += a + b;
    odd += c + d;
  }
  for (; index < length; index += 1) {
    const fraction = fractions[index] as number | null;
    if (fraction === null) dead += 1;
    else even += fraction;
  }
  return (even + odd) / (length - dead);
}

/** 0 for none. */
function largestOf(fractions: Fractions): number {
  let largest = 0;
  for (let index = 0; index < fractions.length; index += 1) {
    const fraction = fractions[index] as number | null;
    if (fraction !== null && fraction > largest) largest = fraction;
  }
  return largest;
}

import type { DagPeriod, EdgePeriod } from '../../../experiments/dag/dag-records.ts';
import { createDagGraph, type DagGraph, type DagShape } from './graph.ts';

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

export interface DagThresholds {
  /** For pt of a task (algorithm 2). */
  readonly alpha: number;
  /** For st of an edge (algorithm 3). */
  readonly beta: number;
}

/** The paper's, section IV. */
export const DEFAULT_THRESHOLDS: DagThresholds = { alpha: 0.9, beta: 0.9 };

/** Places of the bottlenecks of one period, in the order in which they were found: last ones of a way first. */
interface Bottlenecks {
  readonly cpu: readonly number[];
  /** False while a CPU bottleneck exists anywhere: then edges are not judged (algorithm 1, line 5). */
  readonly ioChecked: boolean;
  readonly io: readonly number[];
}

/**
 * Algorithms 1 to 3 (Battre et al., section IV) for one period. `pt` and `st` are NaN where nobody lives, which is above no
 * threshold. Nothing is remembered from the period before. O(V + E): whether a bottleneck lies behind a vertex or an edge is
 * handed on along the reverse topological order.
 */
function judgePeriod(
  { order, edgeOrder, from, to }: DagGraph,
  { alpha, beta }: DagThresholds,
  { pt, st }: { readonly pt: Float64Array; readonly st: Float64Array },
): Bottlenecks {
  const cpu: number[] = [];
  // Of the vertices behind one, whether any is a bottleneck; edges come in the order of the vertices that they leave.
  const behind = new Uint8Array(order.length);
  let edge = 0;
  for (const vertex of order) {
    for (; edge < edgeOrder.length && from[edgeOrder[edge] as number] === vertex; edge += 1) {
      behind[vertex] = (behind[vertex] as number) | (behind[to[edgeOrder[edge] as number] as number] as number);
    }
    if (behind[vertex] === 0 && isAbove(pt[vertex] as number, alpha)) {
      behind[vertex] = 1;
      cpu.push(vertex);
    }
  }
  if (cpu.length > 0) return { cpu, ioChecked: false, io: [] };
  const io: number[] = [];
  for (const place of edgeOrder) {
    const further = behind[to[place] as number] === 1;
    const found = !further && isAbove(st[place] as number, beta);
    if (found) io.push(place);
    if (found || further) behind[from[place] as number] = 1;
  }
  return { cpu, ioChecked: true, io };
}

/** Of what equals a threshold the last digits of a sum must not make more; as a part of the threshold. */
const ROUNDING = 1e-12;

/** Strictly above: a value equal to its threshold is no bottleneck (line 1 of algorithms 2 and 3). */
function isAbove(value: number, threshold: number): boolean {
  return value > threshold && !equalsThreshold(value, threshold);
}

/** Equal but for the last digits of a sum; NaN equals none. */
export function equalsThreshold(value: number, threshold: number): boolean {
  return Math.abs(value - threshold) <= ROUNDING * threshold;
}

/** Null for one that did not live. */
export type Fractions = readonly (number | null)[] | Float64Array;

/** What instances and channels did in a period, as shares of their life in it. */
export interface PeriodShares {
  readonly startNs: number;
  readonly endNs: number;
  /** Share in state PROCESSING of each instance, by id of its task. */
  readonly processing: { readonly [vertex: string]: Fractions };
  /** Share in state SATURATED of each channel, by id of its edge. */
  readonly saturated: { readonly [edge: string]: Fractions };
}

/**
 * What SATURATED means. `buffer`: the channel's buffer is full (assumption 6). `writer`: a producing instance is blocked writing to
 * the edge (section V.B). `pressure`: the same as a share of all waiting of that instance, 0 where it waits for less than 5 %.
 */
export const SATURATIONS = ['buffer', 'writer', 'pressure'] as const;
export type Saturation = (typeof SATURATIONS)[number];

/**
 * A recorded period by one measure of SATURATED. Without one: the fill of buffers where it was measured, else the pressure on
 * writers, else their blocked time. An edge without the measure is not judged.
 */
export function computeShares({ startNs, endNs, vertices, edges }: DagPeriod, saturation?: Saturation): PeriodShares {
  return {
    ...{ startNs, endNs },
    processing: Object.fromEntries(Object.entries(vertices).map(([id, { processing }]) => [id, processing])),
    saturated: Object.fromEntries(
      Object.entries(edges).map(([id, entry]) => [id, measuredSaturation(entry, saturation) ?? []]),
    ),
  };
}

/** The shares of an edge's channels, or of its writers, by one measure; null where it was not measured. */
export function measuredSaturation(
  { buffer, writer, pressure }: Pick<EdgePeriod, Saturation>,
  saturation: Saturation | undefined,
): EdgePeriod[Saturation] {
  return saturation === undefined ? (buffer ?? pressure ?? writer) : { buffer, writer, pressure }[saturation];
}

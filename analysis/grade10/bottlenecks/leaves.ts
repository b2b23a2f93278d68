import { at } from '../../../base/lists.ts';
import type { Attribution } from '../attribution/attribute.ts';
import type { Model } from '../model/create-model.ts';
import { isLeaf, offsets } from '../model/phases.ts';
import { typeSlot, typesUsed, usedMetrics } from '../model/uses.ts';

/** A leaf's state towards a metric or a type of metrics in one slice. */
export const NO_BOTTLENECK = 0;
/** The phase used what was available to it. */
export const LOCAL = 1;
/** The resource was used to its capacity, or blocked. */
const GLOBAL = 2;

/** Delta of equation 4.4, for all or per metric and per leaf and metric (rows and indices of the model). */
export interface Thresholds {
  /** Share of a resource's capacity; default 0.95. */
  readonly global?: number | ((metric: number) => number);
  /** Share of the capacity available to a phase; default 0.95. */
  readonly local?: number | ((phase: number, metric: number) => number);
}

export interface LeafBottlenecks {
  /** LRB: leaf p's k-th metric (consumable ones first, then blocking) begins at `metricStart[p] + k * length[p]`. */
  readonly metricStart: Uint32Array;
  readonly metricStates: Uint8Array;
  /**
   * LRTB: phase p's k-th metric type (as in its type set) begins at `typeStart[p] + k * length[p]`. Composite phases have
   * their places too, all 0: the layout is theirs as well.
   */
  readonly typeStart: Uint32Array;
  readonly typeStates: Uint8Array;
  /** Slices in which leaf p is bottlenecked on its k-th metric type: `typeSlices[typeSlicesStart[p] + k]`. */
  readonly typeSlicesStart: Uint32Array;
  readonly typeSlices: Uint32Array;
}

const DEFAULT_DELTA = 0.95;

/** Attributed usage below this part of the capacity is rounding, not use. */
const ROUNDING = 1e-12;

/**
 * Bottlenecks of leaves, per metric (equations 4.2 to 4.4) and per type of metrics (4.5): the worst of its metrics.
 * A metric of capacity 0 counts only where it was used; by the equation alone it would always count.
 */
export function findLeafBottlenecks(
  model: Model,
  attribution: Attribution,
  { global = DEFAULT_DELTA, local = DEFAULT_DELTA }: Thresholds = {},
): LeafBottlenecks {
  const { phases, uses } = model;
  const lengthOf = (phase: number): number => at(phases.length, phase);
  const typesOf = (phase: number): number => typesUsed(uses, phase).length;
  const metricStart = offsets(phases.count, (phase) => lengthOf(phase) * usedMetrics(uses, phase).length);
  const typeStart = offsets(phases.count, (phase) => lengthOf(phase) * typesOf(phase));
  const typeSlicesStart = offsets(phases.count, typesOf);
  const metricStates = new Uint8Array(at(metricStart, phases.count));
  const typeStates = new Uint8Array(at(typeStart, phases.count));
  const typeSlices = new Uint32Array(at(typeSlicesStart, phases.count));
  const saturated = saturatedSlices(model, attribution.samples, global);
  for (let phase = 0; phase < phases.count; phase += 1) {
    const length = lengthOf(phase);
    if (length === 0 || !isLeaf(phases, phase)) continue;
    const used = usedMetrics(uses, phase);
    for (let slot = 0; slot < used.length; slot += 1) {
      const index = at(used, slot);
      const own = { states: metricStates, from: at(metricStart, phase) + slot * length };
      markMetric(own, { phase, slot, index, full: at(saturated, index) }, { model, attribution, local });
      const type = typeSlot(uses, phase, at(model.metrics, index).type);
      keepWorst({ states: typeStates, from: at(typeStart, phase) + type * length }, own, length);
    }
    for (let slot = 0; slot < typesOf(phase); slot += 1) {
      const from = at(typeStart, phase) + slot * length;
      typeSlices[at(typeSlicesStart, phase) + slot] = countMarked(typeStates, from, from + length);
    }
  }
  return { metricStart, metricStates, typeStart, typeStates, typeSlicesStart, typeSlices };
}

interface StateStart {
  readonly states: Uint8Array;
  readonly from: number;
}

// The loops below run once per slice of each leaf and metric: they index directly (see `at`).

/** Equations 4.3 and 4.4 for one leaf and metric; `full` are the metric's saturated slices. The states start as 0. */
function markMetric(
  { states, from }: StateStart,
  use: { readonly phase: number; readonly slot: number; readonly index: number; readonly full: Uint8Array },
  {
    model: { phases, metrics },
    attribution: { activity, start, usage, capacity },
    local,
  }: { readonly model: Model; readonly attribution: Attribution; readonly local: NonNullable<Thresholds['local']> },
): void {
  const { phase, slot, index, full } = use;
  const metric = at(metrics, index);
  const first = at(phases.first, phase);
  const length = at(phases.length, phase);
  if (metric.class !== 'consumable') {
    for (let slice = 0; slice < length; slice += 1) states[from + slice] = full[first + slice] ?? NO_BOTTLENECK;
    return;
  }
  const { active } = activity;
  const activeFrom = at(activity.start, phase);
  const usageFrom = at(start, phase) + slot * length;
  const delta = typeof local === 'number' ? local : local(phase, index);
  const least = ROUNDING * metric.capacity;
  for (let slice = 0; slice < length; slice += 1) {
    if (active[activeFrom + slice] !== 1) continue;
    const used = usage[usageFrom + slice] ?? 0;
    if (full[first + slice] === GLOBAL) states[from + slice] = GLOBAL;
    else if (used > least && used >= delta * (capacity[usageFrom + slice] ?? 0)) states[from + slice] = LOCAL;
  }
}

/** Equation 4.5, with global states before local ones. */
function keepWorst(type: StateStart, metric: StateStart, length: number): void {
  for (let slice = 0; slice < length; slice += 1) {
    const state = metric.states[metric.from + slice] ?? NO_BOTTLENECK;
    if (state > (type.states[type.from + slice] ?? NO_BOTTLENECK)) type.states[type.from + slice] = state;
  }
}

function countMarked(states: Uint8Array, from: number, to: number): number {
  let count = 0;
  for (let slice = from; slice < to; slice += 1) if (states[slice] !== NO_BOTTLENECK) count += 1;
  return count;
}

/** Per metric and slice of the job: GLOBAL when the resource is blocked or used to delta of its capacity. */
function saturatedSlices(
  { metrics }: Model,
  samples: readonly Float64Array[],
  global: number | ((metric: number) => number),
): readonly Uint8Array[] {
  return metrics.map((metric, index) => {
    if (metric.class === 'blocking') return metric.blocked.map((state) => (state === 1 ? GLOBAL : NO_BOTTLENECK));
    const limit = (typeof global === 'number' ? global : global(index)) * metric.capacity;
    const sampled = at(samples, index);
    const full = new Uint8Array(sampled.length);
    for (let slice = 0; slice < full.length; slice += 1) {
      const value = sampled[slice] ?? 0;
      if (value >= limit && (metric.capacity > 0 || value > 0)) full[slice] = GLOBAL;
    }
    return full;
  });
}

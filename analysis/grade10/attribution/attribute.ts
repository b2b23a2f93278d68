import { at } from '../../../base/lists.ts';
import type { Model } from '../model/create-model.ts';
import { isLeaf, offsets } from '../model/phases.ts';
import { profileOf } from '../model/uses.ts';
import { createSampler, type Load, type SamplerChoice, upsample } from './upsample.ts';

/** What each leaf used and could have used of each consumable metric in its profile, per slice, in the metric's unit. */
export interface Attribution {
  readonly activity: Activity;
  /** Per metric, one value per slice of the job; empty for blocking metrics. */
  readonly samples: readonly Float64Array[];
  /** Leaf p's k-th consumable metric begins at `start[p] + k * length[p]`. */
  readonly start: Uint32Array;
  /** A_p of algorithm 2. */
  readonly usage: Float64Array;
  /** M_p of algorithm 2: the capacity available to the phase. */
  readonly capacity: Float64Array;
}

/** A leaf that uses a metric: where its numbers begin and how long it lives. */
interface User {
  readonly from: number;
  readonly activeFrom: number;
  readonly first: number;
  readonly length: number;
  readonly greedy: boolean;
  /** Cap or weight. */
  readonly amount: number;
}

/**
 * The whole attribution (section 4.4.2): waiting and active phases, samples per slice, and the division of each slice over the
 * active phases (algorithm 2). Space grows with the slices that leaves live, not with phases times slices.
 */
export function attribute(model: Model, sampler: SamplerChoice = 'phase-aware'): Attribution {
  const { phases, metrics, uses, sliceCount } = model;
  const activity = findActivity(model);
  const start = offsets(phases.count, (phase) => at(phases.length, phase) * profileOf(uses, phase).consumable.length);
  const total = at(start, phases.count);
  const [usage, capacity] = [new Float64Array(total), new Float64Array(total)];
  const users = usersOf(model, { activity, start });
  const sample = createSampler(sampler, longestPeriod(model));
  const load = { greedy: new Float64Array(sliceCount), sink: new Float64Array(sliceCount) };
  const rest = { usage: new Float64Array(sliceCount), capacity: new Float64Array(sliceCount) };
  const samples = metrics.map((metric, index) => {
    if (metric.class === 'blocking') return new Float64Array(0);
    const own = at(users, index);
    addLoad(own, activity.active, load);
    const sampled = upsample(metric, { load, sliceCount, sampler: sample });
    rest.usage.set(sampled);
    rest.capacity.fill(metric.capacity);
    const division = { active: activity.active, load, rest, usage, capacity, sampled, limit: metric.capacity };
    divideGreedy(own, division);
    divideSink(own, division);
    return sampled;
  });
  return { activity, samples, start, usage, capacity };
}

function usersOf(
  { phases, metrics, uses }: Model,
  { activity, start }: { readonly activity: Activity; readonly start: Uint32Array },
): readonly (readonly User[])[] {
  const users: User[][] = metrics.map(() => []);
  for (let phase = 0; phase < phases.count; phase += 1) {
    const { consumable, greedy, amount } = profileOf(uses, phase);
    const length = at(phases.length, phase);
    if (length === 0) continue;
    for (let slot = 0; slot < consumable.length; slot += 1) {
      at(users, at(consumable, slot)).push({
        from: at(start, phase) + slot * length,
        activeFrom: at(activity.start, phase),
        first: at(phases.first, phase),
        length,
        greedy: greedy[slot] === 1,
        amount: at(amount, slot),
      });
    }
  }
  return users;
}

function longestPeriod({ metrics }: Model): number {
  let longest = 0;
  for (const metric of metrics) {
    if (metric.class === 'blocking') continue;
    for (let index = 0; index < metric.first.length; index += 1) {
      longest = Math.max(longest, at(metric.end, index) - at(metric.first, index));
    }
  }
  return longest;
}

// The loops below run once per slice of each leaf and metric: they index directly (see `at`).

/** L_G and L_S of algorithm 1. */
function addLoad(users: readonly User[], active: Uint8Array, { greedy, sink }: Load): void {
  greedy.fill(0);
  sink.fill(0);
  for (const user of users) {
    const load = user.greedy ? greedy : sink;
    const { activeFrom, first, length, amount } = user;
    for (let slice = 0; slice < length; slice += 1) {
      if (active[activeFrom + slice] === 1) load[first + slice] = (load[first + slice] ?? 0) + amount;
    }
  }
}

interface Division {
  readonly active: Uint8Array;
  readonly load: Load;
  /** s' and c': what greedy phases leave, per slice of the job. */
  readonly rest: { readonly usage: Float64Array; readonly capacity: Float64Array };
  readonly usage: Float64Array;
  readonly capacity: Float64Array;
  readonly sampled: Float64Array;
  readonly limit: number;
}

/** Lines 2 to 8 of algorithm 2, for all slices. */
function divideGreedy(users: readonly User[], { active, load, rest, usage, capacity, sampled, limit }: Division): void {
  for (const { greedy, amount, from, activeFrom, first, length } of users) {
    if (!greedy || amount === 0) continue;
    for (let slice = 0; slice < length; slice += 1) {
      if (active[activeFrom + slice] !== 1) continue;
      const job = first + slice;
      const share = amount / (load.greedy[job] ?? amount);
      const used = Math.min((sampled[job] ?? 0) * share, amount);
      const available = Math.min(limit * share, amount);
      usage[from + slice] = used;
      capacity[from + slice] = available;
      rest.usage[job] = (rest.usage[job] ?? 0) - used;
      rest.capacity[job] = (rest.capacity[job] ?? 0) - available;
    }
  }
}

/** Lines 9 to 13 of algorithm 2, for all slices, with weights: a sink gets its part of the sum of weights. */
function divideSink(users: readonly User[], { active, load, rest, usage, capacity }: Division): void {
  for (const { greedy, amount, from, activeFrom, first, length } of users) {
    if (greedy || amount === 0) continue;
    for (let slice = 0; slice < length; slice += 1) {
      if (active[activeFrom + slice] !== 1) continue;
      const job = first + slice;
      const share = amount / (load.sink[job] ?? amount);
      // The subtractions above can end a rounding below 0.
      usage[from + slice] = Math.max(0, rest.usage[job] ?? 0) * share;
      capacity[from + slice] = Math.max(0, rest.capacity[job] ?? 0) * share;
    }
  }
}

/** Per leaf, one byte per slice of its life: 1 while it can use consumable resources, 0 while it waits. */
interface Activity {
  /** Leaf p's slices are `active` from `start[p]`; composites have none. */
  readonly start: Uint32Array;
  readonly active: Uint8Array;
}

/**
 * Attributes blocking resources and finds active phases (steps 1 and 2.1, sections 4.4.2.2 and 4.4.2.3): a leaf waits in a
 * slice when any blocking metric that it can reach, with the rule full, is blocked.
 */
function findActivity({ phases, metrics, uses }: Model): Activity {
  const start = offsets(phases.count, (phase) => (isLeaf(phases, phase) ? at(phases.length, phase) : 0));
  const active = new Uint8Array(at(start, phases.count)).fill(1);
  for (let phase = 0; phase < phases.count; phase += 1) {
    const from = at(start, phase);
    const first = at(phases.first, phase);
    const length = at(phases.length, phase);
    for (const index of profileOf(uses, phase).blocking) {
      const metric = at(metrics, index);
      if (metric.class !== 'blocking') continue;
      const { blocked } = metric;
      for (let slice = 0; slice < length; slice += 1) if (blocked[first + slice] === 1) active[from + slice] = 0;
    }
  }
  return { start, active };
}

import type { Model } from '../model/create-model.ts';
import { offsets } from '../offsets.ts';
import { type Activity, findActivity } from './active.ts';
import { createSampler, type SamplerChoice, upsample, type Workload } from './upsample.ts';

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
  readonly at: number;
  readonly activeAt: number;
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
  const start = offsets(
    phases.count,
    (phase) => (phases.length[phase] ?? 0) * (uses.profiles[uses.profile[phase] ?? 0]?.consumable.length ?? 0),
  );
  const total = start[phases.count] ?? 0;
  const [usage, capacity] = [new Float64Array(total), new Float64Array(total)];
  const users = usersOf(model, { activity, start });
  const sample = createSampler(sampler, longestPeriod(model));
  const workload = { greedy: new Float64Array(sliceCount), sink: new Float64Array(sliceCount) };
  const rest = { usage: new Float64Array(sliceCount), capacity: new Float64Array(sliceCount) };
  const samples = metrics.map((metric, index) => {
    if (metric.class === 'blocking') return new Float64Array(0);
    const own = users[index] ?? [];
    addWorkload(own, activity.active, workload);
    const sampled = upsample(metric, { workload, sliceCount, sampler: sample });
    rest.usage.set(sampled);
    rest.capacity.fill(metric.capacity);
    const division = { active: activity.active, workload, rest, usage, capacity };
    divideGreedy(own, { ...division, sampled, limit: metric.capacity });
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
    const profile = uses.profiles[uses.profile[phase] ?? 0];
    const [length, from] = [phases.length[phase] ?? 0, start[phase] ?? 0];
    if (profile === undefined || length === 0) continue;
    for (let slot = 0; slot < profile.consumable.length; slot += 1) {
      users[profile.consumable[slot] ?? 0]?.push({
        at: from + slot * length,
        activeAt: activity.start[phase] ?? 0,
        first: phases.first[phase] ?? 0,
        length,
        greedy: profile.greedy[slot] === 1,
        amount: profile.amount[slot] ?? 0,
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
      longest = Math.max(longest, (metric.end[index] ?? 0) - (metric.first[index] ?? 0));
    }
  }
  return longest;
}

/** L_G and L_S of algorithm 1. */
function addWorkload(users: readonly User[], active: Uint8Array, { greedy, sink }: Workload): void {
  greedy.fill(0);
  sink.fill(0);
  for (const user of users) {
    const load = user.greedy ? greedy : sink;
    const { activeAt, first, length, amount } = user;
    for (let slice = 0; slice < length; slice += 1) {
      if (active[activeAt + slice] === 1) load[first + slice] = (load[first + slice] ?? 0) + amount;
    }
  }
}

interface Division {
  readonly active: Uint8Array;
  readonly workload: Workload;
  /** s' and c': what greedy phases leave, per slice of the job. */
  readonly rest: { readonly usage: Float64Array; readonly capacity: Float64Array };
  readonly usage: Float64Array;
  readonly capacity: Float64Array;
}

/** Lines 2 to 8 of algorithm 2, for all slices. */
function divideGreedy(
  users: readonly User[],
  {
    active,
    workload,
    rest,
    usage,
    capacity,
    sampled,
    limit,
  }: Division & { readonly sampled: Float64Array; readonly limit: number },
): void {
  for (const { greedy, amount, at, activeAt, first, length } of users) {
    if (!greedy || amount === 0) continue;
    for (let slice = 0; slice < length; slice += 1) {
      if (active[activeAt + slice] !== 1) continue;
      const job = first + slice;
      const share = amount / (workload.greedy[job] ?? amount);
      const used = Math.min((sampled[job] ?? 0) * share, amount);
      const available = Math.min(limit * share, amount);
      usage[at + slice] = used;
      capacity[at + slice] = available;
      rest.usage[job] = (rest.usage[job] ?? 0) - used;
      rest.capacity[job] = (rest.capacity[job] ?? 0) - available;
    }
  }
}

/** Lines 9 to 13 of algorithm 2, for all slices, with weights: a sink gets its part of the sum of weights. */
function divideSink(users: readonly User[], { active, workload, rest, usage, capacity }: Division): void {
  for (const { greedy, amount, at, activeAt, first, length } of users) {
    if (greedy || amount === 0) continue;
    for (let slice = 0; slice < length; slice += 1) {
      if (active[activeAt + slice] !== 1) continue;
      const job = first + slice;
      const share = amount / (workload.sink[job] ?? amount);
      // The subtractions above can end a rounding below 0.
      usage[at + slice] = Math.max(0, rest.usage[job] ?? 0) * share;
      capacity[at + slice] = Math.max(0, rest.capacity[job] ?? 0) * share;
    }
  }
}

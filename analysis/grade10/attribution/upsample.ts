import { at } from '../../../base/lists.ts';
import type { ConsumableMetric } from '../model/metrics.ts';

/** One measurement of one metric. Slices are counted from the job's first. */
interface Period {
  /** u: the average over the whole period, in the metric's unit. */
  readonly rate: number;
  /** |T|: slices of the whole period, of which `first` up to and without `end` lie in the job. */
  readonly slices: number;
  readonly first: number;
  readonly end: number;
  readonly capacity: number;
}

/** What the active phases could use per slice of the job: L_G, the sum of greedy caps, and L_S, the sum of sink weights. */
export interface Load {
  readonly greedy: Float64Array;
  readonly sink: Float64Array;
}

/** Writes the usage of each of the period's slices into `samples`, which has one element per slice of the job. */
export type Sampler = (period: Period, load: Load, samples: Float64Array) => void;

/** A known sampler, or one of your own: given the longest period it will see (slices within the job). */
export type SamplerChoice = 'phase-aware' | 'constant' | ((longest: number) => Sampler);

/** One value per slice of the job (step 2.2, section 4.4.2.4). */
export function upsample(
  metric: ConsumableMetric,
  { load, sliceCount, sampler }: { readonly load: Load; readonly sliceCount: number; readonly sampler: Sampler },
): Float64Array {
  const samples = new Float64Array(sliceCount);
  const { rates, slices, first, end, capacity } = metric;
  for (let index = 0; index < rates.length; index += 1) {
    const period = { rate: at(rates, index), slices: at(slices, index), first: at(first, index), end: at(end, index) };
    if (period.first < period.end) sampler({ ...period, capacity }, load, samples);
  }
  return samples;
}

export function createSampler(choice: SamplerChoice, longest: number): Sampler {
  return typeof choice === 'function' ? choice(longest) : SAMPLERS[choice](longest);
}

const SAMPLERS: Readonly<Record<Extract<SamplerChoice, string>, (longest: number) => Sampler>> = {
  constant:
    () =>
    ({ rate, first, end }, _, samples) =>
      samples.fill(rate, first, end),
  'phase-aware': phaseAware,
};

/**
 * Algorithm 1: a period's usage goes first to greedy phases in proportion to their caps, then to sinks, then evenly to
 * all slices as background, each time up to the capacity. Slices outside the job have no phases and only take background.
 */
function phaseAware(longest: number): Sampler {
  const generate = sampleGenerator(longest);
  const [room, part] = [new Float64Array(longest), new Float64Array(longest)];
  const even = new Float64Array(longest).fill(1);
  return ({ rate, slices, first, end, capacity }, { greedy, sink }, samples) => {
    const count = end - first;
    const [greedyLoad, sinkLoad] = [greedy.subarray(first, end), sink.subarray(first, end)];
    for (let slice = 0; slice < count; slice += 1) room[slice] = Math.min(greedyLoad[slice] ?? 0, capacity);
    let rest = generate(rate * slices, { count, load: greedyLoad, room }, part);
    samples.set(part.subarray(0, count), first);
    // Over slices, and so indexed directly (see `at`).
    for (const load of [sinkLoad, even]) {
      if (rest === 0) return;
      for (let slice = 0; slice < count; slice += 1) room[slice] = capacity - (samples[first + slice] ?? 0);
      const outside = load === even && capacity > 0 ? slices - count : 0;
      rest = generate(rest, { count, load, room, outside }, part);
      for (let slice = 0; slice < count; slice += 1) {
        samples[first + slice] = (samples[first + slice] ?? 0) + (part[slice] ?? 0);
      }
    }
  };
}

/** Slices 0 to count - 1 of one period, to be filled in proportion to `load` but not above `room`. */
interface Filling {
  readonly count: number;
  readonly load: Float64Array;
  readonly room: Float64Array;
  /** Load outside these slices that takes part in the division; what it gets is not kept. */
  readonly outside?: number;
}

/** Writes samples for `usage` (rate times slices) into the first `count` elements and returns what found no room. */
type Generate = (usage: number, filling: Filling, samples: Float64Array) => number;

/**
 * GENERATESAMPLES of algorithm 1 for periods of up to `longest` slices: slices are filled in falling order of load to room, so
 * that what does not fit into one goes to those that come later. Working space is made once.
 */
function sampleGenerator(longest: number): Generate {
  // Runs of neighbouring slices with the same ratio are sorted as one: there are far fewer of them.
  const starts = new Uint32Array(longest);
  const ends = new Uint32Array(longest);
  const ratios = new Float64Array(longest);
  // What follows runs over slices: it indexes directly (see `at`).
  return (usage, { count, load, room, outside = 0 }, samples) => {
    samples.fill(0, 0, count);
    if (usage <= 0) return 0;
    let runs = 0;
    let sorted = true;
    let remainingLoad = outside;
    for (let slice = 0; slice < count; slice += 1) {
      const own = load[slice] ?? 0;
      const space = room[slice] ?? 0;
      if (!(own > 0 && space > 0)) continue;
      remainingLoad += own;
      const ratio = own / space;
      const last = starts[runs - 1] ?? 0;
      if (runs > 0 && ends[last] === slice && ratios[last] === ratio) {
        ends[last] = slice + 1;
        continue;
      }
      if (runs > 0 && ratio > (ratios[last] ?? 0)) sorted = false;
      starts[runs] = slice;
      ends[slice] = slice + 1;
      ratios[slice] = ratio;
      runs += 1;
    }
    const queue = starts.subarray(0, runs);
    // Equal ratios in order of time.
    if (!sorted) queue.sort((a, b) => (ratios[b] ?? 0) - (ratios[a] ?? 0) || a - b);
    let rest = usage;
    for (let place = 0; place < runs; place += 1) {
      const start = queue[place] ?? 0;
      const end = ends[start] ?? 0;
      for (let slice = start; slice < end; slice += 1) {
        const own = load[slice] ?? 0;
        // Rounding can leave less load than the last slice has.
        const share = own < remainingLoad ? own / remainingLoad : 1;
        const sample = Math.min(rest * share, room[slice] ?? 0);
        samples[slice] = sample;
        rest = Math.max(0, rest - sample);
        remainingLoad -= own;
      }
    }
    return rest;
  };
}

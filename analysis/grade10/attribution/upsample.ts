import { at } from '../../../base/lists.ts';
import type { ConsumableMetric } from '../model/metrics.ts';
import { sampleGenerator } from './generate-samples.ts';

/** One measurement of one metric. Slices are counted from the job's first. */
export interface Period {
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

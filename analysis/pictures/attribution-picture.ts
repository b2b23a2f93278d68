import { at } from '../../base/lists.ts';
import type { Analysis } from '../grade10/analyse-phases.ts';
import { attribute } from '../grade10/attribution/attribute.ts';
import type { SamplerChoice } from '../grade10/attribution/upsample.ts';
import { leavesUnder } from '../grade10/fold-phases.ts';
import { profileOf } from '../grade10/model/uses.ts';

/** How one consumable metric was used during a phase (figures 5.7 to 5.10), one value per slice. */
export interface AttributionPicture {
  readonly metric: string;
  readonly capacity: number;
  readonly sampler: Extract<SamplerChoice, string>;
  readonly sliceSeconds: number;
  /** Rates as measured, over their whole periods; seconds since the phase's start. */
  readonly measured: readonly { readonly from: number; readonly to: number; readonly rate: number }[];
  /** What leaves of each type used of it, and what was available to them, in order of first use. */
  readonly used: readonly { readonly type: string; readonly usage: Float64Array; readonly capacity: Float64Array }[];
  /** What was sampled, attributed to the phase's leaves or not. */
  readonly sampled: Float64Array;
}

/** The use of one metric during a phase under both sampling methods. */
export function createAttributionPictures(
  { model }: Analysis,
  { row, metric: index }: { readonly row: number; readonly metric: number },
): readonly AttributionPicture[] {
  const { phases, phaseTypes, metrics, uses, timesliceNs } = model;
  const metric = at(metrics, index);
  if (metric.class !== 'consumable') return [];
  const [start, length, sliceSeconds] = [at(phases.first, row), at(phases.length, row), timesliceNs / 1e9];
  const leaves = leavesUnder(phases, row);
  return (['constant', 'phase-aware'] as const).map((sampler) => {
    const { samples, usage, capacity, start: begin } = attribute(model, sampler);
    const used = new Map<string, { usage: Float64Array; capacity: Float64Array }>();
    for (const leaf of leaves.toSorted((a, b) => at(phases.first, a) - at(phases.first, b))) {
      const slot = profileOf(uses, leaf).consumable.indexOf(index);
      if (slot < 0) continue;
      const type = at(phaseTypes.paths, at(phases.type, leaf));
      const sums = used.get(type) ?? { usage: new Float64Array(length), capacity: new Float64Array(length) };
      used.set(type, sums);
      const [own, from] = [at(phases.length, leaf), at(phases.first, leaf) - start];
      for (let slice = 0; slice < own; slice += 1) {
        const value = at(begin, leaf) + slot * own + slice;
        sums.usage[from + slice] = at(sums.usage, from + slice) + at(usage, value);
        sums.capacity[from + slice] = at(sums.capacity, from + slice) + at(capacity, value);
      }
    }
    return {
      metric: metric.path,
      capacity: metric.capacity,
      sampler,
      sliceSeconds,
      measured: Array.from(metric.rates, (rate, period) => ({
        from: Math.max(0, at(metric.first, period) - start) * sliceSeconds,
        to: Math.min(length, at(metric.end, period) - start) * sliceSeconds,
        rate,
      })).filter(({ from, to }) => to > from),
      used: [...used].map(([type, sums]) => ({ type, ...sums })),
      sampled: at(samples, index).slice(start, start + length),
    };
  });
}

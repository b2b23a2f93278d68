import { type Analysis, attribute, leavesUnder, type SamplerChoice } from '../grade10/index.ts';

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
export function attributionPictures(
  { model }: Analysis,
  { row, metric: index }: { readonly row: number; readonly metric: number },
): readonly AttributionPicture[] {
  const { phases, phaseTypes, metrics, uses, timesliceNs } = model;
  const metric = metrics[index];
  if (metric?.class !== 'consumable') return [];
  const [start, length, sliceSeconds] = [phases.first[row] ?? 0, phases.length[row] ?? 0, timesliceNs / 1e9];
  const leaves = leavesUnder(phases, row);
  return (['constant', 'phase-aware'] as const).map((sampler) => {
    const { samples, usage, capacity, start: at } = attribute(model, sampler);
    const used = new Map<string, { usage: Float64Array; capacity: Float64Array }>();
    for (const leaf of leaves.toSorted((a, b) => (phases.first[a] ?? 0) - (phases.first[b] ?? 0))) {
      const slot = uses.profiles[uses.profile[leaf] ?? 0]?.consumable.indexOf(index) ?? -1;
      if (slot < 0) continue;
      const type = phaseTypes.paths[phases.type[leaf] ?? 0] ?? '';
      const sums = used.get(type) ?? { usage: new Float64Array(length), capacity: new Float64Array(length) };
      used.set(type, sums);
      const [own, from] = [phases.length[leaf] ?? 0, (phases.first[leaf] ?? 0) - start];
      for (let slice = 0; slice < own; slice += 1) {
        const value = (at[leaf] ?? 0) + slot * own + slice;
        sums.usage[from + slice] = (sums.usage[from + slice] ?? 0) + (usage[value] ?? 0);
        sums.capacity[from + slice] = (sums.capacity[from + slice] ?? 0) + (capacity[value] ?? 0);
      }
    }
    return {
      metric: metric.path,
      capacity: metric.capacity,
      sampler,
      sliceSeconds,
      measured: Array.from(metric.rates, (rate, period) => ({
        from: Math.max(0, (metric.first[period] ?? 0) - start) * sliceSeconds,
        to: Math.min(length, (metric.end[period] ?? 0) - start) * sliceSeconds,
        rate,
      })).filter(({ from, to }) => to > from),
      used: [...used].map(([type, sums]) => ({ type, ...sums })),
      sampled: (samples[index] ?? new Float64Array(0)).slice(start, start + length),
    };
  });
}

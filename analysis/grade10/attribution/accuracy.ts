import { at } from '../../../base/lists.ts';
import type { Model } from '../model/create-model.ts';
import type { ConsumableMetric } from '../model/metrics.ts';
import { attribute } from './attribute.ts';
import type { SamplerChoice } from './upsample.ts';

/** Mean sampling error of one method at one interval, as in table 5.11 of the thesis. */
export interface SamplingError {
  readonly metricType: string;
  readonly sampler: Extract<SamplerChoice, string>;
  /** How many measurements were averaged into one. */
  readonly every: number;
  /** Mean length of a measurement then, seconds. */
  readonly intervalSeconds: number;
  /** Mean absolute difference between samples and baseline, percent of the mean baseline; null where nothing was used. */
  readonly errorPercent: number | null;
}

const EVERY = [1, 2, 4, 8, 16, 32, 64] as const;
const METHODS = ['constant', 'phase-aware'] as const;

/**
 * The thesis's check of sampling (section 5.5.1.3, table 5.11): measurements are averaged k at a time, both methods restore
 * the fine ones, and the mean of the samples in each original measurement is compared with it. Phase-aware sampling wins
 * where the execution model describes the program well.
 */
export function computeSamplingAccuracy(model: Model, every: readonly number[] = EVERY): readonly SamplingError[] {
  const { metrics, resourceTypes, timesliceNs } = model;
  const types = [...new Set(metrics.flatMap((metric) => (metric.class === 'consumable' ? [metric.type] : [])))];
  return every.flatMap((k) => {
    const coarse = metrics.map((metric) => (metric.class === 'consumable' ? coarser(metric, k) : metric));
    return METHODS.flatMap((sampler) => {
      const { samples } = attribute({ ...model, metrics: coarse }, sampler);
      return types.map((type): SamplingError => {
        let [difference, baseline, slices, periods] = [0, 0, 0, 0];
        for (const [index, metric] of metrics.entries()) {
          if (metric.class !== 'consumable' || metric.type !== type) continue;
          const sampled = at(samples, index);
          for (const [period, rate] of metric.rates.entries()) {
            const [first, end] = [at(metric.first, period), at(metric.end, period)];
            if (end <= first) continue;
            let sum = 0;
            for (let slice = first; slice < end; slice += 1) sum += at(sampled, slice);
            difference += Math.abs(sum - rate * (end - first));
            baseline += rate * (end - first);
          }
          const own = at(coarse, index);
          if (own.class !== 'consumable') continue;
          for (const [period, first] of own.first.entries()) {
            const length = at(own.end, period) - first;
            slices += length;
            if (length > 0) periods += 1;
          }
        }
        return {
          metricType: at(resourceTypes.metricTypes.paths, type),
          sampler,
          every: k,
          intervalSeconds: (slices / Math.max(1, periods)) * (timesliceNs / 1e9),
          errorPercent: baseline > 0 ? (difference / baseline) * 100 : null,
        };
      });
    });
  });
}

/** Every k measurements as one, of their mean rate. */
function coarser(metric: ConsumableMetric, k: number): ConsumableMetric {
  const count = Math.ceil(metric.rates.length / k);
  const [rates, slices] = [new Float64Array(count), new Float64Array(count)];
  const [first, end] = [new Int32Array(count), new Int32Array(count)];
  for (let to = 0; to < count; to += 1) {
    const last = Math.min(metric.rates.length, (to + 1) * k) - 1;
    first[to] = at(metric.first, to * k);
    end[to] = at(metric.end, last);
    let [used, covered] = [0, 0];
    for (let from = to * k; from <= last; from += 1) {
      covered += at(metric.slices, from);
      used += at(metric.rates, from) * at(metric.slices, from);
    }
    slices[to] = covered;
    rates[to] = covered > 0 ? used / covered : 0;
  }
  return { ...metric, rates, slices, first, end };
}

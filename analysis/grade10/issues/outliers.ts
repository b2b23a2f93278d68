// Outlier threads (thesis, section 5.5.3, figure 5.15).
import { medianSorted } from 'simple-statistics';
import { at } from '../../../base/lists.ts';
import type { Model } from '../model/create-model.ts';
import { phasePath } from '../model/phases.ts';

/** From this many tenths of the median on a phase is an outlier: whole, as 1.1 is not. */
const LONGER_TENTHS = 11;

/** What concurrent phases under one parent spent in phases of a type, where some took much longer than the others. Times in seconds. */
interface OutlierGroup {
  /** Path of the parent: a worker, a superstep. */
  readonly parent: string;
  /** Path of the type: of the concurrent phases themselves, or of what lies below them. */
  readonly type: string;
  readonly phases: number;
  readonly medianSeconds: number;
  /** Of those that are no outliers. */
  readonly leastSeconds: number;
  readonly meanSeconds: number;
  readonly mostSeconds: number;
  /** The concurrent phases at fault, `ComputeThread[thread=3]`, the longest first. */
  readonly outliers: readonly { readonly phase: string; readonly seconds: number }[];
}

/**
 * Groups in which phases take at least 10 % longer than the median of their group; what is longer by no more than one slice is
 * no outlier, because no duration is known better.
 */
export function findOutliers(model: Model): readonly OutlierGroup[] {
  const { phases, phaseTypes, timesliceNs } = model;
  const seconds = (slices: number): number => (slices * timesliceNs) / 1e9;
  return concurrentGroups(model).flatMap(({ type, parent, slices }): OutlierGroup[] => {
    const lengths = Float64Array.from(slices.values()).sort();
    if (lengths.length < 2) return [];
    const median = medianSorted([...lengths]);
    const isOutlier = (length: number): boolean => length * 10 >= LONGER_TENTHS * median && length - median > 1;
    const usual = lengths.filter((length) => !isOutlier(length));
    if (usual.length === lengths.length) return [];
    return [
      {
        parent: phasePath(phases, phaseTypes, parent),
        type: at(phaseTypes.paths, type),
        phases: lengths.length,
        medianSeconds: seconds(median),
        leastSeconds: seconds(at(usual, 0)),
        meanSeconds: seconds(usual.reduce((sum, length) => sum + length, 0) / usual.length),
        mostSeconds: seconds(at(usual, usual.length - 1)),
        outliers: [...slices]
          .filter(([, length]) => isOutlier(length))
          .sort((a, b) => b[1] - a[1])
          .map(([row, length]) => ({
            phase: phasePath(phases, phaseTypes, row).split('/').at(-1) ?? '',
            seconds: seconds(length),
          })),
      },
    ];
  });
}

interface ConcurrentGroup {
  readonly type: number;
  readonly parent: number;
  /** Of each concurrent phase, what it spent in phases of the type. */
  readonly slices: Map<number, number>;
}

/** Each phase counts for the nearest concurrent one at or above it; phases of other types are in no group. */
function concurrentGroups({ phases, phaseTypes }: Model): readonly ConcurrentGroup[] {
  const groups = new Map<string, ConcurrentGroup>();
  for (const row of phases.topDown) {
    let owner = row;
    while (owner !== phases.root && phaseTypes.repeats[at(phases.type, owner)] !== 'concurrent')
      owner = at(phases.parent, owner);
    if (owner === phases.root) continue;
    const [type, parent] = [at(phases.type, row), at(phases.parent, owner)];
    const key = `${type} ${parent}`;
    const group = groups.get(key) ?? { type, parent, slices: new Map<number, number>() };
    groups.set(key, group);
    group.slices.set(owner, (group.slices.get(owner) ?? 0) + at(phases.length, row));
  }
  return [...groups.values()];
}

/** What the outliers of one type of phases come to. */
export interface OutlierSum {
  readonly type: string;
  /** Groups with outliers, and outliers in them. */
  readonly groups: number;
  readonly outliers: number;
  /** By how much the longest outliers outlast all others of their groups, in sum. */
  readonly seconds: number;
  /** Which concurrent phases they are, the most often first. */
  readonly phases: readonly { readonly phase: string; readonly times: number }[];
}

/** Outliers by type, those that cost the most first. */
export function sumOutliers(groups: readonly OutlierGroup[]): readonly OutlierSum[] {
  return [...new Set(groups.map(({ type }) => type))]
    .map((type) => {
      const own = groups.filter((group) => group.type === type);
      const times = new Map<string, number>();
      for (const { phase } of own.flatMap(({ outliers }) => outliers)) times.set(phase, (times.get(phase) ?? 0) + 1);
      return {
        type,
        groups: own.length,
        outliers: own.reduce((sum, { outliers }) => sum + outliers.length, 0),
        seconds: own.reduce((sum, { outliers, mostSeconds }) => sum + at(outliers, 0).seconds - mostSeconds, 0),
        phases: [...times].map(([phase, count]) => ({ phase, times: count })).sort((a, b) => b.times - a.times),
      };
    })
    .sort((a, b) => b.seconds - a.seconds);
}

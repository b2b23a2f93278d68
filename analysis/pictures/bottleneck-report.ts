import { badInput } from '../../base/errors.ts';
import { at, equalStretches } from '../../base/lists.ts';
import type { Analysis } from '../grade10/analyse-phases.ts';
import { attribute } from '../grade10/attribution/attribute.ts';
import type { SamplerChoice } from '../grade10/attribution/upsample.ts';
import { NO_BOTTLENECK } from '../grade10/bottlenecks/leaves.ts';
import { aliveLeaves, leavesUnder } from '../grade10/fold-phases.ts';
import { isLeaf, phasePath } from '../grade10/model/phases.ts';
import { profileOf, typeSlot, typesUsed } from '../grade10/model/uses.ts';
import type { Platform } from '../platform/platform.ts';

/** A stretch of time, seconds since the reported phase's start, in which the same groups of metrics were bottlenecks. */
export interface LimitedStretch {
  readonly from: number;
  readonly to: number;
  /** Names of groups; empty: no bottleneck. */
  readonly groups: readonly string[];
}

/** What the bottleneck report of one phase shows (figure 4.11): an overview, one part per resource, one per subphase. */
export interface BottleneckReport {
  readonly row: number;
  readonly path: string;
  readonly seconds: number;
  readonly overview: readonly LimitedStretch[];
  readonly resources: readonly {
    readonly metricType: string;
    readonly label: string;
    readonly group: string;
    /** Of the phase's time, weighted by the share of leaves. */
    readonly percent: number;
    /** The same share of leaves, 0 to 1, was bottlenecked. */
    readonly stretches: readonly { readonly from: number; readonly to: number; readonly share: number }[];
  }[];
  readonly subphases: readonly {
    readonly row: number;
    readonly name: string;
    readonly from: number;
    readonly to: number;
    readonly stretches: readonly LimitedStretch[];
  }[];
}

/**
 * The report of one phase; composites are judged by the predicate of this name. Seconds are slices times their length.
 * Errors: badInput for a predicate that the analysis did not use.
 */
export function createBottleneckReport(
  analysis: Analysis,
  platform: Pick<Platform, 'metrics'>,
  { row, predicate }: { readonly row: number; readonly predicate: string },
): BottleneckReport {
  const { model } = analysis;
  const { phases, phaseTypes, timesliceNs } = model;
  const start = at(phases.first, row);
  const seconds = (slices: number): number => (slices * timesliceNs) / 1e9;
  const stretchesOf = (phase: number): readonly LimitedStretch[] => {
    const from = at(phases.first, phase) - start;
    return Array.from(equalStretches(groupsPerSlice(analysis, platform, { phase, predicate })), (stretch) => ({
      from: seconds(from + stretch.from),
      to: seconds(from + stretch.to),
      groups: stretch.value === '' ? [] : stretch.value.split('\n'),
    }));
  };
  const children = at(phases.groups, row).flatMap(({ phases: own }) => [...own]);
  return {
    row,
    path: phasePath(phases, phaseTypes, row),
    seconds: seconds(at(phases.length, row)),
    overview: stretchesOf(row),
    resources: resourcesOf(analysis, platform, row),
    subphases: children
      .sort((a, b) => at(phases.first, a) - at(phases.first, b) || a - b)
      .map((child) => ({
        row: child,
        name: phasePath(phases, phaseTypes, child).split('/').at(-1) ?? '',
        from: seconds(at(phases.first, child) - start),
        to: seconds(at(phases.first, child) - start + at(phases.length, child)),
        stretches: stretchesOf(child),
      })),
  };
}

/** Per slice of a phase the groups that it is bottlenecked on, sorted and joined by line breaks. */
function groupsPerSlice(
  { model: { phases, uses }, leaves: { typeStart, typeStates }, bottlenecks }: Analysis,
  { metrics }: Pick<Platform, 'metrics'>,
  { phase, predicate }: { readonly phase: number; readonly predicate: string },
): readonly string[] {
  const judged = bottlenecks.find((one) => one.predicate === predicate);
  if (judged === undefined) {
    const names = bottlenecks.map((one) => one.predicate).join(', ');
    throw badInput(`The predicate '${predicate}' was not among those of the analysis: ${names}.`);
  }
  const states = isLeaf(phases, phase) ? typeStates : judged.states;
  const [begin, length] = [at(typeStart, phase), at(phases.length, phase)];
  const groups = Array.from(typesUsed(uses, phase), (type) => at(metrics, type).group);
  return Array.from({ length }, (_, slice) => {
    const held = groups.filter((_, slot) => states[begin + slot * length + slice] !== NO_BOTTLENECK);
    return [...new Set(held)].sort().join('\n');
  });
}

function resourcesOf(
  { model: { phases, uses, timesliceNs, resourceTypes }, leaves: { typeStart, typeStates } }: Analysis,
  { metrics }: Pick<Platform, 'metrics'>,
  row: number,
): BottleneckReport['resources'] {
  const [start, length] = [at(phases.first, row), at(phases.length, row)];
  const leaves = leavesUnder(phases, row);
  const alive = aliveLeaves(phases, row, leaves);
  return Array.from(typesUsed(uses, row), (type) => {
    const held = new Uint32Array(length);
    for (const leaf of leaves) {
      const slot = typeSlot(uses, leaf, type);
      if (slot < 0) continue;
      const [from, own] = [at(phases.first, leaf) - start, at(phases.length, leaf)];
      const begin = at(typeStart, leaf) + slot * own;
      for (let slice = 0; slice < own; slice += 1) {
        if (typeStates[begin + slice] !== NO_BOTTLENECK) held[from + slice] = at(held, from + slice) + 1;
      }
    }
    const shares = Array.from(held, (count, slice) => count / Math.max(1, at(alive, slice)));
    const sum = shares.reduce((total, share) => total + share, 0);
    const { label, group } = at(metrics, type);
    return {
      metricType: at(resourceTypes.metricTypes.paths, type),
      label,
      group,
      percent: length > 0 ? (sum / length) * 100 : 0,
      stretches: Array.from(equalStretches(shares), ({ from, to, value: share }) => ({
        from: (from * timesliceNs) / 1e9,
        to: (to * timesliceNs) / 1e9,
        share,
      })),
    };
  });
}

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

/**
 * The way from a typical phase of a type down to where its time is lost: the phase of median length, then at each step the
 * subphase of which most slices are bottlenecked on consumable resources. Rows, from the top; never a leaf.
 */
export function drillDown({ model, leaves }: Analysis, type: number): readonly number[] {
  const { phases, uses, resourceTypes } = model;
  const own = Array.from({ length: phases.count }, (_, row) => row)
    .filter((row) => phases.type[row] === type)
    .sort((a, b) => at(phases.length, a) - at(phases.length, b));
  const lost = (row: number): number => {
    let sum = 0;
    for (const leaf of leavesUnder(phases, row)) {
      for (const [slot, metricType] of typesUsed(uses, leaf).entries()) {
        if (resourceTypes.metricTypes.classes[metricType] === 'blocking') continue;
        sum += at(leaves.typeSlices, at(leaves.typeSlicesStart, leaf) + slot);
      }
    }
    return sum;
  };
  const rows: number[] = [];
  for (let row = own[Math.floor(own.length / 2)]; row !== undefined && !isLeaf(phases, row); ) {
    rows.push(row);
    const children = at(phases.groups, row).flatMap(({ phases: below }) => [...below]);
    const ranked = children.map((child) => ({ child, lost: lost(child) })).sort((a, b) => b.lost - a.lost);
    row = ranked[0]?.child;
  }
  return rows;
}

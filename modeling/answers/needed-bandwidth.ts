import { attempt } from '../../base/errors.ts';
import { endsText } from '../../base/units.ts';
import type { Cells } from '../fit/collapse.ts';
import { type Ensemble, estimate } from '../judge/ensemble.ts';
import type { Demand, Estimate } from '../model-records.ts';
import { indicesWhere, type Rows } from '../rows.ts';
import { computeDemand, measuredDemand } from './compute-demand.ts';

/** The smallest bandwidth, percent, at which the increment stays at or below a level, with what it rests on. */
export interface NeededBandwidth {
  /** The models' value, else the measured one; none of the three lies below `lowest`, and a low end of null does. */
  readonly bw: Estimate;
  /** True where the value is `lowest`: less may be enough. */
  readonly atMost: boolean;
  /** The lowest measured bandwidth, percent: below it nothing is claimed. */
  readonly lowest: number;
  /** As measured at this very configuration, between the measured levels; null where it was not. */
  readonly measured: Demand | null;
}

/**
 * Bandwidth demand at one configuration, by the models and by what was measured there. The interval is the models' and holds the
 * measured value too, which no form had a part in; without models it is empty. Null where neither tells.
 */
export function findNeededBandwidth(
  ensemble: Ensemble | null,
  rows: Rows | Cells,
  configuration: Pick<Demand, 'nodes' | 'scale' | 'ctiPercent'>,
): NeededBandwidth | null {
  const known = ensemble?.cells ?? rows;
  const lowest = lowestBandwidth(known, configuration);
  const measured = attempt(() => measuredDemand(known, configuration));
  const modelled =
    ensemble && attempt(() => estimate(ensemble, (fit) => computeDemand(fit, { ...configuration, least: lowest }).bw));
  if (modelled === null) {
    return measured && { bw: { value: measured.bw, low: null, high: null }, atMost: measured.atMost, lowest, measured };
  }
  const { value, low, high } = modelled;
  const both = (end: number | null, of: (...ends: number[]) => number): number | null =>
    end === null || measured === null ? end : of(end, measured.bw);
  const [least, most] = [both(low, Math.min), both(high, Math.max)];
  return {
    bw: {
      value,
      low: least === null || least <= lowest ? null : least,
      high: most,
    },
    atMost: value !== null && value <= lowest,
    lowest,
    measured,
  };
}

/** `32 % (90 % interval 20 to 51 %)`, `10 % or less (90 % interval up to 45 %)`; of the link. */
export function neededBandwidthText({ bw, atMost, lowest }: Omit<NeededBandwidth, 'measured'>): string {
  const percent = (value: number): string => `${value.toFixed(value < 9.95 ? 1 : 0)} %`;
  const value = `${percent(bw.value ?? lowest)}${atMost ? ' or less' : ''}`;
  if (bw.high === null) return value;
  return `${value} (90 % interval ${bw.low === null ? `up to ${percent(bw.high)}` : endsText(bw, percent)})`;
}

/** Of the configuration, else of its scale, else of all. */
function lowestBandwidth(rows: Rows | Cells, { nodes, scale }: Pick<Demand, 'nodes' | 'scale'>): number {
  const all = { length: rows.bw.length };
  const isScale = (index: number): boolean => rows.scale[index] === scale;
  const own = indicesWhere(all, (index) => isScale(index) && rows.nodes[index] === nodes);
  const same = own.length > 0 ? own : indicesWhere(all, isScale);
  const places = same.length > 0 ? same : indicesWhere(all, () => true);
  return places.reduce((least, index) => Math.min(least, rows.bw[index] ?? least), 100);
}

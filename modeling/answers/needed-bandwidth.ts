import { attempt, badInput } from '../../base/errors.ts';
import { at } from '../../base/lists.ts';
import { formatRange } from '../../base/ranges.ts';
import { endsText, nodesText, roughly, sizeText } from '../../base/units.ts';
import { type Cells, collapse, pickCells } from '../fit/collapse.ts';
import { findRoot } from '../fit/find-root.ts';
import { usesBandwidth } from '../forms/form.ts';
import { predict, requireHeld } from '../forms/predict.ts';
import { type Ensemble, estimate } from '../judge/ensemble.ts';
import type { Demand, Estimate, Fit } from '../model-records.ts';
import { indicesAt, indicesWhere, type Rows } from '../rows.ts';

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
  const known = knownOf(ensemble, rows);
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

/** The same without an interval, so without a look at all that may be true. */
export function findNeededValue(
  ensemble: Ensemble | null,
  rows: Rows | Cells,
  configuration: Pick<Demand, 'nodes' | 'scale' | 'ctiPercent'>,
): Pick<Demand, 'bw' | 'atMost'> | null {
  const known = knownOf(ensemble, rows);
  const least = lowestBandwidth(known, configuration);
  const modelled = ensemble && attempt(() => computeDemand(ensemble.fit, { ...configuration, least }).bw);
  if (modelled !== null) return { bw: modelled, atMost: modelled <= least };
  return attempt(() => measuredDemand(known, configuration));
}

/** What was measured with the threads that models are asked for. */
function knownOf(ensemble: Ensemble | null, rows: Rows | Cells): Rows | Cells {
  if (ensemble === null) return rows;
  const { cells, fit } = ensemble;
  return fit.threads === undefined ? cells : pickCells(cells, indicesAt(cells, { threads: fit.threads }));
}

/** `32 % (90 % interval 20 to 51 %)`, `10 % or less (90 % interval up to 45 %)`; of the link. */
export function neededBandwidthText({ bw, atMost, lowest }: Omit<NeededBandwidth, 'measured'>): string {
  const value = `${roughly(bw.value ?? lowest)}${atMost ? ' or less' : ''}`;
  if (bw.high === null) return value;
  return `${value} (90 % interval ${bw.low === null ? `up to ${roughly(bw.high)}` : endsText(bw, roughly)})`;
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

/** The setting whose bandwidth is varied. */
interface DemandSetting {
  readonly nodes: number;
  readonly scale: number;
}

/** Where a fit's demand is looked for: below 0.1 % no link is used. */
const SMALLEST_BW = 0.1;

/**
 * Bandwidth demand of a fit: the smallest bw, of those from `least` percent on, at which the completion time increment, (CT(bw) -
 * CT(100)) / CT(100) in percent, stays at or below `ctiPercent` (paper, Eq 4 and section IV.B).
 */
export function computeDemand(
  fit: Fit,
  { nodes, scale, ctiPercent, least = SMALLEST_BW }: DemandSetting & { ctiPercent: number; least?: number },
): Demand {
  requireLevel(ctiPercent);
  requireSetting(fit, { nodes, scale });
  const full = predict(fit, { nodes, scale, bw: 100 });
  // In 100/bw, because there CT is an exponential without a pole.
  const excess = (slowdown: number): number =>
    ((predict(fit, { nodes, scale, bw: 100 / slowdown }) - full) / full) * 100 - ctiPercent;
  const most = 100 / least;
  if (!(excess(most) > 0)) return { nodes, scale, ctiPercent, bw: least, atMost: true };
  return { nodes, scale, ctiPercent, bw: 100 / findRoot(excess, { low: 1, high: most }), atMost: false };
}

/** Bandwidth demand as measured, interpolated linearly in 100/bw between the two levels it falls between. */
export function measuredDemand(
  rows: Rows | Cells,
  { nodes, scale, ctiPercent }: DemandSetting & { ctiPercent: number },
): Demand {
  requireLevel(ctiPercent);
  const descending = measuredIncrements(rows, { nodes, scale }).reverse();
  let inside = { bw: 100, ctiPercent: 0 };
  for (const point of descending) {
    if (point.ctiPercent > ctiPercent) {
      const share = (ctiPercent - inside.ctiPercent) / (point.ctiPercent - inside.ctiPercent);
      const slowdown = 100 / inside.bw + share * (100 / point.bw - 100 / inside.bw);
      return { nodes, scale, ctiPercent, bw: 100 / slowdown, atMost: false };
    }
    inside = point;
  }
  return { nodes, scale, ctiPercent, bw: inside.bw, atMost: true };
}

/** Increments by bandwidth, ascending, as measured. Needs rows at 100 %. */
function measuredIncrements(rows: Rows | Cells, setting: DemandSetting): { bw: number; ctiPercent: number }[] {
  const all = collapse(rows);
  const cells = pickCells(all, indicesAt(all, { nodes: setting.nodes, scale: setting.scale }));
  const full = cells.mean[cells.bw.indexOf(100)];
  if (full === undefined) {
    const where = `at ${nodesText(setting.nodes)}${sizeText(setting.scale)}`;
    throw badInput(
      cells.length === 0
        ? `No rows ${where}: choose a measured configuration.`
        : `No rows at bandwidth 100 % ${where}, only at ${formatRange([...cells.bw])}: measure 100 % there as well.`,
    );
  }
  return Array.from({ length: cells.length }, (_, cell) => {
    return { bw: at(cells.bw, cell), ctiPercent: ((at(cells.mean, cell) - full) / full) * 100 };
  });
}

function requireSetting(fit: Fit, { nodes, scale }: DemandSetting): void {
  const model = fit.form;
  if (!usesBandwidth(model)) {
    throw badInput(`${model.title}, has no term for the bandwidth: use eq5, eq6, eq7 or volume for the demand.`);
  }
  requireHeld(fit, 'nodes', [nodes]);
  requireHeld(fit, 'scale', [scale]);
}

function requireLevel(ctiPercent: number): void {
  if (!(ctiPercent >= 0 && Number.isFinite(ctiPercent))) {
    throw badInput(`The completion time increment is ${ctiPercent} %: give a percentage of at least 0, such as 10.`);
  }
}

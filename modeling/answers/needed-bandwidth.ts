import { attempt } from '../../base/index.ts';
import { type Ensemble, estimate } from '../judge/ensemble.ts';
import type { Demand, Estimate } from '../records.ts';
import type { Rows } from '../rows.ts';
import { demand, measuredDemand } from './demand.ts';

/** The smallest bandwidth, percent, at which the increment stays at or below a level, with what it rests on. */
export interface NeededBandwidth {
  /** The models' value, else the measured one. */
  readonly bw: Estimate;
  /** As measured at this very setting, between the measured levels; null where it was not. */
  readonly measured: Demand | null;
}

/**
 * Bandwidth demand at one setting, by the models and by what was measured there. The interval is the models' and holds the measured
 * value too, which no form had a part in; without models it is empty. Null where neither tells.
 */
export function neededBandwidth(
  ensemble: Ensemble | null,
  rows: Rows,
  setting: Pick<Demand, 'nodes' | 'scale' | 'ctiPercent'>,
): NeededBandwidth | null {
  const measured = attempt(() => measuredDemand(rows, setting));
  const modelled = ensemble && attempt(() => estimate(ensemble, (fit) => demand(fit, setting).bw));
  if (modelled === null) return measured && { bw: { value: measured.bw, low: null, high: null }, measured };
  const { value, low, high } = modelled;
  if (measured === null || low === null || high === null) return { bw: modelled, measured };
  return { bw: { value, low: Math.min(low, measured.bw), high: Math.max(high, measured.bw) }, measured };
}

import { type Estimate, predict } from '../../../modeling/index.ts';
import { type ComponentFit, componentAt } from '../../across/index.ts';
import type { RunSetting } from '../../across/runs.ts';

/**
 * How a part's seconds per rank change with nodes: `shrinks` like 1/nodes, as work that ranks share does; `stops-shrinking`:
 * slower than that; `grows`; `not-known`: the interval holds both.
 */
export type ScalingVerdict = 'shrinks' | 'stops-shrinking' | 'grows' | 'not-known';

export interface ScalingJudgement {
  readonly verdict: ScalingVerdict;
  /** d ln seconds / d ln nodes from the smallest to the largest cluster, by the fit: -1 is ideal. */
  readonly exponent: Estimate;
  /** Seconds on the largest cluster beyond the share that 1/nodes would leave of those on the smallest. */
  readonly excess: Estimate;
  /** Whether the link makes it longer. */
  readonly isSlowed: boolean;
  /** Seconds at the lowest over those at the highest bandwidth, on the largest cluster. */
  readonly slowdown: Estimate;
  /** The difference of both. */
  readonly linkSeconds: Estimate;
}

/** What is measured: between which settings parts are judged, and how long a timed run takes on the most nodes, seconds. */
export interface MeasuredRange {
  readonly scale: number;
  readonly fewest: number;
  readonly most: number;
  readonly lowest: number;
  readonly highest: number;
  readonly seconds: number;
}

/** A smaller share of a timed run is no reason for a verdict. */
const MINOR = 0.01;

/** Judges a part by its fit and by those to runs drawn anew: an answer holds where nearly all of the draws give it. */
export function judgeScaling(fit: ComponentFit, range: MeasuredRange, level = 0.9): ScalingJudgement {
  const { scale, fewest, most, lowest, highest } = range;
  const small = { nodes: fewest, scale, bw: highest };
  const large = { nodes: most, scale, bw: highest };
  const slow = { nodes: most, scale, bw: lowest };
  const over = (of: (secondsAt: (setting: RunSetting) => number) => number): Estimate => overDraws(fit, of, level);
  const exponent = over((seconds) => Math.log(seconds(large) / seconds(small)) / Math.log(most / fewest));
  const excess = over((seconds) => seconds(large) - (seconds(small) * fewest) / most);
  const slowdown = over((seconds) => seconds(slow) / seconds(large));
  const linkSeconds = over((seconds) => seconds(slow) - seconds(large));
  const matters = ({ low }: Estimate): boolean => low !== null && low >= MINOR * range.seconds;
  return {
    verdict: verdictOf(exponent, matters(excess)),
    ...{ exponent, excess, slowdown, linkSeconds },
    isSlowed: matters(linkSeconds),
  };
}

function verdictOf({ value, low, high }: Estimate, matters: boolean): ScalingVerdict {
  if (value === null || low === null || high === null) return 'not-known';
  if (low > 0 && matters) return 'grows';
  if (low > -1 && matters) return 'stops-shrinking';
  return high < 0 ? 'shrinks' : 'not-known';
}

/** A figure by the fit, with the interval of the same figure by each of the draws; null where it is none. */
function overDraws(
  { fit, replicas }: ComponentFit,
  of: (secondsAt: (setting: RunSetting) => number) => number,
  level: number,
): Estimate {
  const value = of((setting) => predict(fit, setting));
  const drawn = replicas
    .map((replica) => of((setting) => predict(replica, setting)))
    .filter(Number.isFinite)
    .sort((a, b) => a - b);
  const quantile = (share: number): number | null => drawn[Math.round(share * (drawn.length - 1))] ?? null;
  return {
    value: Number.isFinite(value) ? value : null,
    low: quantile((1 - level) / 2),
    high: quantile((1 + level) / 2),
  };
}

/** A part on another number of nodes. */
export function forecastPart(fit: ComponentFit, setting: RunSetting, level = 0.9): Estimate {
  return componentAt(fit, setting, level);
}

import type { Estimate } from '../../../modeling/model-records.ts';
import { type ComponentFit, overDraws } from '../../across/fit-components.ts';
import type { RunSetting } from '../../across/run-of-cell.ts';

/**
 * How a part's seconds per rank change with nodes: `shrinks` like 1/nodes, as work that ranks share does; `stops-shrinking`:
 * slower than that; `grows`; `not-known`: the interval holds both, or the fit contradicts what was measured.
 */
type ScalingVerdict = 'shrinks' | 'stops-shrinking' | 'grows' | 'not-known';

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

/** Of the draws so many agree on a verdict. */
export const LEVEL = 0.9;
/** A smaller share of a timed run is no reason for a verdict. */
const MINOR = 0.01;

/** What was measured of a part: seconds per rank and timed run, means over repetitions at the highest bandwidth and, on the most nodes, at the lowest. */
export interface MeasuredPart {
  readonly onFewest: number;
  readonly onMost: number;
  readonly atLowest: number;
}

/**
 * Judges a part by its fit and by those to runs drawn anew: an answer holds where nearly all of the draws give it, and where the
 * measured means do not contradict it, as they do where a fit has not the form of what was measured.
 */
export function judgeScaling(
  fit: ComponentFit,
  { range, measured }: { readonly range: MeasuredRange; readonly measured: MeasuredPart },
): ScalingJudgement {
  const { scale, fewest, most, lowest, highest } = range;
  const small = { nodes: fewest, scale, bw: highest };
  const large = { nodes: most, scale, bw: highest };
  const slow = { nodes: most, scale, bw: lowest };
  const over = (of: (secondsAt: (setting: RunSetting) => number) => number): Estimate => overDraws(fit, of, LEVEL);
  const exponent = over((seconds) => Math.log(seconds(large) / seconds(small)) / Math.log(most / fewest));
  const excess = over((seconds) => seconds(large) - (seconds(small) * fewest) / most);
  const slowdown = over((seconds) => seconds(slow) / seconds(large));
  const linkSeconds = over((seconds) => seconds(slow) - seconds(large));
  const matters = ({ low }: Estimate): boolean => low !== null && low >= MINOR * range.seconds;
  const least = MINOR * range.seconds;
  const verdict = verdictOf(exponent, matters(excess));
  const isExceeding = measured.onMost - (measured.onFewest * fewest) / most >= least;
  return {
    verdict: isExceeding === (verdict !== 'shrinks') ? verdict : 'not-known',
    ...{ exponent, excess, slowdown, linkSeconds },
    isSlowed: matters(linkSeconds) && measured.atLowest - measured.onMost >= least,
  };
}

function verdictOf({ value, low, high }: Estimate, matters: boolean): ScalingVerdict {
  if (value === null || low === null || high === null) return 'not-known';
  if (low > 0 && matters) return 'grows';
  if (low > -1 && matters) return 'stops-shrinking';
  return high < 0 ? 'shrinks' : 'not-known';
}

const VERDICTS: Readonly<Record<ScalingVerdict, string>> = {
  shrinks: 'scales',
  'stops-shrinking': 'stops shrinking',
  grows: 'grows',
  'not-known': 'unknown',
};

/** A judgement in words for a table; a dash for none. */
export function describeVerdict(judged: ScalingJudgement | null): string {
  if (judged === null) return '-';
  return `${VERDICTS[judged.verdict]}${judged.isSlowed ? ', slowed by the link' : ''}`;
}

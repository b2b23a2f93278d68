import { asBitsPerSecond, asPercent, type BitsPerSecond, rateOf } from '../base/units.ts';
import { burstBytes } from '../throttle/link-command.ts';

/** What a link passes each way. */
export interface LinkRate {
  /** ns that a byte takes. */
  readonly nsPerByte: number;
  /** What passes at once after a pause, in ns at that rate. */
  readonly burstNs: number;
}

/**
 * The link of a cell's hosts, were it so many times as slow: a throttled one with the burst that the throttle gives it at that rate,
 * an open one without. `lineRateBps`: of the full link, bit/s.
 */
export function cellLink(bw: number, lineRateBps: number, slower = 1): LinkRate {
  const rateBps: BitsPerSecond = rateOf(asBitsPerSecond(lineRateBps), asPercent(bw));
  const nsPerByte = (8e9 / rateBps) * slower;
  if (slower <= 0 || bw === 100) return { nsPerByte, burstNs: 0 };
  return { nsPerByte, burstNs: burstBytes(asBitsPerSecond(rateBps / slower)) * nsPerByte };
}

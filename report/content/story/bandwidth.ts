import { formatRate, nodesText } from '../../../base/index.ts';
import type { NeededBandwidth } from '../../../modeling/index.ts';
import type { StoryLine } from './line.ts';
import { roughly } from './words.ts';

export interface BandwidthFacts {
  /** Null where only one bandwidth was measured. */
  readonly needed: NeededBandwidth | null;
  /** The lowest measured bandwidth, percent: below it nothing is claimed. */
  readonly lowest: number;
  readonly nodes: number;
  readonly ctiPercent: number;
  /** Bits per second of 100 %. */
  readonly lineRateBps: number;
  readonly noun: string;
}

/** The smallest share of the link at which times stay below an increment, as one number with its interval. */
export function bandwidthLine({ needed, lowest, nodes, ctiPercent, lineRateBps, noun }: BandwidthFacts): StoryLine {
  const line = { id: 'bandwidth', question: 'How much bandwidth is needed?', unit: '%' } as const;
  const found = needed?.bw.value ?? null;
  if (needed === null || found === null) {
    const answer = 'That cannot be said: it takes full bandwidth and a lower one on the same cluster.';
    return { ...line, short: 'not known', answer, detail: null, value: null, interval: null };
  }
  const value = Math.max(found, lowest);
  const low = needed.bw.low === null || needed.bw.low <= lowest ? null : needed.bw.low;
  const high = needed.bw.high === null ? null : Math.max(needed.bw.high, lowest);
  const rate = (bw: number): string => formatRate((lineRateBps * bw) / 100);
  const enough = found <= lowest ? ', the least that was measured,' : '';
  const answer = `${roughly(value)} of the link (${rate(value)})${enough} keeps a ${noun} on ${nodesText(nodes)} within ${ctiPercent} % of its time on the full link.`;
  const from = (text: (bw: number) => string): string => (low === null ? `below ${text(lowest)}` : text(low));
  const ends =
    high === null
      ? 'There is no interval: that is measured between two bandwidths, without a model.'
      : `The 90 % interval is ${from(roughly)} to ${roughly(high)}, ${from(rate)} to ${rate(high)}.`;
  const measured =
    needed.measured &&
    high !== null &&
    `Measured times alone give ${needed.measured.atMost ? 'at most ' : ''}${roughly(needed.measured.bw)}.`;
  return {
    ...line,
    short: `${found <= lowest ? 'up to ' : ''}${roughly(value)}`,
    answer,
    detail: measured ? `${ends} ${measured}` : ends,
    value,
    interval: high === null ? null : { low, high },
  };
}

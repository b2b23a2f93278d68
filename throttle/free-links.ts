import { type BitsPerSecond, formatRate } from '../base/index.ts';
import { PROBE_BAND, type ProbeResult } from './proof.ts';

/** Below this share of what is usual a free link is shared: two streams that share one fairly have half of it each. */
const FREE_SHARE = 0.6;

/**
 * Why the probes of free links are no baseline; null when they are one. How much a free link carries is the cluster's own
 * affair (one TCP stream may not fill a fast link, the inventory's line rate may be wrong), so each probe is held against the
 * others, and only where it also misses what a throttled link would have to reach.
 *
 * What is usual is the upper median of the ring: of two hosts the better direction, of three the middle, of four the second
 * best. Other traffic of one host takes two probes at most, so from four hosts on it cannot pass as usual; of two and three
 * it can if it is on both of the host's directions, and then `rateDoubt` tells it.
 */
export function judgeFreeProbes(probes: readonly ProbeResult[], lineRateBps: BitsPerSecond): string | null {
  const sorted = probes.map(({ outBps }) => outBps).sort((a, b) => a - b);
  const usual = sorted[Math.ceil((sorted.length - 1) / 2)] ?? 0;
  for (const [index, { host, outBps }] of probes.entries()) {
    if (outBps >= PROBE_BAND.low * lineRateBps || outBps >= FREE_SHARE * usual) continue;
    const next = probes[(index + 1) % probes.length]?.host;
    return `the probe from ${host} to ${next} reached ${formatRate(outBps)} instead of the usual ${formatRate(usual)}: other traffic on one of their links, or a slower link`;
  }
  return null;
}

/** Free links that are below three quarters of the line rate, or above it: the one that is the furthest off. */
export function rateDoubt(
  probes: readonly ProbeResult[],
  lineRateBps: BitsPerSecond,
): { readonly host: string; readonly way: 'below' | 'above'; readonly text: string } | null {
  const byRate = [...probes].sort((a, b) => a.outBps - b.outBps);
  const [slowest, fastest] = [byRate[0], byRate.at(-1)];
  const share = ({ outBps }: ProbeResult): number => outBps / lineRateBps;
  const say = (probe: ProbeResult): string =>
    `its probe reached ${formatRate(probe.outBps)} over the unthrottled link, ${Math.round(share(probe) * 100)} % of the line rate of ${formatRate(lineRateBps)}`;
  if (slowest && share(slowest) < PROBE_BAND.low) return { host: slowest.host, way: 'below', text: say(slowest) };
  if (fastest && share(fastest) > PROBE_BAND.high) return { host: fastest.host, way: 'above', text: say(fastest) };
  return null;
}

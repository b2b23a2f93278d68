import { type BitsPerSecond, formatRate } from '../base/units.ts';
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
 * it can if it is on both of the host's directions, and then `rateDoubt` tells it. Probes from and to hosts in `accepted` are left out.
 */
export function judgeFreeProbes(
  probes: readonly ProbeResult[],
  lineRateBps: BitsPerSecond,
  accepted: readonly string[] = [],
): string | null {
  const isJudged = judgedBy(accepted);
  const sorted = probes
    .filter(isJudged)
    .map(({ outBps }) => outBps)
    .sort((a, b) => a - b);
  const usual = sorted[Math.ceil((sorted.length - 1) / 2)] ?? 0;
  for (const [index, { host, outBps }] of probes.entries()) {
    if (!isJudged({ host }, index, probes)) continue;
    if (outBps >= PROBE_BAND.low * lineRateBps || outBps >= FREE_SHARE * usual) continue;
    const next = probes[(index + 1) % probes.length]?.host;
    return `the probe from ${host} to ${next} reached ${formatRate(outBps)} instead of the usual ${formatRate(usual)}: other traffic on one of their links, or a slower link`;
  }
  return null;
}

/** Of a ring in which each host sends to the next one: neither end is accepted as it is. */
function judgedBy(accepted: readonly string[]) {
  return ({ host }: { readonly host: string }, index: number, probes: readonly { readonly host: string }[]): boolean =>
    !accepted.includes(host) && !accepted.includes(probes[(index + 1) % probes.length]?.host ?? '');
}

/** Hosts in `accepted` whose links are slower than those of a proof may be: what the slower of their probes reached, bit/s. */
export function acceptedLinks(
  probes: readonly ProbeResult[],
  rateBps: BitsPerSecond,
  accepted: readonly string[],
): readonly { readonly host: string; readonly bps: number }[] {
  return probes
    .filter(({ host }) => accepted.includes(host))
    .map(({ host, outBps, inBps }) => ({ host, bps: Math.min(outBps, inBps) }))
    .filter(({ bps }) => bps < PROBE_BAND.low * rateBps);
}

/** Free links that are below three quarters of the line rate, or above it: the one that is the furthest off. Those of hosts in `accepted` are left out. */
export function rateDoubt(
  ring: readonly ProbeResult[],
  lineRateBps: BitsPerSecond,
  accepted: readonly string[] = [],
): { readonly host: string; readonly way: 'below' | 'above'; readonly text: string } | null {
  const byRate = ring.filter(judgedBy(accepted)).sort((a, b) => a.outBps - b.outBps);
  const [slowest, fastest] = [byRate[0], byRate.at(-1)];
  const share = ({ outBps }: ProbeResult): number => outBps / lineRateBps;
  const say = (probe: ProbeResult): string =>
    `its probe reached ${formatRate(probe.outBps)} over the unthrottled link, ${Math.round(share(probe) * 100)} % of the line rate of ${formatRate(lineRateBps)}`;
  if (slowest && share(slowest) < PROBE_BAND.low) return { host: slowest.host, way: 'below', text: say(slowest) };
  if (fastest && share(fastest) > PROBE_BAND.high) return { host: fastest.host, way: 'above', text: say(fastest) };
  return null;
}

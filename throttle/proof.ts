import { type BitsPerSecond, formatRate } from '../base/units.ts';
import { burstBytes } from './burst.ts';
import type { LinkState } from './state.ts';

export interface ClassUse {
  readonly host: string;
  readonly direction: 'out' | 'in';
  readonly bytes: number;
  readonly overlimits: number;
  readonly drops: number;
  readonly averageBps: number;
}

/** Goodput of the probes that left and reached one host, bits per second. */
export interface ProbeResult {
  readonly host: string;
  readonly outBps: number;
  readonly inBps: number;
}

/**
 * The band in which a TCP stream's goodput must lie, as a share of the set rate. 0.956 is what Ethernet at MTU 1500
 * leaves; less than 0.75 means that something else is the limit.
 */
export const PROBE_BAND = { low: 0.75, high: 1.02 } as const;

/**
 * Why the probes do not prove the rate; null when they do. At the full rate there is nothing of ours to prove. A probe from or to a host
 * in `accepted` may be slower.
 */
export function judgeProbes(
  probes: readonly ProbeResult[],
  rateBps: BitsPerSecond,
  accepted: readonly string[] = [],
): string | null {
  for (const [index, { host, outBps, inBps }] of probes.entries()) {
    for (const [direction, goodput, other] of [
      ['out', outBps, probes[(index + 1) % probes.length]?.host],
      ['in', inBps, probes.at(index - 1)?.host],
    ] as const) {
      const share = goodput / rateBps;
      const isAccepted = accepted.includes(host) || accepted.includes(other ?? '');
      if (share > PROBE_BAND.high || (share < PROBE_BAND.low && !isAccepted)) {
        return `the probe on ${host} reached ${formatRate(goodput)} ${direction}, but the throttle allows ${formatRate(rateBps)} (${Math.round(share * 100)} %, expected ${PROBE_BAND.low * 100} to ${PROBE_BAND.high * 100} %)`;
      }
    }
  }
  return null;
}

/** Use of a host's link between two readings: of the throttled classes, or of the whole interface when it is free. */
export function linkUse(host: string, before: LinkState, after: LinkState): readonly ClassUse[] {
  const seconds = Math.max(after.uptimeS - before.uptimeS, 0.01);
  return (['out', 'in'] as const).map((direction) => {
    const [first, last] = [before.classes?.[direction], after.classes?.[direction]];
    const bytes =
      first && last ? last.bytes - first.bytes : after.interfaceBytes[direction] - before.interfaceBytes[direction];
    return {
      host,
      direction,
      bytes: Math.max(bytes, 0),
      overlimits: first && last ? last.overlimits - first.overlimits : 0,
      drops: first && last ? last.drops - first.drops : 0,
      averageBps: (Math.max(bytes, 0) * 8) / seconds,
    };
  });
}

/** Why a run under `rateBps` (null: free links) is no measurement; null when it is one. */
export function judgeRun({
  rateBps,
  before,
  after,
  communicates,
}: {
  readonly rateBps: BitsPerSecond | null;
  readonly before: ReadonlyMap<string, LinkState>;
  readonly after: ReadonlyMap<string, LinkState>;
  /** False for a run on one host, which sends nothing. */
  readonly communicates: boolean;
}): string | null {
  for (const [host, end] of after) {
    const start = before.get(host);
    if (!start) return `${host} has no counter reading from before the run`;
    // A mark of an earlier run's lease says nothing about this one.
    if (end.expired && !start.expired) return `the lease of ${host} expired during the run, so its link was restored`;
    const state = rateBps === null ? 'free' : 'throttled';
    if (start.state !== state || end.state !== state) {
      return `the link of ${host} was ${start.state} before and ${end.state} after the run, not ${state}`;
    }
    if (rateBps !== null && !end.keeper) return `the lease watchdog of ${host} has ended`;
    if (rateBps !== null && !(isRate(start.rateBps, rateBps) && isRate(end.rateBps, rateBps))) {
      return `the link of ${host} was set to ${formatRate(start.rateBps ?? 0)} and ${formatRate(end.rateBps ?? 0)}, not ${formatRate(rateBps)}`;
    }
    for (const use of linkUse(host, start, end)) {
      if (communicates && use.bytes === 0) {
        return `no byte of the run passed the ${rateBps === null ? 'data interface' : 'throttled class'} of ${host} (${use.direction}): its traffic uses another path, such as RDMA or another interface`;
      }
      const seconds = Math.max(end.uptimeS - start.uptimeS, 0.01);
      const allowed =
        rateBps === null ? Number.POSITIVE_INFINITY : rateBps * 1.01 + (burstBytes(rateBps) * 8 * 2) / seconds;
      if (use.averageBps > allowed) {
        return `${host} moved ${formatRate(use.averageBps)} ${use.direction} on average, but ${formatRate(rateBps ?? 0)} was set`;
      }
    }
  }
  return null;
}

/** Whether a link shows the rate that was set: tc prints four or five digits of it. */
export function isRate(shown: number | null, set: BitsPerSecond): boolean {
  return shown !== null && Math.abs(shown - set) <= set * 1e-3;
}

import { type BitsPerSecond, formatRate, trimNumber } from '../base/units.ts';
import { burstBytes } from './link-command.ts';
import type { LinkState } from './state.ts';
import { findUnaccounted } from './unaccounted.ts';

interface ClassUse {
  readonly host: string;
  readonly direction: 'out' | 'in';
  readonly bytes: number;
  readonly overlimits: number;
  readonly drops: number;
  readonly averageBps: number;
}

/** Goodput of the probes that left and reached one host, bits per second. */
interface ProbeResult {
  readonly host: string;
  readonly outBps: number;
  readonly inBps: number;
}

/**
 * The band in which a TCP stream's goodput must lie, as a share of the set rate. 0.956 is what Ethernet at MTU 1500
 * leaves; less than 0.75 means that something else is the limit.
 */
export const PROBE_BAND = { low: 0.75, high: 1.02 } as const;

/** Whether a probe shows the rate. */
export function isInBand(goodputBps: number, rateBps: BitsPerSecond): boolean {
  const share = goodputBps / rateBps;
  return share >= PROBE_BAND.low && share <= PROBE_BAND.high;
}

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
      const isAccepted = accepted.includes(host) || accepted.includes(other ?? '');
      if (!isInBand(goodput, rateBps) && !(goodput < rateBps && isAccepted)) {
        return `the probe on ${host} reached ${formatRate(goodput)} ${direction}, but the throttle allows ${formatRate(rateBps)} (${Math.round((goodput / rateBps) * 100)} %, expected ${PROBE_BAND.low * 100} to ${PROBE_BAND.high * 100} %)`;
      }
    }
  }
  return null;
}

/** Of two latencies, what clocks and the whole microseconds of the agent may hide. */
const LATENCY_SHORT = { share: 0.02, ms: 0.01 } as const;

/** Why the probes do not prove a latency that every host adds to what it sends; null when they do, and without a latency. */
export function judgeLatency(
  probes: readonly { readonly host: string; readonly roundTripMs?: number | undefined }[],
  latencyMs: number,
): string | null {
  if (latencyMs === 0) return null;
  const least = 2 * latencyMs * (1 - LATENCY_SHORT.share) - LATENCY_SHORT.ms;
  const short = probes.find(({ roundTripMs }) => roundTripMs === undefined || roundTripMs < least);
  if (short === undefined) return null;
  const { host, roundTripMs } = short;
  const took = roundTripMs === undefined ? 'had no round trip' : `took ${trimNumber(roundTripMs)} ms there and back`;
  return `the small messages of ${host} ${took}, but both ends add ${latencyMs} ms each`;
}

/** Whether a link shows the latency that was set: tc prints three digits of it, or a microsecond less. */
export function isShownLatency(shownMs: number, setMs: number): boolean {
  return Math.abs(shownMs - setMs) <= setMs * 5e-3 + 0.002;
}

function shown({ latencyMs }: LinkState): string {
  return latencyMs < 0 ? 'more than one latency' : `${latencyMs} ms`;
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

/** Why a run under `rateBps` (null: free links) and a latency is no measurement; null when it is one. */
export function judgeRun({
  rateBps,
  latencyMs,
  before,
  after,
  communicates,
  beside,
}: {
  readonly rateBps: BitsPerSecond | null;
  readonly latencyMs: number;
  readonly before: ReadonlyMap<string, LinkState>;
  readonly after: ReadonlyMap<string, LinkState>;
  /** False for a run on one host, which sends nothing. */
  readonly communicates: boolean;
  /** Names of interfaces that may carry other traffic (the inventory's network.beside). */
  readonly beside: readonly string[];
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
    if (![start, end].every((state) => isShownLatency(state.latencyMs, latencyMs))) {
      return `the link of ${host} added ${shown(start)} before and ${shown(end)} after the run, not ${latencyMs} ms`;
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
    const past = communicates ? findUnaccounted({ host, before: start, after: end, beside }) : null;
    if (past !== null) return past;
  }
  return null;
}

/** Whether a link shows the rate that was set: tc prints four or five digits of it. */
export function isRate(shown: number | null, set: BitsPerSecond): boolean {
  return shown !== null && Math.abs(shown - set) <= set * 1e-3;
}

/** Below this share of what is usual a free link is shared: two streams that share one fairly have half of it each. */
const FREE_SHARE = 0.6;

/**
 * Why the probes of free links are no baseline; null when they are one. How much a free link carries is the cluster's own
 * affair (one TCP stream may not fill a fast link, the inventory's line rate may be wrong), so each probe is held against the
 * others, and only where it also misses what a throttled link would have to reach. Where the usual probe reaches that, the line rate is
 * known to be true, and takes its place: what many probes at once reach says too little of one by itself.
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
  const least = PROBE_BAND.low * lineRateBps;
  const whole = usual >= least ? Math.max(usual, lineRateBps) : usual;
  for (const [index, { host, outBps }] of probes.entries()) {
    if (!isJudged({ host }, index, probes)) continue;
    if (outBps >= least || outBps >= FREE_SHARE * whole) continue;
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

/**
 * What no counter can tell from a run's own traffic, bits per second over all of its hosts: a fiftieth of a link's rate, and
 * on free links what each host sends the controller (readings, what ranks print), far less than half a Mbit/s.
 */
export function unnoticedBps(rateBps: number, hosts: number): number {
  return 0.02 * rateBps + hosts * 0.5e6;
}

/** Of what the hosts of a run sent or received: losses and headers that are counted at one end only stay below it. */
const LOSSES = 0.1;

/** Traffic with machines outside a run, as its counters tell it. */
interface Imbalance {
  /** The host whose own counters are the furthest apart. */
  readonly host: string;
  /** One sentence. */
  readonly text: string;
}

/**
 * Traffic of a run's hosts with others; null where there is none to speak of. `rateBps` is that of each link. Hosts of a run
 * send to each other, so that what leaves all of them reaches all of them: a difference came from outside or went there.
 * Traffic among them is not seen.
 */
export function judgeBalance(uses: readonly ClassUse[], rateBps: number): Imbalance | null {
  const total = (wanted: ClassUse['direction']): number =>
    uses.reduce((sum, { direction, averageBps }) => sum + (direction === wanted ? averageBps : 0), 0);
  const [sent, received] = [total('out'), total('in')];
  const hosts = new Set(uses.map(({ host }) => host)).size;
  const excess = Math.abs(sent - received);
  if (excess <= unnoticedBps(rateBps, hosts) || excess <= LOSSES * Math.min(sent, received)) return null;
  const sign = sent > received ? 1 : -1;
  const own = new Map<string, number>();
  for (const { host, direction, averageBps } of uses) {
    own.set(host, (own.get(host) ?? 0) + averageBps * (direction === 'out' ? sign : -sign));
  }
  const [[host, most] = ['', 0]] = [...own].sort(([, a], [, b]) => b - a);
  const verb = sign > 0 ? 'sent' : 'received';
  const other = sign > 0 ? 'received' : 'sent';
  return {
    host,
    text: `the hosts of the run ${verb} ${formatRate(excess)} on average that none of them ${other} (${host}: ${formatRate(most)} more than it ${other})`,
  };
}

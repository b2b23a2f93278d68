import { randomInt } from 'node:crypto';
import { z } from 'zod';
import { infrastructure } from '../../base/errors.ts';
import { lastLines } from '../../base/text.ts';
import type { BitsPerSecond } from '../../base/units.ts';
import type { Proof } from '../../experiments/records.ts';
import type { Host } from '../../inventory/inventory-schema.ts';
import { burstBytes } from '../../throttle/link-command.ts';
import { isInBand } from '../../throttle/proof.ts';
import type { Cluster } from '../hosts/cluster.ts';
import { AGENT } from '../hosts/deployment.ts';
import { findDataAddresses, parseAnswer } from '../hosts/facts.ts';

const receivedSchema = z.object({ bitsPerSecond: z.number().nonnegative() });
const sentSchema = z.object({ roundTripMs: z.number().nonnegative().optional() });
const bothSchema = z.object({ received: receivedSchema, sent: sentSchema });

/** What is measured after the bursts have passed. */
const MEASURED_S = 0.4;

/** TCP doubles what it has under way with each round trip: from ten packets to thousands. */
const RAMP_ROUND_TRIPS = 10;

/** More than this under way, in bytes, needs a sender's buffer larger than the probe's own. */
const NEAR_BYTES = 8192;

/** A host whose processors others took for a moment is no slow link: how often a ring that is doubted is probed in all. */
const MOST_RINGS = 4;

/** What reached the next host of the ring, and what small messages waited beside it. */
interface Flow {
  readonly goodputBps: number;
  readonly roundTripMs: number | undefined;
}

/**
 * Proves the ring: all hosts at once in both directions, which is quick but may hinder one by the other. Flows that are not within the
 * band are measured again one direction at a time, at most four times, of which the fastest counts: a slow link is slow each time.
 * Returns the probes and the doubt that is left, null without one. One host has no link to prove.
 */
export async function proveRing(
  cluster: Cluster,
  hosts: readonly Host[],
  {
    judge,
    ...level
  }: {
    readonly rateBps: BitsPerSecond;
    /** What each host adds to what it sends. */
    readonly latencyMs?: number;
    readonly judge: (probes: Proof['probes']) => string | null;
  },
): Promise<{ readonly probes: Proof['probes']; readonly doubt: string | null }> {
  if (hosts.length < 2) return { probes: [], doubt: judge([]) };
  const flows = await probeFlows(cluster, hosts, { ...level, atOnce: true });
  const isDoubtful = ({ name }: Host): boolean => !isInBand(flows.get(name)?.goodputBps ?? 0, level.rateBps);
  for (let ring = 1; ; ring += 1) {
    const probes = probesOf(hosts, flows);
    const doubt = judge(probes);
    const senders = hosts.filter(isDoubtful);
    if (ring > MOST_RINGS || (doubt === null && (ring > 1 || senders.length === 0))) return { probes, doubt };
    for (const [sender, flow] of await probeFlows(cluster, hosts, { ...level, atOnce: false, senders })) {
      const before = ring === 1 ? 0 : (flows.get(sender)?.goodputBps ?? 0);
      flows.set(sender, { ...flow, goodputBps: Math.max(flow.goodputBps, before) });
    }
  }
}

/** A host of the ring and the next one, and where that one listens. */
interface Pair {
  readonly sender: Host;
  readonly receiver: Host;
  readonly address: string;
}

interface RingOptions {
  readonly rateBps: BitsPerSecond;
  readonly latencyMs?: number;
  readonly atOnce: boolean;
}

/** Goodput of every host's link in both directions, bits per second, and what small messages wait beside it. */
export async function probeRing(
  cluster: Cluster,
  hosts: readonly Host[],
  options: RingOptions,
): Promise<Proof['probes']> {
  return probesOf(hosts, await probeFlows(cluster, hosts, options));
}

/**
 * The flows from some hosts of a ring (or all) to the next one, by sender. Unless all is done at once, a host sends and receives in
 * different rounds, because acknowledgements that queue behind a host's own data would halve the rate of both.
 */
async function probeFlows(
  cluster: Cluster,
  hosts: readonly Host[],
  { rateBps, latencyMs = 0, atOnce, senders = hosts }: RingOptions & { readonly senders?: readonly Host[] },
): Promise<Map<string, Flow>> {
  const addresses = await findDataAddresses(cluster, hosts);
  const received = new Map<string, number>();
  const roundTrips = new Map<string, number>();
  const wanted = (atOnce ? [ringOf(hosts)] : rounds(hosts)).map((pairs) =>
    pairs.filter(([sender]) => senders.includes(sender)),
  );
  for (const pairs of wanted) {
    // Both ends must agree on a port before either runs; one that is taken is another one the next time.
    const round = pairs.map(([sender, receiver]): Pair => {
      return { sender, receiver, address: `${addresses.get(receiver.name)}:${randomInt(20_000, 30_000)}` };
    });
    await cluster.onEach([...new Set(pairs.flat())], async (_, host) => {
      const to = round.find(({ sender }) => sender === host);
      const from = round.find(({ receiver }) => receiver === host);
      const { goodputBps, roundTripMs } = await probeEnd(cluster, host, { to, from, rateBps, latencyMs });
      if (from && goodputBps !== undefined) received.set(from.sender.name, goodputBps);
      if (roundTripMs !== undefined) roundTrips.set(host.name, roundTripMs);
    });
  }
  return new Map(
    [...received].map(([name, goodputBps]) => [name, { goodputBps, roundTripMs: roundTrips.get(name) }] as const),
  );
}

function probesOf(hosts: readonly Host[], flows: ReadonlyMap<string, Flow>): Proof['probes'] {
  const flowOf = (sender: Host | undefined): Flow => {
    const flow = sender && flows.get(sender.name);
    if (flow === undefined) throw new Error(`no probe came from ${sender?.name}`);
    return flow;
  };
  return hosts.map((host, index) => {
    const { goodputBps: outBps, roundTripMs } = flowOf(host);
    const { goodputBps: inBps } = flowOf(hosts.at(index - 1));
    return { host: host.name, outBps, inBps, ...(roundTripMs !== undefined && { roundTripMs }) };
  });
}

/** Pairs [sender, receiver]. */
function ringOf(hosts: readonly Host[]): readonly (readonly [Host, Host])[] {
  return hosts.map((host, index) => [host, hosts[(index + 1) % hosts.length] as Host] as const);
}

/** The ring's pairs in two rounds without a common host (three where the ring is odd). */
export function rounds(hosts: readonly Host[]): readonly (readonly (readonly [Host, Host])[])[] {
  const pairs = ringOf(hosts);
  const last = hosts.length % 2 === 1 ? pairs.length - 1 : pairs.length;
  const pick = (wanted: (index: number) => boolean) => pairs.filter((_, index) => wanted(index));
  return [
    pick((index) => index < last && index % 2 === 0),
    pick((index) => index < last && index % 2 === 1),
    pick((index) => index >= last),
  ].filter((round) => round.length > 0);
}

/** What a host does in a round: as a receiver it has the goodput, as a sender the round trips. */
async function probeEnd(
  cluster: Cluster,
  host: Host,
  {
    to,
    from,
    rateBps,
    latencyMs,
  }: {
    readonly to?: Pair | undefined;
    readonly from?: Pair | undefined;
    readonly rateBps: BitsPerSecond;
    readonly latencyMs: number;
  },
): Promise<{ readonly goodputBps?: number | undefined; readonly roundTripMs?: number | undefined }> {
  // Both ends' classes and the link itself let a burst pass.
  const warmBytes = 3 * burstBytes(rateBps);
  const rampS = (RAMP_ROUND_TRIPS * 2 * latencyMs) / 1000;
  const warmS = (warmBytes * 8) / rateBps + rampS;
  const underWay = ((rateBps / 8) * 2 * latencyMs) / 1000;
  const far = [...(rampS > 0 ? ['--warm-seconds', rampS.toFixed(3)] : []), ...(underWay > NEAR_BYTES ? ['--far'] : [])];
  const seconds = warmS + MEASURED_S;
  const result = await cluster
    .on(host)
    .exec(
      [
        ...[cluster.remotePath(AGENT), 'probe', ...(to && from ? ['--both'] : [])],
        ...(from ? ['--listen', from.address] : []),
        ...(to ? ['--connect', to.address] : []),
        ...['--seconds', seconds.toFixed(3), '--ping-after', warmS.toFixed(3), '--warm-bytes', String(warmBytes)],
        ...far,
      ],
      { timeoutMs: seconds * 1000 + 20_000 },
    );
  if (result.exitCode !== 0) {
    const { sender, receiver } = to ?? from ?? { sender: host, receiver: host };
    throw infrastructure(
      `The bandwidth probe from ${sender.name} to ${receiver.name} failed: ${lastLines(result.stderr, 1)}`,
      { host: host.name },
    );
  }
  const answer = <T>(schema: z.ZodType<T>): T =>
    parseAnswer(result.stdout, { host: host.name, what: 'its bandwidth probe', schema });
  const { received, sent } =
    to && from ? answer(bothSchema) : { received: from && answer(receivedSchema), sent: to && answer(sentSchema) };
  return { goodputBps: received?.bitsPerSecond, roundTripMs: sent?.roundTripMs };
}

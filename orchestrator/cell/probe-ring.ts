import { randomInt } from 'node:crypto';
import { z } from 'zod';
import { type BitsPerSecond, PredictError, quoteAll } from '../../base/index.ts';
import type { Proof } from '../../experiments/index.ts';
import type { Host } from '../../inventory/index.ts';
import { burstBytes } from '../../throttle/index.ts';
import type { Cluster } from '../cluster.ts';
import { AGENT } from '../deployment.ts';
import { dataAddresses } from '../facts.ts';
import { lastLines } from '../ssh/index.ts';

const endSchema = z.object({ bitsPerSecond: z.number() });
const probeSchema = z.object({ received: endSchema, sent: endSchema });

/** What is measured after the bursts have passed. */
const MEASURED_S = 0.5;

/** Every host sends to the next one at once, so that each link carries both directions; goodput in bits per second. */
export async function probeRing(
  cluster: Cluster,
  hosts: readonly Host[],
  rateBps: BitsPerSecond,
): Promise<Proof['probes']> {
  const addresses = await dataAddresses(cluster, hosts);
  // Both ends' classes and the link itself let a burst pass.
  const warmBytes = 3 * burstBytes(rateBps);
  const seconds = (warmBytes * 8) / rateBps + MEASURED_S;
  const port = randomInt(20_000, 30_000);
  const received = new Map<string, number>();
  const next = (index: number): Host => hosts[(index + 1) % hosts.length] as Host;
  await cluster.onEach(hosts, async (session, host) => {
    const address = (name: string): string => `${addresses.get(name)}:${port}`;
    const result = await session.exec(
      quoteAll([
        ...[cluster.remotePath(AGENT), 'probe', '--both'],
        ...['--listen', address(host.name), '--connect', address(next(hosts.indexOf(host)).name)],
        ...['--seconds', seconds.toFixed(3), '--warm-bytes', String(warmBytes)],
      ]),
      { timeoutMs: seconds * 1000 + 20_000 },
    );
    if (result.exitCode !== 0) {
      throw new PredictError(`The bandwidth probe on ${host.name} failed: ${lastLines(result.stderr, 1)}`, {
        kind: 'infrastructure',
        host: host.name,
      });
    }
    received.set(host.name, probeSchema.parse(JSON.parse(result.stdout)).received.bitsPerSecond);
  });
  // A host's outgoing goodput is what its neighbour received: the sender's own count includes what still queues.
  return hosts.map(({ name }, index) => ({
    host: name,
    outBps: received.get(next(index).name) ?? 0,
    inBps: received.get(name) ?? 0,
  }));
}

import { z } from 'zod';
import { infrastructure, messageOf } from '../../base/errors.ts';
import { shortened } from '../../base/text.ts';
import type { HostFacts } from '../../experiments/store/host-facts.ts';
import type { Host } from '../../inventory/inventory-schema.ts';
import { linkArguments } from '../../throttle/link-command.ts';
import type { Cluster } from './cluster.ts';
import { AGENT } from './deployment.ts';
import { type Executor, execOrFail, hostFault } from './executor.ts';

export interface ProbedHost {
  readonly host: string;
  readonly facts: ToldFacts;
  /** The host's clock minus the controller's, ns; true within `clockErrorNs` (half the round trip). */
  readonly clockOffsetNs: number;
  readonly clockErrorNs: number;
}

/**
 * Facts and clock offset of each host, side by side; the agent must have been deployed. `now` is the controller's clock,
 * CLOCK_REALTIME in ns.
 */
export async function probeHosts(cluster: Cluster, hosts: readonly Host[], now = realtimeNs): Promise<ProbedHost[]> {
  const probed = await cluster.onEach(hosts, (executor) => probe(cluster, executor, now));
  for (const { host, facts } of probed) {
    const [address] = facts.dataAddress?.split('/') ?? [];
    if (address) cluster.addresses.set(host, address);
  }
  return probed;
}

/** Addresses in the data network, by host name. */
export async function findDataAddresses(
  cluster: Cluster,
  hosts: readonly Host[],
): Promise<ReadonlyMap<string, string>> {
  const { addresses } = cluster;
  const missing = hosts.filter(({ name }) => !addresses.has(name));
  if (missing.length > 0) await probeHosts(cluster, missing);
  const without = missing.find(({ name }) => !addresses.has(name));
  if (without) {
    const { interface: name, cidr } = cluster.inventory.network;
    const where = [name, cidr && `the data network ${cidr}`].filter((part) => part !== undefined).join(' in ');
    throw infrastructure(`${without.name} has no address on ${where}: correct network in the inventory.`, {
      host: without.name,
    });
  }
  return addresses;
}

async function probe(cluster: Cluster, executor: Executor, now: () => bigint): Promise<ProbedHost> {
  const { interface: name, cidr: network } = cluster.inventory.network;
  const where = linkArguments({ interface: name, network });
  const sentAt = now();
  const words = [cluster.remotePath(AGENT), 'facts', ...where];
  const result = await execOrFail(executor, words, (said) => `its facts could not be read: ${said}`);
  const receivedAt = now();
  const facts = parseFacts(result.stdout, executor.host);
  return {
    host: executor.host,
    facts,
    clockOffsetNs: Number(BigInt(facts.clock.realtimeNs) - (sentAt + receivedAt) / 2n),
    clockErrorNs: Number((receivedAt - sentAt) / 2n),
  };
}

/** Realtime in ns: performance's origin keeps the sub-millisecond part. */
function realtimeNs(): bigint {
  return BigInt(Math.round((performance.timeOrigin + performance.now()) * 1000)) * 1000n;
}

/** What predict-agent says about its host; fields that only people read pass through unchecked. */
const hostFactsSchema = z.looseObject({
  hostname: z.string(),
  kernel: z.string(),
  cores: z.int().positive(),
  memoryBytes: z.coerce.number().nonnegative(),
  dataInterface: z.string().nullable(),
  dataAddress: z.string().nullable(),
  clock: z.looseObject({ realtimeNs: z.string().regex(/^\d{1,19}$/, 'it is not a number of nanoseconds') }),
  tools: z.record(z.string(), z.string().nullable()),
  /** Whether systemd manages the host's services: it restores a link when no process of predict is left to do so. */
  systemd: z.boolean(),
  cpuQuota: z.number().nullable().optional(),
  interfaces: z
    .array(z.looseObject({ name: z.string(), mtu: z.number(), speedMbit: z.number().nullable() }))
    .default([]),
  dataQdisc: z.string().nullable().default(null),
  defaultQdisc: z.string().nullable().default(null),
  congestionControl: z.string().nullable().default(null),
});
type ToldFacts = z.infer<typeof hostFactsSchema>;

/** The facts in what the agent on `host` printed. Errors: infrastructure. */
export function parseFacts(text: string, host: string): ToldFacts {
  return parseAnswer(text, { host, what: 'its facts', schema: hostFactsSchema });
}

/** What a campaign keeps of what a host told. */
export function factsToKeep(told: ToldFacts): { [name in keyof HostFacts]-?: NonNullable<HostFacts[name]> | null } {
  const { kernel, cores, memoryBytes, dataInterface, cpuQuota = null, defaultQdisc, congestionControl } = told;
  const data = told.interfaces.find(({ name }) => name === dataInterface);
  return {
    ...{ kernel, cores, memoryBytes, dataInterface, cpuQuota },
    ...{ mtu: data?.mtu ?? null, speedMbit: data?.speedMbit ?? null },
    ...{ qdisc: told.dataQdisc, defaultQdisc, congestionControl },
  };
}

/**
 * The JSON that a program of ours printed on `host`, as its schema has it; `what` begins the sentence of errors, after the host.
 * Errors: infrastructure that says what stands in the way.
 */
export function parseAnswer<T>(
  text: string,
  { host, what, schema }: { readonly host: string; readonly what: string; readonly schema: z.ZodType<T> },
): T {
  const refuse = (why: string, cause?: unknown) => hostFault(host, `${what} could not be read: ${why}.`, cause);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw refuse(`'${shortened(text.trim())}' is not JSON (${shortened(messageOf(error))})`, error);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const message = shortened(issue?.message ?? '', 120).replace(/^Invalid input: /, '');
  throw refuse(`${shortened(issue?.path.join('.') || 'the whole reply')} is wrong (${message})`, parsed.error);
}

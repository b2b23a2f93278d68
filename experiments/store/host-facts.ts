import { z } from 'zod';
import { groupBy, own } from '../../base/lists.ts';
import { sameOfHosts } from '../../base/text.ts';
import type { Campaign } from './campaign.ts';

const fact = z.string().optional().catch(undefined);
const amount = z.number().positive().optional().catch(undefined);

/** What set-up found out about a host, as far as it could tell; a campaign may be older than a fact. Others are passed over. */
const hostFactsSchema = z
  .object({
    kernel: fact,
    cores: amount,
    memoryBytes: amount,
    dataInterface: fact,
    /** Cores that a control group leaves. */
    cpuQuota: amount,
    /** Bytes of a packet on the data interface. */
    mtu: amount,
    /** What the data interface says of itself, Mbit/s. */
    speedMbit: amount,
    /** At the root of the data interface before anything was throttled. */
    qdisc: fact,
    /** net.core.default_qdisc */
    defaultQdisc: fact,
    /** net.ipv4.tcp_congestion_control */
    congestionControl: fact,
  })
  .catch({});
export type HostFacts = z.infer<typeof hostFactsSchema>;

interface FactsOfHost<Facts = { readonly [name in keyof HostFacts]?: HostFacts[name] | null }> {
  readonly name: string;
  readonly facts: Facts;
}

/** The facts of a campaign's hosts, in its order. */
export function parseHostFacts({ inventory }: Pick<Campaign, 'inventory'>): FactsOfHost<HostFacts>[] {
  return inventory.hosts.map(({ name, facts }) => ({ name, facts: hostFactsSchema.parse(facts ?? {}) }));
}

/** What changes a measurement where hosts or sweeps differ in it, as sentences name it. */
const COMPARED = {
  kernel: 'kernel',
  cores: 'number of cores',
  mtu: 'MTU',
  speedMbit: 'link speed in Mbit/s',
  qdisc: 'qdisc of the data interface',
  defaultQdisc: 'default qdisc',
  congestionControl: 'TCP congestion control',
} as const satisfies { readonly [name in keyof HostFacts]?: string };

const NAMES = Object.keys(COMPARED) as (keyof typeof COMPARED)[];

/** Hosts that differ from most others in a fact, a sentence for each fact and value. */
export function findOddHosts(hosts: readonly FactsOfHost[]): string[] {
  const said = NAMES.flatMap((name) => {
    const known = hosts.flatMap(({ name: host, facts }) => {
      const value = facts[name] ?? null;
      return value === null ? [] : [{ host, value }];
    });
    const alike = groupBy(known, ({ value }) => String(value)).sort((a, b) => b.length - a.length);
    const usual = alike[0]?.[0]?.value;
    return alike.slice(1).flatMap((group) =>
      group.map(({ host, value }) => ({
        host,
        message: `${host}: the ${COMPARED[name]} is ${value}, but ${usual} on ${alike.length > 2 ? 'most' : 'the other'} hosts.`,
      })),
    );
  });
  return sameOfHosts(said);
}

/** Hosts that are no longer as they were when a campaign began, a sentence for each fact and change. */
export function findChangedHosts(before: readonly FactsOfHost[], now: readonly FactsOfHost[]): string[] {
  const known = Object.fromEntries(before.map(({ name, facts }) => [name, facts]));
  const said = NAMES.flatMap((name) =>
    now.flatMap(({ name: host, facts }) => {
      const [old, value] = [own(known, host)?.[name] ?? null, facts[name] ?? null];
      if (old === null || value === null || old === value) return [];
      const message = `${host}: the ${COMPARED[name]} is ${value}, but was ${old} when cells of this campaign were measured.`;
      return [{ host, message }];
    }),
  );
  return sameOfHosts(said);
}

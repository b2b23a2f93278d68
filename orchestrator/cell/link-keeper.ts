import { type BitsPerSecond, infrastructure, type Percent, rateOf } from '../../base/index.ts';
import type { Proof } from '../../experiments/index.ts';
import type { Host } from '../../inventory/index.ts';
import { judgeFreeProbes, judgeProbes, type Lease } from '../../throttle/index.ts';
import { type Every, every } from '../every.ts';
import type { Cluster } from '../hosts/cluster.ts';
import { clearLinks, type LinkStates, renewLinks, showLinks, throttleLinks } from '../hosts/throttle-hosts.ts';
import { probeRing } from './probe-ring.ts';

interface ProvenLevel {
  /** The enforced rate; null at 100 %, where nothing of ours is on the link. */
  readonly rateBps: BitsPerSecond | null;
  readonly states: LinkStates;
  readonly probes: Proof['probes'];
}

/**
 * The links of the hosts in use: sets and proves a level, keeps its lease alive, and releases what it set. One per
 * controller; the hosts' locks must be held.
 */
export class LinkKeeper {
  readonly #cluster: Cluster;
  readonly #lease: Lease;
  #level: { readonly hosts: readonly Host[]; readonly bw: Percent; readonly probes: Proof['probes'] } | undefined;
  /** Every host on which a throttle of ours may be. */
  readonly #throttled = new Map<string, Host>();
  readonly #every: Every;
  #stopRenewal: (() => void) | undefined;

  constructor(cluster: Cluster, options: { readonly lease: Lease; readonly every?: Every | undefined }) {
    this.#cluster = cluster;
    this.#lease = options.lease;
    this.#every = options.every ?? every;
  }

  /** Brings the hosts to `bw` percent of the line rate and proves a new level by probes; hosts outside are released. */
  async set(hosts: readonly Host[], bw: Percent): Promise<ProvenLevel> {
    const lineRate = this.#cluster.inventory.lineRate;
    const rateBps = bw < 100 ? rateOf(lineRate, bw) : null;
    const current = this.#level;
    if (current && current.bw === bw && sameHosts(current.hosts, hosts)) {
      return { rateBps, probes: current.probes, states: await showLinks(this.#cluster, hosts) };
    }
    this.#level = undefined;
    const names = new Set(hosts.map(({ name }) => name));
    const outside = [...this.#throttled.values()].filter(({ name }) => rateBps === null || !names.has(name));
    if (outside.length > 0) await this.#clear(outside);
    if (rateBps !== null) {
      for (const host of hosts) this.#throttled.set(host.name, host);
      await throttleLinks(this.#cluster, hosts, rateBps, this.#lease);
      this.#stopRenewal ??= this.#every((this.#lease.seconds * 1000) / 3, () => void this.#renew());
    }
    const probes = hosts.length > 1 ? await probeRing(this.#cluster, hosts, rateBps ?? lineRate) : [];
    const doubt = rateBps === null ? judgeFreeProbes(probes, lineRate) : judgeProbes(probes, rateBps);
    if (doubt !== null) throw infrastructure(`The bandwidth at ${bw} % is not proved: ${doubt}.`);
    this.#level = { hosts, bw, probes };
    return { rateBps, probes, states: await showLinks(this.#cluster, hosts) };
  }

  /** Forgets that a level was proved, so that the next run proves it again. */
  doubt(): void {
    this.#level = undefined;
  }

  /** Restores every link that this keeper throttled. */
  async release(): Promise<void> {
    this.#stopRenewal?.();
    this.#stopRenewal = undefined;
    this.#level = undefined;
    await this.#clear([...this.#throttled.values()]);
  }

  async #clear(hosts: readonly Host[]): Promise<void> {
    await clearLinks(this.#cluster, hosts);
    for (const { name } of hosts) this.#throttled.delete(name);
  }

  /** A renewal that fails is not an error yet: if the lease runs out, the run that it cut into fails its proof. */
  async #renew(): Promise<void> {
    const hosts = [...this.#throttled.values()];
    await renewLinks(this.#cluster, hosts, this.#lease).catch(() => this.doubt());
  }
}

function sameHosts(a: readonly Host[], b: readonly Host[]): boolean {
  return a.length === b.length && a.every((host, index) => host.name === b[index]?.name);
}

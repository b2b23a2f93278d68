import { infrastructure } from '../../base/errors.ts';
import { type BitsPerSecond, type Percent, rateOf } from '../../base/units.ts';
import type { Proof } from '../../experiments/records.ts';
import type { Host } from '../../inventory/inventory-schema.ts';
import type { Lease, LinkLevel } from '../../throttle/link-command.ts';
import { isRate, isShownLatency, judgeFreeProbes, judgeLatency, judgeProbes } from '../../throttle/proof.ts';
import type { Cluster } from '../hosts/cluster.ts';
import { clearLinks, type LinkStates, renewLinks, showLinks, throttleLinks } from '../hosts/throttle-hosts.ts';
import { type Every, every } from '../waiting.ts';
import { proveRing } from './probe-ring.ts';

interface ProvenLevel {
  /** The enforced rate; null at 100 % without a latency, where nothing of ours is on the link. */
  readonly rateBps: BitsPerSecond | null;
  /** What each host adds to what it sends. */
  readonly latencyMs: number;
  readonly states: LinkStates;
  readonly probes: Proof['probes'];
  /** False where it was proved before, and the links are still so. */
  readonly isNew: boolean;
}

interface Proved {
  readonly hosts: readonly Host[];
  readonly bw: Percent;
  readonly latencyMs: number;
  readonly probes: Proof['probes'];
}

/**
 * The links of the hosts in use: sets and proves a level, keeps its lease alive while a cell is measured, and releases
 * what it set. One per controller; the hosts' locks must be held.
 */
export class LinkKeeper {
  readonly #cluster: Cluster;
  readonly #lease: Lease;
  #level: Proved | undefined;
  /** Every host on which a throttle of ours may be. */
  readonly #throttled = new Map<string, Host>();
  readonly #left = new Map<string, Host>();
  readonly #every: Every;
  #released = false;
  /** Ends the renewals of the task that runs. */
  #stopRenewal: () => void = () => undefined;

  constructor(cluster: Cluster, options: { readonly lease: Lease; readonly every?: Every | undefined }) {
    this.#cluster = cluster;
    this.#lease = options.lease;
    this.#every = options.every ?? every;
  }

  /**
   * Brings the hosts to `bw` percent of the line rate and to a latency, and proves a new level by probes; hosts outside are released.
   */
  async set(hosts: readonly Host[], bw: Percent, latencyMs = 0): Promise<ProvenLevel> {
    this.#refuseIfReleased();
    const { lineRate, accept } = this.#cluster.inventory;
    const rateBps = bw < 100 || latencyMs > 0 ? rateOf(lineRate, bw) : null;
    const current = this.#level;
    if (current && current.bw === bw && current.latencyMs === latencyMs && sameHosts(current.hosts, hosts)) {
      const states = await (rateBps === null
        ? showLinks(this.#cluster, hosts)
        : renewLinks(this.#cluster, hosts, this.#lease));
      if (rateBps === null ? areFree(states) : areKept(states, { rateBps, latencyMs })) {
        return { rateBps, latencyMs, probes: current.probes, states, isNew: false };
      }
    }
    this.#level = undefined;
    for (const host of hosts) if (this.#left.delete(host.name)) this.#throttled.set(host.name, host);
    const names = new Set(hosts.map(({ name }) => name));
    const outside = [...this.#throttled.values()].filter(({ name }) => rateBps === null || !names.has(name));
    const strangers = rateBps === null ? await this.#throttledByOthers(hosts) : [];
    if (outside.length + strangers.length > 0) await this.#clear([...outside, ...strangers]);
    if (rateBps !== null) await this.#throttle(hosts, { rateBps, latencyMs });
    const { probes, doubt } = await proveRing(this.#cluster, hosts, {
      rateBps: rateBps ?? lineRate,
      latencyMs,
      // How much of the full rate is reached is the cluster's own affair, also where a latency is added.
      judge: (ring) =>
        judgeLatency(ring, latencyMs) ??
        (rateBps === null || bw === 100 ? judgeFreeProbes(ring, lineRate, accept) : judgeProbes(ring, rateBps, accept)),
    });
    if (doubt !== null) {
      const added = latencyMs === 0 ? '' : ` with a latency of ${latencyMs} ms`;
      throw infrastructure(
        `The bandwidth of ${bw} %${added} could not be verified: ${doubt}. Correct lineRate in the inventory if it is wrong, or name the host under accept if a slow link is meant.`,
      );
    }
    this.#level = { hosts, bw, latencyMs, probes };
    return { rateBps, latencyMs, probes, states: await showLinks(this.#cluster, hosts), isNew: true };
  }

  /** Restores every link that is throttled, for work that no level is to slow down; the next level is proved anew. */
  async free(): Promise<void> {
    this.#refuseIfReleased();
    if (this.#throttled.size === 0) return;
    this.#level = undefined;
    await this.#clear([...this.#throttled.values()]);
  }

  /** Brings throttled links to the full rate, which is quicker than to restore them, for what is not measured between two levels. */
  async ease(): Promise<void> {
    this.#refuseIfReleased();
    if (this.#throttled.size === 0) return;
    this.#level = undefined;
    const { lineRate: rateBps } = this.#cluster.inventory;
    await this.#throttle([...this.#throttled.values()], { rateBps, latencyMs: 0 });
  }

  /**
   * Does `task` and renews the lease meanwhile, at a third of it, but for no longer than `boundMs`: a controller that is
   * stuck must let the lease run out.
   */
  async during<T>(boundMs: number, task: () => Promise<T>): Promise<T> {
    const periodMs = (this.#lease.seconds * 1000) / 3;
    let left = Math.floor(boundMs / periodMs);
    const stop = this.#every(periodMs, () => {
      left -= 1;
      if (left < 0) stop();
      else void this.#renew();
    });
    this.#stopRenewal = stop;
    try {
      return await task();
    } finally {
      stop();
    }
  }

  /** Leaves the link of a host out of reach to its own keeper until it is used again: other hosts need not wait for it. */
  leave({ name }: Host): void {
    const host = this.#throttled.get(name);
    if (!host) return;
    this.#throttled.delete(name);
    this.#left.set(name, host);
    this.#level = undefined;
  }

  /** Forgets that a level was proved, so that the next run proves it again. */
  doubt(): void {
    this.#level = undefined;
  }

  /** Restores every link that this keeper throttled; it throttles none afterwards. */
  async release(): Promise<void> {
    this.#released = true;
    this.#stopRenewal();
    this.#level = undefined;
    const hosts = new Map([...this.#throttled, ...this.#left]);
    this.#left.clear();
    await this.#clear([...hosts.values()]);
  }

  /** Also when the release comes meanwhile, no link stays throttled. */
  async #throttle(hosts: readonly Host[], level: LinkLevel): Promise<void> {
    this.#refuseIfReleased();
    for (const host of hosts) this.#throttled.set(host.name, host);
    try {
      await throttleLinks(this.#cluster, hosts, level, this.#lease);
    } finally {
      if (this.#released) await this.#clear(hosts);
    }
    this.#refuseIfReleased();
  }

  #refuseIfReleased(): void {
    if (this.#released) throw infrastructure('The links were released because the sweep ended.');
  }

  /** What another controller set while the lock of a host was lost. */
  async #throttledByOthers(hosts: readonly Host[]): Promise<Host[]> {
    const states = await showLinks(this.#cluster, hosts);
    return hosts.filter(({ name }) => !this.#throttled.has(name) && states.get(name)?.state === 'throttled');
  }

  async #clear(hosts: readonly Host[]): Promise<void> {
    await clearLinks(this.#cluster, hosts);
    for (const { name } of hosts) this.#throttled.delete(name);
  }

  /** A renewal that fails is not an error yet: if the lease runs out, the run that it cut into fails its proof. */
  async #renew(): Promise<void> {
    const hosts = [...this.#throttled.values()];
    if (hosts.length === 0) return;
    const kept = await renewLinks(this.#cluster, hosts, this.#lease).then(
      (states) => areKept(states),
      () => false,
    );
    if (!kept) this.doubt();
  }
}

/** Every link is throttled, to this level where one is given, under a lease that a keeper watches. */
function areKept(states: LinkStates, wanted?: LinkLevel): boolean {
  return [...states.values()].every(
    ({ state, expired, keeper, rateBps, latencyMs }) =>
      state === 'throttled' &&
      !expired &&
      keeper &&
      (wanted === undefined || (isRate(rateBps, wanted.rateBps) && isShownLatency(latencyMs, wanted.latencyMs))),
  );
}

function areFree(states: LinkStates): boolean {
  return [...states.values()].every(({ state }) => state === 'free');
}

function sameHosts(a: readonly Host[], b: readonly Host[]): boolean {
  return a.length === b.length && a.every((host, index) => host.name === b[index]?.name);
}

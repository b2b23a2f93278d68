import { infrastructure, messageOf, PredictError } from '../../base/errors.ts';
import { type Host, headOf } from '../../inventory/inventory-schema.ts';
import { within } from '../waiting.ts';
import type { Cluster } from './cluster.ts';

/** Longest wait for a sign of life. */
const SIGN_MS = 5_000;

/** A host that a cell needs is out of reach for good: more tries of this cell are in vain. */
export class HostLost extends PredictError {
  /** It is the host that starts every run. */
  readonly isHead: boolean;

  constructor(message: string, { host, isHead }: { readonly host: string; readonly isHead: boolean }) {
    super(message, { kind: 'infrastructure', host });
    this.isHead = isHead;
  }
}

/** Hosts that were out of reach when they were last asked, and those of them that have cost a cell. */
export class LostHosts {
  readonly #cluster: Cluster;
  readonly #signMs: number;
  /** The host that starts every run; none where each group of hosts has one. */
  readonly #head: Host | null;
  readonly #silent = new Set<string>();
  readonly #costly = new Set<string>();

  constructor(
    cluster: Cluster,
    {
      signMs = SIGN_MS,
      head = headOf(cluster.inventory),
    }: { readonly signMs?: number; readonly head?: Host | null } = {},
  ) {
    this.#cluster = cluster;
    this.#head = head;
    this.#signMs = signMs;
  }

  /** Whether a host gave no sign of life when it was last asked. */
  has({ name }: Host): boolean {
    return this.#silent.has(name);
  }

  /** A cell was given up because of this host: from now on it is asked before each cell that needs it. */
  note({ host }: HostLost): void {
    if (host !== undefined) this.#costly.add(host);
  }

  /** Refuses a cell on these hosts while one that has cost a cell does not answer. */
  async refuse(hosts: readonly Host[]): Promise<void> {
    const lost = await this.find(hosts.filter(({ name }) => this.#costly.has(name)));
    if (lost) throw lost;
  }

  /** Asks hosts for a sign of life, side by side; the first without one, with the reason. */
  async find(hosts: readonly Host[]): Promise<HostLost | null> {
    const why = await Promise.all(hosts.map((host) => this.#silence(host)));
    for (const [index, { name }] of hosts.entries()) {
      if (why[index] === null) this.#silent.delete(name);
      else this.#silent.add(name);
    }
    const first = hosts.findIndex((_, index) => why[index] !== null);
    const host = hosts[first];
    return host ? this.#lost(host, why[first] ?? '') : null;
  }

  async #silence(host: Host): Promise<string | null> {
    const timeoutMs = this.#signMs;
    const late = (): never => {
      throw infrastructure(`${host.name} did not respond within ${timeoutMs / 1000} s.`);
    };
    try {
      const { timedOut } = await within(timeoutMs, this.#cluster.on(host).exec(['true'], { timeoutMs }), late);
      return timedOut ? late() : null;
    } catch (error) {
      return messageOf(error);
    }
  }

  #lost({ name }: Host, why: string): HostLost {
    const isHead = name === this.#head?.name;
    const text = isHead ? `The host that starts every run is unreachable: ${why}` : why;
    return new HostLost(text, { host: name, isHead });
  }
}

import { randomBytes } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import { messageOf, PredictError } from '../../base/errors.ts';
import { byLine } from '../../base/line-reader.ts';
import { joinWords, lastLines } from '../../base/text.ts';
import type { Host } from '../../inventory/inventory-schema.ts';
import { LONGEST_MS, within } from '../waiting.ts';
import type { Cluster } from './cluster.ts';
import { type Executor, hostFault, type RunningCommand } from './executor.ts';
import { LinkOrders } from './link-orders.ts';

const TAKEN = 3;
/** Longest wait for a holder to say that it holds. */
const ANSWER_MS = 60_000;
/** Longest wait for holders to end; the kernel frees what a dead one held. */
const RELEASE_MS = 5_000;
/** Bytes of a line that a login shell may say before the holder speaks. */
const LONGEST_LINE = 65_536;
/** Of what a holder printed, each end, in memory: it is read as it comes. */
const END_BYTES = 4096;

interface LockOptions {
  /** Told why a host's lock is not had, in place of the error: the host goes without. */
  readonly despite?: (reason: string) => void;
  readonly releaseMs?: number;
}

/** Who this controller is, for leases and refusals. */
export function controllerName(task: string): string {
  return `${userName()}@${hostname()} pid ${process.pid} (${task})`;
}

/** A user without an account, as in containers, is known by his number. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.()}`;
  }
}

/**
 * Takes the controllers' lock on every host: a flock held by an agent whose input is this connection, so that it is free
 * again the moment this process or its connection ends. Hosts in use by another controller are a `busy` error.
 */
export async function lockHosts(
  cluster: Cluster,
  hosts: readonly Host[],
  owner: string,
  { despite, releaseMs = RELEASE_MS }: LockOptions = {},
): Promise<HostLocks> {
  const locks = new HostLocks(cluster, hosts, owner, releaseMs);
  try {
    await locks.ensure(hosts, despite);
    return locks;
  } catch (error) {
    await locks.release();
    throw error;
  }
}

/** The locks of one controller. Release them when done. */
export class HostLocks {
  readonly #cluster: Cluster;
  readonly #hosts: readonly Host[];
  readonly #owner: string;
  readonly #releaseMs: number;
  /** Tells this controller's holders from others', also after a connection was lost. */
  readonly #token = randomBytes(16).toString('hex');
  readonly #held = new Map<string, RunningCommand>();
  /** Hosts whose lock was lost and not yet taken again by `ensure`. */
  readonly #lost = new Set<string>();
  /** A host that two runs need is locked once. */
  #last: Promise<void> = Promise.resolve();

  constructor(cluster: Cluster, hosts: readonly Host[], owner: string, releaseMs: number) {
    this.#cluster = cluster;
    this.#hosts = hosts;
    this.#owner = owner;
    this.#releaseMs = releaseMs;
  }

  /** Takes the locks of these hosts that are not held. `busy` where another controller has one. */
  ensure(hosts: readonly Host[] = this.#hosts, despite?: (reason: string) => void): Promise<void> {
    const taken = this.#last.then(() => this.#take(hosts, despite));
    this.#last = taken.catch(() => undefined);
    return taken;
  }

  async #take(hosts: readonly Host[], despite?: (reason: string) => void): Promise<void> {
    const missing = hosts.filter(({ name }) => !this.#held.has(name));
    await this.#cluster.onEach(missing, async (executor, { name }) => {
      try {
        this.#watch(name, await this.#hold(executor));
      } catch (error) {
        if (!despite) throw error;
        despite(messageOf(error));
      }
    });
    for (const { name } of hosts) if (this.#held.has(name)) this.#lost.delete(name);
  }

  /** Why what was done on these hosts since `ensure` may have been disturbed; null where every lock was held. */
  doubt(hosts: readonly Host[] = this.#hosts): string | null {
    const lost = hosts.map(({ name }) => name).filter((name) => this.#lost.has(name));
    if (lost.length === 0) return null;
    return `the lock of ${joinWords(lost)} was lost during the run, so another controller may have used it`;
  }

  /** Lets every lock go, within a bound: a holder that is out of reach ends with its connection. */
  async release(): Promise<void> {
    const holders = [...this.#held.values()];
    this.#held.clear();
    for (const lock of holders) lock.end();
    await within(this.#releaseMs, Promise.allSettled(holders.map(({ done }) => done)), () => []);
  }

  #watch(name: string, lock: RunningCommand): void {
    this.#held.set(name, lock);
    const ended = (): void => {
      if (this.#held.get(name) !== lock) return;
      this.#held.delete(name);
      this.#lost.add(name);
    };
    lock.done.then(ended, ended);
  }

  async #hold(executor: Executor): Promise<RunningCommand> {
    let announce: () => void = () => undefined;
    const announced = new Promise<void>((resolve) => {
      announce = resolve;
    });
    let orders: LinkOrders | undefined;
    // Only the agent knows the token: whatever else a login shell prints is not it.
    const onLine = (line: string): void => {
      if (line.endsWith(`held ${this.#token}`)) announce();
      else orders?.hear(line);
    };
    const args = ['hold', '--token', this.#token, '--owner', this.#owner];
    const running = await this.#cluster.startAsRoot(executor, args, {
      timeoutMs: LONGEST_MS,
      endBytes: END_BYTES,
      onStdout: byLine(onLine, LONGEST_LINE),
    });
    const late = (): never => {
      running.end();
      throw hostFault(executor.host, `the host lock could not be acquired: no reply within ${ANSWER_MS / 1000} s.`);
    };
    const early = await within(ANSWER_MS, Promise.race([announced.then(() => null), running.done]), late);
    if (early === null) {
      orders = new LinkOrders(executor.host, running);
      this.#cluster.ordersBy(orders, { host: executor.host, until: running.done });
      return running;
    }
    const { host } = executor;
    const said = lastLines(early.stderr, 1);
    if (early.exitCode !== TAKEN) throw hostFault(host, `the host lock could not be acquired: ${said}`);
    const holder = said.replace(/^predict-agent hold: /, '');
    throw new PredictError(`${host} is in use by another controller: ${holder}.`, { kind: 'busy', host });
  }
}

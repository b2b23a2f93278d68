import { basename } from 'node:path';
import { programFile } from '../../agents/host-programs.ts';
import { messageOf, PredictError } from '../../base/errors.ts';
import { sameOfHosts } from '../../base/text.ts';
import type { BitsPerSecond } from '../../base/units.ts';
import type { Host, Inventory } from '../../inventory/inventory-schema.ts';
import { openSession } from '../ssh/session.ts';
import {
  type CommandOptions,
  type CommandResult,
  type Executor,
  execOrFail,
  hostFault,
  type OpenExecutor,
  type RunningCommand,
} from './executor.ts';
import {
  type InstalledAgent,
  inGroup,
  installAgent,
  installedAgent,
  lacksPrivilege,
  rootCommand,
} from './installed-agent.ts';
import type { LinkOrders } from './link-orders.ts';
import { type Account, deployFiles, findWorkFolder } from './work-folder.ts';

/** For what a run has left to end. */
const END_MS = 10_000;
/** Connections opened at the same time; more only makes the controller wait on its own cryptography. */
const MOST_AT_ONCE = 64;

/** Which local file a host gets, or which files, by what it is. */
export type FileFor = (account: Account, host: Executor) => string | Promise<string>;
type FilesFor = (account: Account, host: Executor) => Promise<readonly string[]>;

/** What was found out about hosts, for a cluster and its parts. */
interface Known {
  closed: boolean;
  workFolder: string | undefined;
  readonly executors: Map<string, Executor>;
  /** Per host (or once, where the work folder is shared) and set of files. */
  readonly deployments: Map<string, Promise<unknown>>;
  readonly deployed: Set<string>;
  readonly accounts: Map<string, Account>;
  /** What runs as root, by host: hosts may be of several kinds. */
  readonly agents: Map<string, InstalledAgent>;
  /** Hosts on which nothing runs as root, and how the agent is called there. */
  readonly unprivileged: Map<string, string>;
  /** Hosts whose lock is held, and who changes their links therefore. */
  readonly orders: Map<string, LinkOrders>;
}

function nothingKnown(): Known {
  return {
    ...{ closed: false, workFolder: undefined, executors: new Map(), deployments: new Map(), deployed: new Set() },
    ...{ accounts: new Map(), agents: new Map(), unprivileged: new Map(), orders: new Map() },
  };
}

/** The hosts of an inventory with one way to each (an SSH session by default), kept open. Close it when done. */
export class Cluster {
  readonly inventory: Inventory;
  /** Addresses in the data network by host name, as far as they are known. */
  readonly addresses: Map<string, string>;
  /** How links are throttled where the agent may not do it. */
  throttler: Throttler | undefined;
  /** Libraries on the hosts that all ranks have preloaded. */
  readonly preloads: string[];
  readonly #open: OpenExecutor;
  readonly #known: Known;

  constructor(inventory: Inventory, open: OpenExecutor = openSession, whole?: Cluster) {
    this.inventory = inventory;
    this.#open = open;
    this.addresses = whole?.addresses ?? new Map();
    this.throttler = whole?.throttler;
    this.preloads = whole?.preloads ?? [];
    this.#known = whole === undefined ? nothingKnown() : whole.#known;
  }

  /** Some of its hosts as a cluster of their own, over the same connections: a run there knows no others. */
  part(hosts: readonly Host[]): Cluster {
    return new Cluster({ ...this.inventory, hosts }, this.#open, this);
  }

  /** The way to a host (of the inventory or its head). Errors: `infrastructure` once the cluster is closed. */
  on(host: Host): Executor {
    if (this.#known.closed) throw hostFault(host.name, 'its connection was closed.');
    let executor = this.#known.executors.get(host.name);
    if (!executor) {
      executor = this.#open(host, this.inventory);
      this.#known.executors.set(host.name, executor);
    }
    return executor;
  }

  /** Where files are put on hosts, the same path on each; known after `deploy` unless the inventory says it. */
  get workFolder(): string {
    const folder = this.#known.workFolder ?? this.inventory.work.folder;
    if (folder === undefined) throw new Error('the work folder is asked for before anything was deployed');
    return folder;
  }

  remotePath(name: string): string {
    return `${this.workFolder}/${name}`;
  }

  /** Whether something was deployed to a host. */
  has(name: string): boolean {
    return this.#known.deployed.has(name);
  }

  /** Who commands run as on a host that something was deployed to. */
  account(name: string): Account {
    const account = this.#known.accounts.get(name);
    if (!account) throw new Error(`the account on ${name} is asked for before anything was deployed there`);
    return account;
  }

  /** Whether the agent runs as the ssh user on a host, who may look at links there and change none. */
  isUnprivileged(name: string): boolean {
    return this.#known.unprivileged.has(name);
  }

  /**
   * Runs a subcommand of the installed agent as root, or through sudo; as the ssh user where `install` found no other way. One that is not there (see `install`), or that others
   * could have changed, is not run: exit code 27, and stderr says why.
   */
  asRoot(executor: Executor, args: readonly string[], options?: CommandOptions): Promise<CommandResult> {
    const orders = args[0] === 'link' && options === undefined ? this.#known.orders.get(executor.host) : undefined;
    return orders?.give(args) ?? executor.exec(this.#rootCommand(executor, args), options);
  }

  /** From now on until a holder of the lock ends, it is asked to change its host's link. */
  ordersBy(orders: LinkOrders, { host, until }: { readonly host: string; readonly until: Promise<unknown> }): void {
    const { orders: all } = this.#known;
    all.set(host, orders);
    const forget = (): void => void (all.get(host) === orders && all.delete(host));
    until.then(forget, forget);
  }

  /** Like `asRoot`, but leaves the input open until `end`. */
  startAsRoot(executor: Executor, args: readonly string[], options?: CommandOptions): Promise<RunningCommand> {
    return executor.start(this.#rootCommand(executor, args), options);
  }

  /** Words that run in the control group of a run on a host, where the agent may make one: what they leave behind ends with `endRun`. */
  inRun({ name }: Host, run: string, words: readonly string[]): readonly string[] {
    const agent = this.#known.agents.get(name);
    return agent === undefined || this.isUnprivileged(name)
      ? words
      : inGroup(agent, this.account(name).uid, run, words);
  }

  /** Ends whatever is left of a run on these hosts. One that is out of reach does so itself when it has lost this controller. */
  async endRun(hosts: readonly Host[], run: string): Promise<void> {
    const able = hosts.filter(({ name }) => this.#known.agents.has(name) && !this.isUnprivileged(name));
    const end = (executor: Executor) => this.asRoot(executor, ['group', 'end', '--run', run], { timeoutMs: END_MS });
    await this.onEach(able, end).catch(() => undefined);
  }

  #rootCommand(executor: Executor, args: readonly string[]): readonly string[] {
    const own = this.#known.unprivileged.get(executor.host);
    if (own !== undefined) return [own, ...args];
    const agent = this.#known.agents.get(executor.host) ?? installedAgent(programFile('agent'));
    return rootCommand(agent, this.#known.accounts.get(executor.host)?.uid, args);
  }

  /** Those of some hosts that have a work folder of their own: the first alone where all share one. */
  places(hosts: readonly Host[]): readonly Host[] {
    return this.inventory.work.shared ? hosts.slice(0, 1) : hosts;
  }

  /** Removes a file or folder below the work folder. */
  async remove(hosts: readonly Host[], name: string): Promise<void> {
    const path = this.remotePath(name);
    await this.onEach(this.places(hosts), (executor) =>
      execOrFail(executor, ['rm', '-rf', '--', path], (said) => `${path} cannot be removed (${said}).`),
    );
  }

  /** Applies `task` to each host side by side and waits for all; the failures of all hosts become one error. */
  async onEach<T>(hosts: readonly Host[], task: (executor: Executor, host: Host) => Promise<T>): Promise<T[]> {
    const results: T[] = new Array(hosts.length);
    const failures = new Map<number, PredictError>();
    let next = 0;
    const worker = async (): Promise<void> => {
      for (let index = next; index < hosts.length; index = next) {
        next += 1;
        const host = hosts[index] as Host;
        try {
          results[index] = await task(this.on(host), host);
        } catch (error) {
          failures.set(index, error instanceof PredictError ? error : hostFault(host.name, messageOf(error), error));
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(MOST_AT_ONCE, hosts.length) }, worker));
    if (failures.size === 0) return results;
    const inOrder = hosts.flatMap((_, index) => failures.get(index) ?? []);
    throw inOrder.length === 1 ? inOrder[0] : asOne(inOrder);
  }

  /** Makes sure that the files are on the hosts; copied once where the work folder is shared. */
  async deploy(hosts: readonly Host[], wanted: readonly string[] | FilesFor): Promise<void> {
    const { shared } = this.inventory.work;
    await this.onEach(hosts, async (executor, { name }) => {
      const account = await this.#settle(executor);
      const { folder } = account;
      const files = typeof wanted === 'function' ? await wanted(account, executor) : wanted;
      const key = `${shared ? '' : name}:${files.join(':')}`;
      const running = this.#known.deployments.get(key) ?? deployFiles(executor, files, folder);
      this.#known.deployments.set(key, running);
      running.catch(() => this.#known.deployments.delete(key));
      await running;
      this.#known.deployed.add(name);
    });
  }

  /**
   * Puts the agent, which must have been deployed, where root alone can change it, so that `asRoot` can run it. With
   * `orAsUser` a host whose ssh user may not have that goes without root.
   */
  async install(hosts: readonly Host[], fileFor: FileFor, { orAsUser = false } = {}): Promise<void> {
    await this.onEach(hosts, async (executor, { name }) => {
      const account = this.account(name);
      const file = await fileFor(account, executor);
      const agent = installedAgent(file);
      const source = this.remotePath(basename(file));
      try {
        await installAgent(executor, { source, agent, account });
        this.#known.unprivileged.delete(name);
      } catch (error) {
        if (!orAsUser || !lacksPrivilege(error)) throw error;
        this.#known.unprivileged.set(name, source);
      }
      this.#known.agents.set(name, agent);
    });
  }

  /** Finds the host's work folder, once; MPI needs the same path on all hosts. */
  async #settle(executor: Executor): Promise<Account> {
    const known = this.#known.accounts.get(executor.host);
    if (known) return known;
    const account = await findWorkFolder(executor, this.inventory.work.folder);
    this.#known.workFolder ??= account.folder;
    if (account.folder !== this.#known.workFolder) {
      throw hostFault(
        executor.host,
        `the work folder is ${account.folder}, but ${this.#known.workFolder} on other hosts. Set work.folder in the inventory to the same path for all hosts.`,
      );
    }
    this.#known.accounts.set(executor.host, account);
    return account;
  }

  /** For good: whoever still works on the hosts cannot open a connection that nobody would close. */
  close(): void {
    this.#known.closed = true;
    for (const executor of this.#known.executors.values()) executor.close();
    this.#known.executors.clear();
  }
}

/** The failures of several hosts; its kind is that of the first. */
function asOne(failures: readonly PredictError[]): PredictError {
  const [first] = failures;
  return new PredictError(sameOfHosts(failures).join('\n'), {
    kind: first?.kind ?? 'infrastructure',
    details: { hosts: failures.map(({ host }) => host) },
    cause: first,
  });
}

/** Another way to throttle links than the agent as root on each host. */
export interface Throttler {
  set(hosts: readonly Host[], rateBps: BitsPerSecond): Promise<void>;
  /** Whatever it has set is gone then. */
  clear(): Promise<void>;
}

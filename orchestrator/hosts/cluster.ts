import { infrastructure, messageOf, PredictError, quote, quoteAll } from '../../base/index.ts';
import type { Host, Inventory } from '../../inventory/index.ts';
import { openSession } from '../ssh/index.ts';
import { deployFiles } from './deploy-files.ts';
import { AGENT } from './deployment.ts';
import type { CommandOptions, CommandResult, Executor, OpenExecutor } from './executor.ts';

/** Connections opened at the same time; more only makes the controller wait on its own cryptography. */
const MOST_AT_ONCE = 64;

/** The hosts of an inventory with one way to each (an SSH session by default), kept open. Close it when done. */
export class Cluster {
  readonly inventory: Inventory;
  /** Addresses in the data network by host name, as far as they are known. */
  readonly addresses = new Map<string, string>();
  readonly #open: OpenExecutor;
  readonly #executors = new Map<string, Executor>();
  /** Per host (or once, where the work folder is shared) and set of files. */
  readonly #deployments = new Map<string, Promise<unknown>>();

  constructor(inventory: Inventory, open: OpenExecutor = openSession) {
    this.inventory = inventory;
    this.#open = open;
  }

  /** The way to a host (of the inventory or its head). */
  on(host: Host): Executor {
    let executor = this.#executors.get(host.name);
    if (!executor) {
      executor = this.#open(host, this.inventory);
      this.#executors.set(host.name, executor);
    }
    return executor;
  }

  /** Where files are put on hosts. */
  remotePath(name: string): string {
    return `${this.inventory.work.folder}/${name}`;
  }

  /** Runs the deployed agent as root: as it is for root, through passwordless sudo otherwise. */
  asRoot(executor: Executor, args: readonly string[], options?: CommandOptions): Promise<CommandResult> {
    const command = quoteAll([this.remotePath(AGENT), ...args]);
    return executor.exec(`if [ "$(id -u)" = 0 ]; then exec ${command}; else exec sudo -n ${command}; fi`, options);
  }

  /** Removes files or folders below the work folder. */
  async remove(hosts: readonly Host[], name: string): Promise<void> {
    const command = `rm -rf ${quote(this.remotePath(name))}`;
    const places = this.inventory.work.shared ? hosts.slice(0, 1) : hosts;
    await this.onEach(places, (executor) => executor.exec(command));
  }

  /** Applies `task` to each host side by side and waits for all; the failures of all hosts become one error. */
  async onEach<T>(hosts: readonly Host[], task: (executor: Executor, host: Host) => Promise<T>): Promise<T[]> {
    const results: T[] = new Array(hosts.length);
    const failures: PredictError[] = [];
    let next = 0;
    const worker = async (): Promise<void> => {
      for (let index = next; index < hosts.length; index = next) {
        next += 1;
        const host = hosts[index] as Host;
        try {
          results[index] = await task(this.on(host), host);
        } catch (error) {
          failures.push(error instanceof PredictError ? error : asFault(host, error));
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(MOST_AT_ONCE, hosts.length) }, worker));
    const first = failures[0];
    if (!first) return results;
    if (failures.length === 1) throw first;
    throw new PredictError(failures.map((failure) => failure.message).join('\n'), {
      kind: first.kind,
      details: { hosts: failures.map((failure) => failure.host) },
      cause: first,
    });
  }

  /** Makes sure that the files are on the hosts; copied once where the work folder is shared. */
  async deploy(hosts: readonly Host[], files: readonly string[]): Promise<void> {
    const { folder, shared } = this.inventory.work;
    await this.onEach(hosts, (executor, { name }) => {
      const key = `${shared ? '' : name}:${files.join(':')}`;
      const running = this.#deployments.get(key) ?? deployFiles(executor, files, folder);
      this.#deployments.set(key, running);
      running.catch(() => this.#deployments.delete(key));
      return running;
    });
  }

  close(): void {
    for (const executor of this.#executors.values()) executor.close();
    this.#executors.clear();
  }
}

function asFault(host: Host, error: unknown): PredictError {
  return infrastructure(`${host.name}: ${messageOf(error)}`, { host: host.name, cause: error });
}

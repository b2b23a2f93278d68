import { messageOf, PredictError, quote } from '../../base/index.ts';
import { type Host, type Inventory, resolveTarget } from '../../inventory/index.ts';
import type { DataLink } from '../../throttle/index.ts';
import { type CommandOptions, type CommandResult, deploy, ROOT_SHELL, Session } from '../ssh/index.ts';

/** Connections opened at the same time; more only makes the controller wait on its own cryptography. */
const MOST_AT_ONCE = 64;

/** The hosts of an inventory with one kept-open SSH session each. Close it when done. */
export class Cluster {
  readonly inventory: Inventory;
  readonly #sessions = new Map<string, Session>();
  /** Per host (or once, where the work folder is shared) and set of files. */
  readonly #deployments = new Map<string, Promise<unknown>>();

  constructor(inventory: Inventory) {
    this.inventory = inventory;
  }

  /** The session of a host (of the inventory or its head). */
  session(host: Host): Session {
    let session = this.#sessions.get(host.name);
    if (!session) {
      session = new Session(resolveTarget(host, this.inventory));
      this.#sessions.set(host.name, session);
    }
    return session;
  }

  get head(): Host | undefined {
    return this.inventory.mpi.head;
  }

  /** The data link of a session's host; its SSH port is what the throttle exempts. */
  dataLink(session: Session): DataLink {
    const { interface: name, cidr } = this.inventory.network;
    return { interface: name, network: cidr, sshPort: session.port };
  }

  /** Where files are put on hosts. */
  remotePath(name: string): string {
    return `${this.inventory.work.folder}/${name}`;
  }

  /** Runs a command on hosts side by side; a host that cannot be reached rejects. */
  exec(hosts: readonly Host[], command: string, options: CommandOptions = {}): Promise<CommandResult[]> {
    return this.onEach(hosts, (session) => session.exec(command, options));
  }

  /** Runs a script for a data link as root (or through passwordless sudo) on hosts side by side, one round trip each. */
  linkScript(hosts: readonly Host[], script: (link: DataLink) => string): Promise<CommandResult[]> {
    return this.onEach(hosts, (session) => session.exec(ROOT_SHELL, { input: script(this.dataLink(session)) }));
  }

  /** Removes files or folders below the work folder. */
  async remove(hosts: readonly Host[], name: string): Promise<void> {
    const command = `rm -rf ${quote(this.remotePath(name))}`;
    await this.exec(this.inventory.work.shared ? hosts.slice(0, 1) : hosts, command);
  }

  /** Applies `task` to each host's session side by side and waits for all; the failures of all hosts become one error. */
  async onEach<T>(hosts: readonly Host[], task: (session: Session, host: Host) => Promise<T>): Promise<T[]> {
    const results: T[] = new Array(hosts.length);
    const failures: PredictError[] = [];
    let next = 0;
    const worker = async (): Promise<void> => {
      for (let index = next; index < hosts.length; index = next) {
        next += 1;
        const host = hosts[index] as Host;
        try {
          results[index] = await task(this.session(host), host);
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
    await this.onEach(hosts, (session, { name }) => {
      const key = `${shared ? '' : name}:${files.join(':')}`;
      const running = this.#deployments.get(key) ?? deploy(session, files, folder);
      this.#deployments.set(key, running);
      running.catch(() => this.#deployments.delete(key));
      return running;
    });
  }

  close(): void {
    for (const session of this.#sessions.values()) session.close();
    this.#sessions.clear();
  }
}

function asFault(host: Host, error: unknown): PredictError {
  return new PredictError(`${host.name}: ${messageOf(error)}`, {
    kind: 'infrastructure',
    host: host.name,
    cause: error,
  });
}

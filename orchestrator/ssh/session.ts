import { randomUUID } from 'node:crypto';
import type { ClientChannel } from 'ssh2';
import { messageOf, PredictError } from '../../base/errors.ts';
import { resolveTarget, type SshTarget } from '../../inventory/ssh-target.ts';
import type { ControllerTraffic } from '../../throttle/state.ts';
import {
  type CommandOptions,
  type CommandResult,
  type Executor,
  hostFault,
  type OpenExecutor,
  type RunningCommand,
} from '../hosts/executor.ts';
import { unless, unlessAborted, type WaitEnd } from '../waiting.ts';
import { type Connection, connect } from './connect.ts';
import { BOUNDS, type Bounds } from './output.ts';
import { announcing, runCommand } from './run-command.ts';
import { TrafficMeter } from './traffic-meter.ts';
import { fetchFile, sendFile } from './transfer.ts';

/** The way to a host over SSH, as the inventory and ssh_config say. */
export const openSession: OpenExecutor = (host, inventory) => new Session(resolveTarget(host, inventory));

/** One host's connection, opened at first use, kept open, and opened anew after it was lost, until it is closed. */
export class Session implements Executor {
  readonly host: string;
  readonly #target: SshTarget;
  readonly #bounds: Bounds;
  readonly #token = randomUUID();
  readonly #ending = new AbortController();
  readonly #meter = new TrafficMeter();
  #connection: Promise<Connection> | undefined;

  constructor(target: SshTarget, bounds: Bounds = BOUNDS) {
    this.#target = target;
    this.#bounds = bounds;
    this.host = target.host;
  }

  get sshPort(): number {
    return this.#target.port;
  }

  get traffic(): ControllerTraffic {
    return this.#meter.traffic;
  }

  /** How long one step of a file's transfer may take. */
  get transferMs(): number {
    return this.#bounds.transferMs;
  }

  async exec(words: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
    const running = await this.start(words, options);
    running.end();
    return running.done;
  }

  async start(words: readonly string[], options: CommandOptions = {}): Promise<RunningCommand> {
    const { input, signal } = options;
    if (signal?.aborted) throw new PredictError('Interrupted.', { kind: 'interrupted' });
    const started = performance.now();
    const connection = await unlessAborted(this.#open(), signal);
    const [host, token, bounds] = [this.host, this.#token, this.#bounds];
    const answer = new Promise<RunningCommand>((resolve, reject) => {
      const take = (channel: ClientChannel): void => {
        // Listeners must be there before this call returns: one packet may carry the output, the status and the end.
        const done = runCommand(channel, { host, token, connection, bounds, options, started });
        // Whoever waits for it still sees the failure; nobody may be waiting yet, or any more.
        done.catch(() => undefined);
        if (input !== undefined) channel.write(input);
        const write = (text: string): void => {
          if (channel.writable) channel.write(text);
        };
        resolve({ done, write, end: () => void channel.end() });
      };
      try {
        connection.client.exec(announcing(token, words), (error, channel) => {
          if (error) reject(this.#fault(error.message));
          else take(channel);
        });
      } catch (error) {
        // The library throws when its socket is not writable any more.
        connection.close(messageOf(error));
      }
    });
    const late = `the reply to a request did not come within ${bounds.openMs / 1000} s`;
    const timer = setTimeout(() => connection.close(late), bounds.openMs);
    const isLost: WaitEnd = (fail) => connection.whenLost((why) => fail(this.#fault(why)));
    return unless(answer, isLost).finally(() => clearTimeout(timer));
  }

  send(path: string, remote: string): Promise<void> {
    return sendFile(this, path, remote);
  }

  fetch(path: string): Promise<Buffer | null> {
    return fetchFile(this, path);
  }

  close(): void {
    this.#ending.abort();
    const open = this.#connection;
    this.#connection = undefined;
    open?.then(
      (connection) => connection.close('the session was closed'),
      () => undefined,
    );
  }

  #open(): Promise<Connection> {
    if (this.#ending.signal.aborted) return Promise.reject(this.#fault('the session was closed'));
    if (this.#connection) return this.#connection;
    const opening = connect(this.#target, { bounds: this.#bounds, signal: this.#ending.signal, meter: this.#meter });
    this.#connection = opening;
    const forget = (): void => {
      if (this.#connection !== opening) return;
      this.#connection = undefined;
    };
    opening.then(({ whenLost }) => whenLost(forget), forget);
    return opening;
  }

  #fault(why: string): PredictError {
    return hostFault(this.host, `${why}.`);
  }
}

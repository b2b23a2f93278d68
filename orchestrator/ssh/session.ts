import type { ClientChannel, SFTPWrapper } from 'ssh2';
import { infrastructure, PredictError } from '../../base/index.ts';
import { resolveTarget, type SshTarget } from '../../inventory/index.ts';
import {
  type CommandOptions,
  type CommandResult,
  type Executor,
  type OpenExecutor,
  OutputFault,
  type RunningCommand,
} from '../hosts/executor.ts';
import { type Connection, connect } from './connect.ts';
import { fetchFile, sendFile } from './transfer.ts';

const DEFAULT_TIMEOUT_MS = 60_000;
/** Between TERM and KILL of a command that was told to stop. */
const GRACE_MS = 5_000;

/** The way to a host over SSH, as the inventory and ssh_config say. */
export const openSession: OpenExecutor = (host, inventory) => new Session(resolveTarget(host, inventory));

/** One host's connection, opened at first use, kept open, and opened anew after it was lost. */
export class Session implements Executor {
  readonly host: string;
  readonly #target: SshTarget;
  #connection: Promise<Connection> | undefined;
  #sftp: Promise<SFTPWrapper> | undefined;

  constructor(target: SshTarget) {
    this.#target = target;
    this.host = target.host;
  }

  get sshPort(): number {
    return this.#target.port;
  }

  async exec(command: string, options: CommandOptions = {}): Promise<CommandResult> {
    const running = await this.start(command, options);
    running.end();
    return running.done;
  }

  async start(command: string, options: CommandOptions = {}): Promise<RunningCommand> {
    const { input, timeoutMs = DEFAULT_TIMEOUT_MS, signal } = options;
    if (signal?.aborted) throw new PredictError('interrupted', { kind: 'interrupted' });
    const started = performance.now();
    const { client } = await this.#open();
    return new Promise((resolve, reject) => {
      const lost = (): void => reject(this.#lost('the connection was closed'));
      client.once('close', lost);
      // The login shell leads the command's process group; its id is what a stop is sent to.
      client.exec(`echo "predict-group $$" >&2; ${command}`, (error, channel) => {
        client.removeListener('close', lost);
        if (error) {
          reject(this.#lost(error.message));
          return;
        }
        // Listeners must be there before this call returns: one packet may carry the output, the status and the end.
        const done = this.#collect({ channel, started, timeoutMs, options });
        // Whoever waits for it still sees the failure; nobody may be waiting yet, or any more.
        done.catch(() => undefined);
        if (input !== undefined) channel.write(input);
        resolve({ done, end: () => void channel.end() });
      });
    });
  }

  send(path: string, remote: string): Promise<void> {
    return sendFile(this, path, remote);
  }

  fetch(path: string): Promise<Buffer | null> {
    return fetchFile(this, path);
  }

  /** The SFTP channel, opened at first use. */
  async sftp(): Promise<SFTPWrapper> {
    this.#sftp ??= this.#open().then(
      ({ client }) =>
        new Promise((resolve, reject) => {
          client.sftp((error, sftp) => (error ? reject(this.#lost(error.message)) : resolve(sftp)));
        }),
    );
    return this.#sftp;
  }

  close(): void {
    const open = this.#connection;
    this.#connection = undefined;
    this.#sftp = undefined;
    open?.then(
      (connection) => connection.close(),
      () => undefined,
    );
  }

  #open(): Promise<Connection> {
    if (this.#connection) return this.#connection;
    const opening = connect(this.#target);
    this.#connection = opening;
    const forget = (): void => {
      if (this.#connection !== opening) return;
      this.#connection = undefined;
      this.#sftp = undefined;
    };
    opening.then(({ client }) => {
      client.on('error', forget);
      client.once('close', forget);
    }, forget);
    return opening;
  }

  #collect({
    channel,
    started,
    timeoutMs,
    options,
  }: {
    readonly channel: ClientChannel;
    readonly started: number;
    readonly timeoutMs: number;
    readonly options: CommandOptions;
  }): Promise<CommandResult> {
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    let group: string | undefined;
    let timedOut = false;
    let exit: { readonly code: number | null; readonly signal: string | null } | undefined;
    let later: NodeJS.Timeout | undefined;
    const kill = (name: 'TERM' | 'KILL'): void => {
      // dash takes a group only behind `-s`.
      const command = `kill -s ${name} -- -${group}`;
      if (group !== undefined) this.exec(command, { timeoutMs: GRACE_MS }).catch(() => undefined);
    };
    const stop = (): void => {
      kill('TERM');
      later = setTimeout(() => {
        kill('KILL');
        channel.close();
      }, GRACE_MS);
    };
    const timer = setTimeout(() => {
      timedOut = true;
      stop();
    }, timeoutMs);
    options.signal?.addEventListener('abort', stop, { once: true });
    channel.on('data', (data: Buffer) => {
      stdout.push(data);
      options.onStdout?.(data.toString());
    });
    channel.stderr.on('data', (data: Buffer) => {
      let text = data;
      if (group === undefined) {
        const whole = Buffer.concat([...stderr.splice(0), data]).toString('latin1');
        // A login shell may have said something of its own before.
        const line = /^predict-group (\d+)\n/m.exec(whole);
        group = line?.[1];
        text = Buffer.from(line ? whole.replace(line[0], '') : whole, 'latin1');
      }
      stderr.push(text);
      if (group !== undefined && text.length > 0) options.onStderr?.(text.toString());
    });
    channel.on('exit', (code: number | null, name?: string) => {
      exit = { code, signal: name ?? null };
    });
    return new Promise((resolve, reject) => {
      channel.once('close', () => {
        clearTimeout(timer);
        clearTimeout(later);
        options.signal?.removeEventListener('abort', stop);
        const { host } = this;
        const output = { stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() };
        if (!exit && !timedOut && !options.signal?.aborted) {
          reject(new OutputFault(`${host}: the connection was lost while a command ran.`, { host, ...output }));
          return;
        }
        resolve({
          host,
          exitCode: exit?.code ?? null,
          signal: exit?.signal ?? null,
          ...output,
          durationMs: performance.now() - started,
          timedOut,
        });
      });
    });
  }

  #lost(why: string): PredictError {
    return infrastructure(`${this.host}: ${why}.`, { host: this.host });
  }
}

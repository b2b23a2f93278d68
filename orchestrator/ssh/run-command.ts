import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import type { ClientChannel } from 'ssh2';
import type { PredictError } from '../../base/errors.ts';
import { scriptWords, sh, underAnyShell } from '../../base/shell.ts';
import {
  type CommandOptions,
  type CommandResult,
  MOST_OUTPUT_BYTES,
  OutputFault,
  type Printed,
} from '../hosts/executor.ts';
import { LONGEST_MS } from '../waiting.ts';
import type { Connection } from './connect.ts';
import { type Bounds, Output } from './output.ts';

const DEFAULT_TIMEOUT_MS = 60_000;
const END_BYTES = 4 * 2 ** 20;
/** A login shell that says more than this before our line never says our line. */
const GREETING_BYTES = 65_536;

// dash takes a group only behind `-s`.
const KILL = sh`kill -s "$1" -- "-$2"`;

/**
 * The command as it is sent: a POSIX shell in the login shell's place leads its process group, whose id is what a stop is sent to, and
 * becomes the command. The line is said on both streams, so that what the login shell says of its own, with or without a line end,
 * is told from what the command says.
 */
export function announcing(token: string, words: readonly string[]): string {
  return underAnyShell(words, `predict-group ${token}`);
}

/** A command that was sent to a host. */
interface SentCommand {
  readonly host: string;
  /** What `announcing` was given. */
  readonly token: string;
  readonly connection: Connection;
  readonly bounds: Bounds;
  readonly options: CommandOptions;
  /** On the clock of `performance`. */
  readonly started: number;
}

/**
 * A command that runs on a channel, to its end. It is told to stop (TERM to its group, later KILL) at the time-out, at an
 * abort, and when it prints too much; a channel that does not close even then costs the connection.
 */
export function runCommand(channel: ClientChannel, sent: SentCommand): Promise<CommandResult> {
  return new Promise((resolve, reject) => new CommandRun(channel, sent, { resolve, reject }).begin());
}

/** Who waits for the end of a command. */
interface Waiting {
  readonly resolve: (result: CommandResult) => void;
  readonly reject: (error: Error) => void;
}

/** One command from its first output to its end. */
class CommandRun {
  readonly #channel: ClientChannel;
  readonly #sent: SentCommand;
  readonly #waiting: Waiting;
  readonly #stdout: Output;
  readonly #stderr: Output;
  readonly #greetings: { readonly stdout: Greeting; readonly stderr: Greeting };
  readonly #timers = new Set<NodeJS.Timeout>();
  #forget: () => void = () => undefined;
  #bytes = 0;
  #timedOut = false;
  #printedTooMuch = false;
  #stopping = false;
  #over = false;
  #fault: PredictError | undefined;
  #exit: { readonly code: number | null; readonly signal: string | null } | undefined;

  constructor(channel: ClientChannel, sent: SentCommand, waiting: Waiting) {
    [this.#channel, this.#sent, this.#waiting] = [channel, sent, waiting];
    const { host, token, options } = sent;
    const { outputFolder, endBytes = END_BYTES } = options;
    const name = join(outputFolder ?? '', `${host}-${randomUUID()}`);
    const output = (stream: string): Output =>
      new Output({ endBytes, file: outputFolder === undefined ? undefined : `${name}.${stream}` });
    [this.#stdout, this.#stderr] = [output('stdout'), output('stderr')];
    this.#greetings = { stdout: new Greeting(token), stderr: new Greeting(token) };
  }

  begin(): void {
    const { connection, bounds, options } = this.#sent;
    const { signal: abort, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
    // A channel says its end with its connection's; this is for one that does not.
    this.#forget = connection.whenLost(() => this.#after(bounds.closeMs, () => this.#finish()));
    this.#after(timeoutMs, () => {
      this.#timedOut = !this.#stopping;
      this.#stop();
    });
    this.#listen();
    abort?.addEventListener('abort', this.#stop, { once: true });
    if (abort?.aborted) this.#stop();
  }

  #listen(): void {
    const [channel, greetings, { onStdout, onStderr }] = [this.#channel, this.#greetings, this.#sent.options];
    // A character may come in two pieces.
    const decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') };
    channel.on('data', (data: Buffer) => {
      const text = greetings.stdout.remove(data).own;
      this.#keep(this.#stdout, text);
      if (text.length > 0) onStdout?.(decoders.stdout.write(text));
    });
    channel.stderr.on('data', (data: Buffer) => {
      const known = greetings.stderr.group !== undefined;
      const { before, own } = greetings.stderr.remove(data);
      const text = Buffer.concat([before, own]);
      // A stop may have come before the group was known that it is for.
      if (this.#stopping && !known) this.#kill('TERM');
      this.#keep(this.#stderr, text);
      if (text.length > 0) onStderr?.(decoders.stderr.write(text));
    });
    channel.on('exit', (code: number | null, name?: string) => {
      this.#exit = { code, signal: name ?? null };
    });
    // Input for a command that is gone: its end says so.
    channel.on('error', () => undefined);
    channel.once('close', () => this.#finish());
  }

  #after(ms: number, task: () => void): void {
    this.#timers.add(setTimeout(task, Math.min(ms, LONGEST_MS)));
  }

  #keep(to: Output, data: Buffer): void {
    // What comes while it is being ended for that is not kept.
    if (this.#printedTooMuch || data.length === 0) return;
    this.#bytes += data.length;
    try {
      to.add(data);
    } catch (error) {
      this.#fault = error as PredictError;
    }
    this.#printedTooMuch = this.#bytes > MOST_OUTPUT_BYTES;
    if (this.#fault || this.#printedTooMuch) this.#stop();
  }

  readonly #stop = (): void => {
    if (this.#stopping || this.#over) return;
    const { host, connection, bounds } = this.#sent;
    this.#stopping = true;
    this.#kill('TERM');
    this.#after(bounds.graceMs, () => {
      this.#kill('KILL');
      this.#channel.close();
      this.#after(bounds.closeMs, () => {
        connection.close(`a command on ${host} did not end after it was killed`);
        this.#finish();
      });
    });
  };

  #kill(signal: 'TERM' | 'KILL'): void {
    const { group } = this.#greetings.stderr;
    if (group === undefined) return;
    // Nobody waits for the answer: the command's own end is what counts.
    try {
      this.#sent.connection.client.exec(underAnyShell(scriptWords(KILL, signal, group)), (_, answer) =>
        answer?.resume().stderr.resume(),
      );
    } catch {
      // The connection is gone, and the command with it.
    }
  }

  #finish(): void {
    if (this.#over) return;
    this.#over = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#sent.options.signal?.removeEventListener('abort', this.#stop);
    this.#forget();
    const printed = this.#endOutputs();
    const { host, started } = this.#sent;
    if (this.#fault) {
      this.#waiting.reject(this.#fault);
    } else if (!this.#exit && !this.#stopping) {
      this.#waiting.reject(
        new OutputFault(`${host}: the connection was lost while a command ran.`, { host, ...printed }),
      );
    } else {
      const { code: exitCode = null, signal = null } = this.#exit ?? {};
      const [timedOut, printedTooMuch] = [this.#timedOut, this.#printedTooMuch];
      const durationMs = performance.now() - started;
      this.#waiting.resolve({ host, exitCode, signal, ...printed, durationMs, timedOut, printedTooMuch });
    }
  }

  #endOutputs(): Printed {
    const [stdout, stderr] = [this.#stdout, this.#stderr];
    this.#keep(stdout, this.#greetings.stdout.rest());
    this.#keep(stderr, this.#greetings.stderr.rest());
    for (const each of [stdout, stderr]) {
      try {
        each.end();
      } catch (error) {
        this.#fault ??= error as PredictError;
      }
    }
    return { stdout: stdout.text(), stderr: stderr.text(), stdoutFile: stdout.file, stderrFile: stderr.file };
  }
}

const NOTHING = Buffer.alloc(0);

/** The line of `announcing` at the start of a stream, behind what the login shell may have said of its own. */
class Greeting {
  readonly #line: RegExp;
  #before: Buffer | undefined = NOTHING;
  /** The command's process group, once it is known. */
  group: string | undefined;

  constructor(token: string) {
    this.#line = new RegExp(`predict-group ${token} (\\d+)\\n`);
  }

  /** What the shell said before the line, and what of `data` is the command's own; nothing while the line may still come. */
  remove(data: Buffer): { readonly before: Buffer; readonly own: Buffer } {
    if (this.#before === undefined) return { before: NOTHING, own: data };
    const whole = Buffer.concat([this.#before, data]);
    const line = this.#line.exec(whole.toString('latin1'));
    this.#before = line || whole.length > GREETING_BYTES ? undefined : whole;
    if (this.#before !== undefined) return { before: NOTHING, own: NOTHING };
    if (!line) return { before: NOTHING, own: whole };
    this.group = line[1];
    return { before: whole.subarray(0, line.index), own: whole.subarray(line.index + line[0].length) };
  }

  /** What was kept back when the line never came. */
  rest(): Buffer {
    return this.#before ?? NOTHING;
  }
}

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

const ANNOUNCE = sh`line="predict-group $1 $$"; shift; echo "$line"; echo "$line" >&2; exec "$@"`;
// dash takes a group only behind `-s`.
const KILL = sh`kill -s "$1" -- "-$2"`;

/**
 * The command as it is sent: a POSIX shell in the login shell's place leads its process group, whose id is what a stop is sent to, and
 * becomes the command. The line is said on both streams, so that what the login shell says of its own, with or without a line end,
 * is told from what the command says.
 */
export function announcing(token: string, words: readonly string[]): string {
  return underAnyShell(scriptWords(ANNOUNCE, token, ...words));
}

/**
 * A command that runs on a channel, to its end. It is told to stop (TERM to its group, later KILL) at the time-out, at an
 * abort, and when it prints too much; a channel that does not close even then costs the connection.
 */
export function runCommand(
  channel: ClientChannel,
  {
    host,
    token,
    connection,
    bounds,
    options,
    started,
  }: {
    readonly host: string;
    /** What `announcing` was given. */
    readonly token: string;
    readonly connection: Connection;
    readonly bounds: Bounds;
    readonly options: CommandOptions;
    /** On the clock of `performance`. */
    readonly started: number;
  },
): Promise<CommandResult> {
  const { signal: abort, timeoutMs = DEFAULT_TIMEOUT_MS, outputFolder, endBytes = END_BYTES } = options;
  const name = join(outputFolder ?? '', `${host}-${randomUUID()}`);
  const output = (stream: string): Output =>
    new Output({ endBytes, file: outputFolder === undefined ? undefined : `${name}.${stream}` });
  const [stdout, stderr] = [output('stdout'), output('stderr')];
  // A character may come in two pieces.
  const decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') };
  const greetings = { stdout: new Greeting(token), stderr: new Greeting(token) };
  let bytes = 0;
  let timedOut = false;
  let printedTooMuch = false;
  let stopping = false;
  let fault: PredictError | undefined;
  let exit: { readonly code: number | null; readonly signal: string | null } | undefined;
  const timers = new Set<NodeJS.Timeout>();
  const after = (ms: number, task: () => void): void => void timers.add(setTimeout(task, Math.min(ms, LONGEST_MS)));

  return new Promise((resolve, reject) => {
    let over = false;
    const finish = (): void => {
      if (over) return;
      over = true;
      for (const timer of timers) clearTimeout(timer);
      abort?.removeEventListener('abort', stop);
      forget();
      keep(stdout, greetings.stdout.rest());
      keep(stderr, greetings.stderr.rest());
      for (const each of [stdout, stderr]) {
        try {
          each.end();
        } catch (error) {
          fault ??= error as PredictError;
        }
      }
      const printed: Printed = {
        ...{ stdout: stdout.text(), stderr: stderr.text(), stdoutFile: stdout.file, stderrFile: stderr.file },
      };
      if (fault) {
        reject(fault);
      } else if (!exit && !stopping) {
        reject(new OutputFault(`${host}: the connection was lost while a command ran.`, { host, ...printed }));
      } else {
        const { code: exitCode = null, signal = null } = exit ?? {};
        const durationMs = performance.now() - started;
        resolve({ host, exitCode, signal, ...printed, durationMs, timedOut, printedTooMuch });
      }
    };
    const stop = (): void => {
      if (stopping || over) return;
      stopping = true;
      kill('TERM');
      after(bounds.graceMs, () => {
        kill('KILL');
        channel.close();
        after(bounds.closeMs, () => {
          connection.close(`a command on ${host} did not end after it was killed`);
          finish();
        });
      });
    };
    const kill = (signal: 'TERM' | 'KILL'): void => {
      const { group } = greetings.stderr;
      if (group === undefined) return;
      // Nobody waits for the answer: the command's own end is what counts.
      try {
        connection.client.exec(underAnyShell(scriptWords(KILL, signal, group)), (_, answer) =>
          answer?.resume().stderr.resume(),
        );
      } catch {
        // The connection is gone, and the command with it.
      }
    };
    const keep = (to: Output, data: Buffer): void => {
      // What comes while it is being ended for that is not kept.
      if (printedTooMuch || data.length === 0) return;
      bytes += data.length;
      try {
        to.add(data);
      } catch (error) {
        fault = error as PredictError;
      }
      printedTooMuch = bytes > MOST_OUTPUT_BYTES;
      if (fault || printedTooMuch) stop();
    };
    // A channel says its end with its connection's; this is for one that does not.
    const forget = connection.whenLost(() => after(bounds.closeMs, finish));
    after(timeoutMs, () => {
      timedOut = !stopping;
      stop();
    });
    channel.on('data', (data: Buffer) => {
      const text = greetings.stdout.remove(data).own;
      keep(stdout, text);
      if (text.length > 0) options.onStdout?.(decoders.stdout.write(text));
    });
    channel.stderr.on('data', (data: Buffer) => {
      const known = greetings.stderr.group !== undefined;
      const { before, own } = greetings.stderr.remove(data);
      const text = Buffer.concat([before, own]);
      // A stop may have come before the group was known that it is for.
      if (stopping && !known) kill('TERM');
      keep(stderr, text);
      if (text.length > 0) options.onStderr?.(decoders.stderr.write(text));
    });
    channel.on('exit', (code: number | null, name?: string) => {
      exit = { code, signal: name ?? null };
    });
    // Input for a command that is gone: its end says so.
    channel.on('error', () => undefined);
    channel.once('close', finish);
    abort?.addEventListener('abort', stop, { once: true });
    if (abort?.aborted) stop();
  });
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

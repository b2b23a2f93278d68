import { infrastructure, PredictError } from '../../base/errors.ts';
import { lastLines } from '../../base/text.ts';
import type { Host, Inventory } from '../../inventory/inventory-schema.ts';
import type { ControllerTraffic } from '../../throttle/state.ts';

/** What a command printed. Of a long output the texts are both ends, with a line between them that says what is left out. */
export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
  /** The whole of an output that is longer than its text, where `CommandOptions.outputFolder` was given. */
  readonly stdoutFile?: string | undefined;
  readonly stderrFile?: string | undefined;
}

/** How a command on a host ended, with what it printed. */
export interface CommandResult extends Printed {
  readonly host: string;
  /** Null when a signal ended the command. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly durationMs: number;
  readonly timedOut: boolean;
  /** It was ended because it printed more than `MOST_OUTPUT_BYTES`. */
  readonly printedTooMuch: boolean;
}

/** A command that prints more is ended. */
export const MOST_OUTPUT_BYTES = 2 ** 30;

/** What a command gets and how long it may take (a minute without `timeoutMs`). */
export interface CommandOptions {
  readonly input?: string;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** A folder on this machine for what is too long for memory; the files are the caller's. */
  readonly outputFolder?: string;
  /** The first and the last bytes of each output that stay in memory, each; 4 MiB without. */
  readonly endBytes?: number;
  /** Output as it comes, for commands that run long. */
  readonly onStdout?: (text: string) => void;
  readonly onStderr?: (text: string) => void;
}

/** A command that goes on until its input is ended. */
export interface RunningCommand {
  readonly done: Promise<CommandResult>;
  /** More of its input. */
  write(text: string): void;
  end(): void;
}

/**
 * The way to one host: all that predict does there passes through here. A command that ran, however it ended, is a result;
 * a host out of reach rejects with `infrastructure`, a connection lost in mid-command with `OutputFault`, and the next call
 * tries anew; an abort before the start rejects with `interrupted`. Every call ends in bounded time.
 */
export interface Executor {
  readonly host: string;
  /** Where the host's sshd listens, which the throttle exempts. */
  readonly sshPort: number;
  /** What its connections have moved so far, where that is counted. */
  readonly traffic?: ControllerTraffic;
  /** Runs a program with its arguments to its end. A timeout or an abort ends all of its processes: TERM first, KILL later. */
  exec(words: readonly string[], options?: CommandOptions): Promise<CommandResult>;
  /** Like `exec`, but leaves the input open until `end`. */
  start(words: readonly string[], options?: CommandOptions): Promise<RunningCommand>;
  /** Copies a local file to a path on the host as an executable; who runs or reads the old one keeps it. */
  send(path: string, remote: string): Promise<void>;
  /** The content of a file on the host; null when there is none. One of more than 256 MiB is an error. */
  fetch(path: string): Promise<Buffer | null>;
  /** Lets go of the connection for good; commands that run end with it. */
  close(): void;
}

/** An infrastructure fault that carries what a command had printed before it, so that nothing is lost. */
export class OutputFault extends PredictError implements Printed {
  readonly stdout: string;
  readonly stderr: string;
  readonly stdoutFile: string | undefined;
  readonly stderrFile: string | undefined;

  constructor(
    message: string,
    { host, cause, ...printed }: { readonly host?: string | undefined; readonly cause?: unknown } & Printed,
  ) {
    super(message, { kind: 'infrastructure', ...(host === undefined ? {} : { host }), cause });
    this.stdout = printed.stdout;
    this.stderr = printed.stderr;
    this.stdoutFile = printed.stdoutFile;
    this.stderrFile = printed.stderrFile;
  }
}

/** Makes the way to a host of an inventory; nothing is connected before the first command. */
export type OpenExecutor = (host: Host, inventory: Inventory) => Executor;

/** What is wrong on one host, one sentence without its name: an `infrastructure` error that begins with it. */
export function hostFault(host: string, why: string, cause?: unknown): PredictError {
  return infrastructure(`${host}: ${why}`, { host, cause });
}

/**
 * Runs a command that has to end with 0; else `why` makes a sentence of the last line of its error output, for a `hostFault`.
 *
 * @example await execOrFail(executor, ['rm', '--', path], (said) => `${path} cannot be removed (${said}).`)
 */
export async function execOrFail(
  executor: Executor,
  words: readonly string[],
  why: (said: string) => string,
  options?: CommandOptions,
): Promise<CommandResult> {
  const result = await executor.exec(words, options);
  if (result.exitCode !== 0) throw hostFault(executor.host, why(lastLines(result.stderr, 1)));
  return result;
}

/** A command beside a run that ends when its input does, and is killed where it does not. */
export interface Watcher {
  readonly running: RunningCommand;
  readonly kill: AbortController;
}

export async function startWatcher(
  executor: Executor,
  words: readonly string[],
  options: Omit<CommandOptions, 'signal'>,
): Promise<Watcher> {
  const kill = new AbortController();
  return { running: await executor.start(words, { ...options, signal: kill.signal }), kill };
}

/** Tells a watcher to end and waits for it, no longer than `goodbyeMs`: then it is `killed`. */
export async function endWatcher(
  { running, kill }: Watcher,
  goodbyeMs: number,
): Promise<CommandResult & { readonly killed: boolean }> {
  running.end();
  const timer = setTimeout(() => kill.abort(), goodbyeMs);
  try {
    return { ...(await running.done), killed: kill.signal.aborted };
  } finally {
    clearTimeout(timer);
  }
}

import { randomBytes } from 'node:crypto';
import { quoteAll, scriptWords, sh } from '../../base/shell.ts';
import { lastLines } from '../../base/text.ts';
import { formatSeconds } from '../../base/units.ts';
import { type Host, headOf, type Inventory } from '../../inventory/inventory-schema.ts';
import { LAUNCHERS, usesAgent } from '../launchers/launchers.ts';
import { LONGEST_MS } from '../waiting.ts';
import type { Cluster } from './cluster.ts';
import { AGENT } from './deployment.ts';
import { type CommandOptions, type CommandResult, execOrFail } from './executor.ts';
import { preloading } from './preloaded-library.ts';
import { openRemoteStarts } from './remote-starts.ts';

type RunOptions = CommandOptions & { readonly timeoutMs: number; readonly signal: AbortSignal };

/** Runs words on the head host, in the work folder, under a guard that ends them when this controller or its connection is gone. */
export async function runOnHead(
  cluster: Cluster,
  argv: readonly string[],
  options: RunOptions,
): Promise<CommandResult> {
  const run = newRun();
  try {
    return await guarded(cluster, argv, { ...options, run });
  } finally {
    await cluster.endRun([headOf(cluster.inventory)], run);
  }
}

/** The token of a run's control groups, one on each of its hosts. */
function newRun(): string {
  return randomBytes(16).toString('hex');
}

export interface RanksRun {
  /** With the exit code of the rank that ended first, where the launcher's own tells of others. */
  readonly result: CommandResult;
  /** What ran on the head. */
  readonly command: string;
  /** Why it was given up before its time was over, one sentence: a wait for hosts, a daemon that is gone. Null where it was not. */
  readonly givenUp: string | null;
}

export interface RanksStart {
  readonly argv: readonly string[];
  readonly ranksPerNode: number;
  /** Of each rank, where there are several. */
  readonly threads?: number | undefined;
  /** The name of the data interface, where it is the same on all hosts. */
  readonly link: string | undefined;
  readonly options: RunOptions;
  /** Where on the head the hosts of the ranks are written, for a launcher that `readsHostFile`. */
  readonly hostFile?: string | undefined;
  /** Longest wait for busy hosts; as long as the run by default. */
  readonly waitMs?: number | undefined;
  /** The cluster's, or with more in its `mpi`. */
  readonly inventory?: Inventory;
}

/** A run that was started on ranks; what ends it ends its processes on all hosts before `done` tells. */
interface StartedRanks extends Pick<RanksRun, 'command'> {
  readonly done: Promise<RanksRun>;
}

/** Starts a program on every rank and waits for its end, as `startOnRanks`. */
export async function runOnRanks(cluster: Cluster, hosts: readonly Host[], start: RanksStart): Promise<RanksRun> {
  return await (await startOnRanks(cluster, hosts, start)).done;
}

/**
 * Starts a program on every rank through the inventory's launcher, which reaches the hosts over this controller's connections unless
 * the inventory's `mpi.args` say how.
 */
export async function startOnRanks(
  cluster: Cluster,
  hosts: readonly Host[],
  { argv, ranksPerNode, threads, link, options, hostFile, ...start }: RanksStart,
): Promise<StartedRanks> {
  const { waitMs = options.timeoutMs, inventory: given = cluster.inventory } = start;
  const inventory = preloading(given, cluster.preloads);
  const launcher = LAUNCHERS[inventory.mpi.launcher];
  const head = headOf(inventory);
  const isAway = hosts.some(({ name }) => name !== head.name);
  const isOurWay = isAway && usesAgent(launcher, inventory.mpi.args);
  const run = newRun();
  const way = isOurWay ? await openRemoteStarts(cluster, hosts, { ...options, run }) : null;
  const { timeoutMs } = options;
  const words = launcher.argv({ inventory, hosts, ranksPerNode, threads, argv, agent: way?.agent, link, hostFile });
  const command = quoteAll(words);
  const follow = async (): Promise<RanksRun> => {
    const clock = new RunClock(launcher.isWaiting, { timeoutMs, waitMs });
    try {
      if (hostFile !== undefined) {
        await writeHosts(
          cluster,
          hostFile,
          hosts.flatMap(({ name }) => Array.from({ length: ranksPerNode }, () => name)),
        );
      }
      way?.startedAs(words);
      const ended = await guarded(cluster, words, {
        run,
        environment: way?.environment ?? '',
        ...options,
        timeoutMs: clock.longestMs,
        signal: AbortSignal.any([options.signal, clock.signal, ...(way ? [way.lost] : [])]),
        onStderr: (text) => {
          clock.hear(text);
          options.onStderr?.(text);
        },
      });
      const exitCode = launcher.ownExit?.(ended.stderr) ?? ended.exitCode;
      const lost = way?.lost.aborted === true && exitCode !== 0 ? String(way.lost.reason) : null;
      const result = { ...ended, exitCode, timedOut: ended.timedOut || clock.isOver };
      return { result, command, givenUp: clock.waited ?? lost };
    } finally {
      clock.stop();
      await way?.close();
      await cluster.endRun(isAway ? [...new Set([head, ...hosts])] : [head], run);
    }
  };
  return { command, done: follow() };
}

const WRITE_LINES = sh`file=$1; shift; printf '%s\n' "$@" > "$file"`;

/** The hosts of all ranks, a line each, on the head. */
async function writeHosts(cluster: Cluster, file: string, names: readonly string[]): Promise<void> {
  const words = scriptWords(WRITE_LINES, file, ...names);
  await execOrFail(cluster.on(headOf(cluster.inventory)), words, (said) => `${file} cannot be written (${said}).`);
}

/** Arguments: the work folder, a file of more environment that nobody else is to read ('' for none), the command. */
const GUARDED = sh`
cd -- "$1" || exit
[ -z "$2" ] || { export "$(cat -- "$2")" && rm -f -- "$2" || exit; }
shift 2
exec "$@"`;

async function guarded(
  cluster: Cluster,
  argv: readonly string[],
  { run, environment = '', ...options }: RunOptions & { readonly run: string; readonly environment?: string },
): Promise<CommandResult> {
  const where = [cluster.workFolder, environment, cluster.remotePath(AGENT), 'guard', '--'];
  const head = headOf(cluster.inventory);
  const words = cluster.inRun(head, run, scriptWords(GUARDED, ...where, ...argv));
  const running = await cluster.on(head).start(words, options);
  const result = await running.done;
  running.end();
  return result;
}

/** What of a launcher's error output is kept to tell whether it waits. */
const MOST_TEXT = 65_536;

/** Words after which a wait for hosts has no end. */
const HOPELESS = /Required node not available.*|Requested partition configuration not available.*/;

/**
 * The time-out of a run under a launcher that may have to wait for hosts: the wait is none of the program's time, and is
 * bounded by itself. `isWaiting` judges the error output so far.
 */
class RunClock {
  readonly #isWaiting: ((stderr: string) => boolean) | undefined;
  readonly #timeoutMs: number;
  readonly #waitMs: number;
  readonly #abort = new AbortController();
  #timer: NodeJS.Timeout;
  #stderr = '';
  #waits = false;
  /** The program took longer than it may. */
  isOver = false;
  /** Why the run never began, one sentence; null where it did not end by its wait. */
  waited: string | null = null;

  constructor(
    isWaiting: ((stderr: string) => boolean) | undefined,
    { timeoutMs, waitMs }: { readonly timeoutMs: number; readonly waitMs: number },
  ) {
    this.#isWaiting = isWaiting;
    this.#timeoutMs = timeoutMs;
    this.#waitMs = waitMs;
    this.#timer = this.#start();
  }

  /** Aborted when the run must end. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** For the command itself: a wait and a run. */
  get longestMs(): number {
    return this.#isWaiting === undefined ? this.#timeoutMs : this.#waitMs + this.#timeoutMs + 1000;
  }

  /** Takes what the launcher has said since. */
  hear(text: string): void {
    if (this.#isWaiting === undefined) return;
    this.#stderr = (this.#stderr + text).slice(-MOST_TEXT);
    const waits = this.#isWaiting(this.#stderr);
    const never = HOPELESS.exec(this.#stderr)?.[0];
    if (waits && never !== undefined) this.#giveUp(`SLURM can never allocate its hosts: ${never}`);
    if (waits === this.#waits) return;
    this.#waits = waits;
    clearTimeout(this.#timer);
    this.#timer = this.#start();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #start(): NodeJS.Timeout {
    const boundMs = this.#waits ? this.#waitMs : this.#timeoutMs;
    return setTimeout(
      () => {
        if (this.#waits)
          this.#giveUp(`it waited ${formatSeconds(boundMs / 1000)} for its hosts: ${lastLines(this.#stderr, 1)}`);
        else if (this.#isWaiting !== undefined) {
          this.isOver = true;
          this.#abort.abort();
        }
      },
      Math.min(boundMs, LONGEST_MS),
    );
  }

  #giveUp(why: string): void {
    this.waited ??= `The run did not start: ${why.replace(/\.$/, '')}.`;
    this.#abort.abort();
  }
}

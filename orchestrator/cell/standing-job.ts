import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { byLine } from '../../base/line-reader.ts';
import { scriptWords, sh } from '../../base/shell.ts';
import { lastLines } from '../../base/text.ts';
import type { Host } from '../../inventory/inventory-schema.ts';
import type { Cluster } from '../hosts/cluster.ts';
import { endWatcher, hostFault, OutputFault, type Printed, startWatcher, type Watcher } from '../hosts/executor.ts';
import { type RanksRun, type RanksStart, startOnRanks } from '../hosts/start-ranks.ts';
import { Output } from '../ssh/output.ts';
import { LONGEST_MS, within } from '../waiting.ts';

/** For the first host to have its FIFO. */
const FIFO_MS = 20_000;
/** For a run that is told to end; then it is killed. */
const END_MS = 5_000;
/** Bytes of each end of what is printed for one order that stay in memory, and of what is printed between orders. */
const END_BYTES = 4 * 2 ** 20;
const EARLY_BYTES = 65_536;
/** Bytes; no mark is in a longer line. */
const LONGEST_LINE = 1_000;

/**
 * Passes orders on, from its input to a FIFO that it holds open, so that the program sees the end of orders only with that of this
 * input, also when this controller is gone. Argument: a folder of its own, which goes with it.
 */
const PASS_ON = sh`
umask 077
mkdir -- "$1" && mkfifo -- "$1/orders" || exit
trap 'rm -rf -- "$1"' EXIT
trap exit TERM HUP INT
echo ready
cat 1<> "$1/orders"`;

/** How much an order may take, and where what it prints goes if it is too long for memory. */
interface OrderBounds {
  readonly timeoutMs: number;
  readonly outputFolder: string;
}

/** What came of an order, as of a run of its own. */
export interface Told extends RanksRun {
  /** The job has ended, by itself or because the order took too long: then `result` says how. */
  readonly isOver: boolean;
}

/**
 * A run on ranks that waits for orders (`Workload.followsOrders`). What it prints for an order ends with a mark on both streams,
 * because neither waits for the other. One order at a time.
 */
export class StandingJob {
  readonly command: string;
  readonly #first: Host;
  readonly #fifo: Watcher;
  readonly #done: Promise<RanksRun>;
  readonly #kill: AbortController;
  readonly #ears: Ears;
  #isUp = true;
  /** What was printed before the first order is part of every cell's output. */
  #start: Pick<Printed, 'stdout' | 'stderr'> = { stdout: '', stderr: '' };

  private constructor(parts: {
    readonly first: Host;
    readonly command: string;
    readonly fifo: Watcher;
    readonly done: Promise<RanksRun>;
    readonly kill: AbortController;
    readonly ears: Ears;
  }) {
    this.command = parts.command;
    this.#first = parts.first;
    [this.#fifo, this.#done, this.#kill, this.#ears] = [parts.fifo, parts.done, parts.kill, parts.ears];
    const over = (): void => {
      this.#isUp = false;
    };
    this.#done.then(over, over);
  }

  /** Starts it on hosts, the first of which has rank 0; `startOf` is told the FIFO. It is there once `ready` says so. */
  static async start(
    cluster: Cluster,
    hosts: readonly [Host, ...Host[]],
    {
      startOf,
      signal,
    }: { readonly startOf: (orders: string) => Omit<RanksStart, 'options'>; readonly signal: AbortSignal },
  ): Promise<StandingJob> {
    const [first] = hosts;
    const folder = cluster.remotePath(`orders-${randomUUID()}`);
    const fifo = await openFifo(cluster, first, folder);
    const kill = new AbortController();
    const ears = new Ears();
    const options = {
      ...{ timeoutMs: LONGEST_MS, signal: AbortSignal.any([signal, kill.signal]) },
      ...{
        onStdout: (text: string) => ears.hear('stdout', text),
        onStderr: (text: string) => ears.hear('stderr', text),
      },
    };
    try {
      const { command, done } = await startOnRanks(cluster, hosts, { ...startOf(`${folder}/orders`), options });
      return new StandingJob({ first, command, fifo, done, kill, ears });
    } catch (error) {
      await endWatcher(fifo, END_MS).catch(() => undefined);
      throw error;
    }
  }

  /** False once its end is known. */
  get isUp(): boolean {
    return this.#isUp;
  }

  /** Waits until it takes orders. */
  async ready(bounds: OrderBounds): Promise<Told> {
    const told = await this.#await('Ready.', bounds);
    const { stdout, stderr } = told.result;
    if (!told.isOver) this.#start = { stdout, stderr };
    return told;
  }

  /** Gives an order, a line, and waits for its mark. Errors: those of a run whose connection is lost. */
  order(line: string, mark: 'Measured.' | 'Written.', bounds: OrderBounds): Promise<Told> {
    this.#fifo.running.write(`${line}\n`);
    return this.#await(mark, bounds);
  }

  /** Ends it, by an order where it still takes them, and waits for its end, in bounded time. */
  async end(): Promise<void> {
    const over = this.#done.then(
      () => undefined,
      () => undefined,
    );
    if (this.#isUp) {
      this.#fifo.running.write('end\n');
      await within<unknown>(END_MS, over, () => this.#kill.abort());
    }
    await over;
    await endWatcher(this.#fifo, END_MS).catch(() => undefined);
  }

  /** Ends it at once. */
  async kill(): Promise<void> {
    this.#kill.abort();
    await this.end();
  }

  async #await(mark: string, { timeoutMs, outputFolder }: OrderBounds): Promise<Told> {
    const began = performance.now();
    const name = join(outputFolder, `${this.#first.name}-${randomUUID()}`);
    const heard = this.#ears.listen(mark, name);
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      this.#kill.abort();
    }, timeoutMs);
    try {
      const ended = await Promise.race([heard, this.#done]);
      const printed = this.#printed();
      if (ended !== null) {
        const result = { ...ended.result, ...printed, timedOut: timedOut || ended.result.timedOut };
        return { ...ended, result, isOver: true };
      }
      const result = {
        ...{ host: this.#first.name, exitCode: 0, signal: null, ...printed },
        ...{ durationMs: performance.now() - began, timedOut: false, printedTooMuch: false },
      };
      return { result, command: this.command, givenUp: null, isOver: false };
    } catch (error) {
      const printed = this.#printed();
      throw error instanceof OutputFault
        ? new OutputFault(error.message, { host: error.host, ...printed, cause: error })
        : error;
    } finally {
      clearTimeout(timer);
    }
  }

  #printed(): Printed {
    const { stdout, stderr, ...files } = this.#ears.taken();
    return { stdout: this.#start.stdout + stdout, stderr: this.#start.stderr + stderr, ...files };
  }
}

async function openFifo(cluster: Cluster, first: Host, folder: string): Promise<Watcher> {
  let tell: () => void = () => undefined;
  const opened = new Promise<null>((resolve) => {
    tell = () => resolve(null);
  });
  const onStdout = byLine((line) => void (line.trim() === 'ready' && tell()), LONGEST_LINE);
  const words = scriptWords(PASS_ON, folder);
  const fifo = await startWatcher(cluster.on(first), words, { timeoutMs: LONGEST_MS, onStdout });
  const failed = fifo.running.done.then(({ stderr }) => lastLines(stderr, 1));
  const late = (): string => `no reply within ${FIFO_MS / 1000} s`;
  const why = await within<string | null>(FIFO_MS, Promise.race([opened, failed]), late);
  if (why === null) return fifo;
  await endWatcher(fifo, END_MS).catch(() => undefined);
  throw hostFault(first.name, `orders for a run could not be prepared in ${folder}: ${why}.`);
}

type Stream = 'stdout' | 'stderr';
const STREAMS: readonly Stream[] = ['stdout', 'stderr'];

/** What a job prints, order by order. */
class Ears {
  #early = { stdout: '', stderr: '' };
  #now:
    | { readonly stdout: Output; readonly stderr: Output; readonly lines: Record<Stream, (text: string) => void> }
    | undefined;
  #fail: (error: unknown) => void = () => undefined;

  hear(stream: Stream, text: string): void {
    if (this.#now === undefined) {
      // A job that dies between two orders says so before the second one.
      this.#early[stream] = (this.#early[stream] + text).slice(-EARLY_BYTES);
      return;
    }
    try {
      this.#now[stream].add(Buffer.from(text));
    } catch (error) {
      this.#fail(error);
    }
    this.#now?.lines[stream](text);
  }

  /** Resolves once the mark has come twice: once on each stream, or on the one that a launcher makes of both. */
  listen(mark: string, file: string): Promise<null> {
    return new Promise((resolve, reject) => {
      let marks = 0;
      const onLine = (line: string): void => {
        if (line.trimEnd().endsWith(mark)) marks += 1;
        if (marks === STREAMS.length) resolve(null);
      };
      const output = (stream: Stream): Output => new Output({ endBytes: END_BYTES, file: `${file}.${stream}` });
      const reader = (): ((text: string) => void) => byLine(onLine, LONGEST_LINE);
      this.#fail = reject;
      const early = this.#early;
      this.#early = { stdout: '', stderr: '' };
      this.#now = { stdout: output('stdout'), stderr: output('stderr'), lines: { stdout: reader(), stderr: reader() } };
      for (const stream of STREAMS) if (early[stream] !== '') this.hear(stream, early[stream]);
    });
  }

  /** What was heard since `listen`, which is over. */
  taken(): Printed {
    const now = this.#now;
    this.#now = undefined;
    if (now === undefined) return { stdout: '', stderr: '' };
    for (const stream of STREAMS) now[stream].end();
    return {
      stdout: now.stdout.text(),
      stderr: now.stderr.text(),
      stdoutFile: now.stdout.file,
      stderrFile: now.stderr.file,
    };
  }
}

import { type ConnectionOptions, Queue, UnrecoverableError, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { messageOf, PredictError } from '../../base/index.ts';
import type { Cell } from '../../experiments/index.ts';
import { startPrivateRedis } from './private-redis.ts';

/** Tries per cell; waits of 1 s, 2 s, ... between them. */
const ATTEMPTS = 3;
const BACKOFF_MS = 1_000;
/** A cluster that fails this many cells running will fail the others too. */
const MOST_IN_A_ROW = 3;

export interface QueueOptions {
  /** redis:// or unix path of a server to use; a private one otherwise. */
  readonly redis: string | undefined;
  /** Names the queue: cells of one campaign on one cluster run one at a time. */
  readonly name: string;
  readonly cells: readonly Cell[];
  readonly signal: AbortSignal;
  /** Runs one cell; an error of kind `infrastructure` is tried again, everything else ends the sweep. */
  readonly run: (cell: Cell, attempt: number) => Promise<void>;
  readonly onRetry: (cell: Cell, attempt: number, reason: string) => void;
}

export interface QueueOutcome {
  /** Cells that no try could measure, with the last reason. */
  readonly unmeasured: readonly { readonly cell: Cell; readonly reason: string }[];
}

/**
 * One BullMQ job per cell, one at a time in the order of the plan. Infrastructure faults are tried again with backoff
 * while the other cells go on. The files are the truth: jobs that an earlier controller left are dropped.
 */
export async function runQueue(options: QueueOptions): Promise<QueueOutcome> {
  const own = options.redis === undefined ? await startPrivateRedis() : undefined;
  try {
    return await work(options, own ? { path: own.socket } : redisOptions(options.redis ?? ''));
  } finally {
    await own?.stop();
  }
}

async function work(
  { name, cells, signal, run, onRetry }: QueueOptions,
  server: { path: string } | { url: string },
): Promise<QueueOutcome> {
  const connection = await reach(server);
  const queue = new Queue<Cell>(name, { connection });
  const unmeasured: { cell: Cell; reason: string }[] = [];
  let inARow = 0;
  let stop: (error?: unknown) => void = () => undefined;
  const finished = new Promise<void>((resolve, reject) => {
    stop = (error) => (error === undefined ? resolve() : reject(error));
  });
  // It may be rejected before anybody waits for it.
  finished.catch(() => undefined);
  let left = cells.length;
  const settle = (): void => {
    left -= 1;
    if (left === 0) stop();
  };
  const worker = new Worker<Cell>(
    name,
    async ({ data, attemptsMade }) => {
      if (signal.aborted) throw new UnrecoverableError('interrupted');
      try {
        await run(data, attemptsMade + 1);
        inARow = 0;
      } catch (error) {
        const kind = error instanceof PredictError ? error.kind : 'unexpected';
        if (kind === 'infrastructure') throw error;
        stop(error);
        throw new UnrecoverableError(messageOf(error));
      }
    },
    { connection, concurrency: 1, autorun: false, lockDuration: 120_000, maxStalledCount: 0 },
  );
  worker.on('completed', settle);
  worker.on('failed', (job, error) => {
    if (!job || signal.aborted) return;
    if (job.attemptsMade < ATTEMPTS && !(error instanceof UnrecoverableError)) {
      onRetry(job.data, job.attemptsMade, error.message);
      return;
    }
    unmeasured.push({ cell: job.data, reason: error.message });
    inARow += 1;
    if (inARow >= MOST_IN_A_ROW) stop();
    else settle();
  });
  worker.on('error', (error) =>
    stop(new PredictError(`The queue failed: ${error.message}.`, { kind: 'unexpected', cause: error })),
  );
  const interrupt = (): void => stop(new PredictError('Interrupted.', { kind: 'interrupted' }));
  if (signal.aborted) interrupt();
  signal.addEventListener('abort', interrupt, { once: true });
  try {
    await queue.obliterate({ force: true });
    await queue.addBulk(
      cells.map((cell) => ({
        name: 'cell',
        data: cell,
        opts: {
          jobId: cell.id,
          attempts: ATTEMPTS,
          backoff: { type: 'exponential', delay: BACKOFF_MS },
          removeOnComplete: true,
        },
      })),
    );
    if (cells.length === 0) stop();
    else void worker.run().catch((error: unknown) => stop(error));
    await finished;
    return { unmeasured };
  } finally {
    signal.removeEventListener('abort', interrupt);
    // Waits for the cell that is running; an interrupt has reached it through the same signal.
    await worker.close();
    await queue.obliterate({ force: true });
    await queue.close();
    connection.disconnect();
  }
}

async function reach(server: { path: string } | { url: string }): Promise<Redis & ConnectionOptions> {
  const settings = { maxRetriesPerRequest: null, lazyConnect: true, retryStrategy: () => null };
  const redis = 'url' in server ? new Redis(server.url, settings) : new Redis({ ...settings, path: server.path });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    return redis as Redis & ConnectionOptions;
  } catch (error) {
    const where = 'url' in server ? server.url.replace(/\/\/[^@/]*@/, '//') : server.path;
    throw new PredictError(`The Redis server at ${where} does not answer: ${messageOf(error)}.`, {
      kind: 'infrastructure',
      cause: error,
    });
  }
}

function redisOptions(text: string): { path: string } | { url: string } {
  return text.startsWith('/') ? { path: text } : { url: /^rediss?:\/\//.test(text) ? text : `redis://${text}` };
}

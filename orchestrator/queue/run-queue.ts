import { messageOf, PredictError } from '../../base/index.ts';
import type { Cell } from '../../experiments/index.ts';
import { CellQueue, type Claim } from './cell-queue.ts';
import { startPrivateRedis } from './private-redis.ts';

/** A cluster that fails this many cells running will fail the others too. */
const MOST_IN_A_ROW = 3;

export interface QueueOptions {
  /** A server to use, as `CellQueue.open` takes it; a private one otherwise. */
  readonly redis: string | undefined;
  /** Names the queue: controllers of the same sweep share its cells. */
  readonly name: string;
  /** The cells of the sweep, in the order of their turns. */
  readonly plan: readonly Cell[];
  /** Those of them that were measured before. */
  readonly done: { has(id: string): boolean };
  readonly signal: AbortSignal;
  /** Whether the store has the cell: another controller may have measured it. */
  readonly isDone: (cell: Cell) => Promise<boolean>;
  /** Runs one cell; an error of kind `infrastructure` is tried again, everything else ends the sweep. */
  readonly run: (cell: Cell, attempt: number) => Promise<void>;
  readonly onRetry: (cell: Cell, attempt: number, reason: string) => void;
  readonly onGivenUp: (cell: Cell, reason: string) => void;
  /** A job that names no cell of the plan was dropped. */
  readonly onUnknown: (id: string) => void;
}

export interface QueueOutcome {
  /** Cells that no try could measure, with the last reason. */
  readonly unmeasured: readonly { readonly cell: Cell; readonly reason: string }[];
}

/**
 * Measures the cells one at a time in the order of the plan. Infrastructure faults are tried again with backoff while the
 * other cells go on; an interrupt waits for the cell that is running. The store is the truth, the queue only shares the work.
 */
export async function runQueue(options: QueueOptions): Promise<QueueOutcome> {
  const own = options.redis === undefined ? await startPrivateRedis() : undefined;
  try {
    const queue = await CellQueue.open(options.redis ?? own?.socket ?? '', options.name);
    try {
      await queue.enqueue(options.plan, options.done);
      return await workOff(queue, options);
    } finally {
      await queue.close();
    }
  } finally {
    await own?.stop();
  }
}

async function workOff(queue: CellQueue, options: QueueOptions): Promise<QueueOutcome> {
  const { plan, signal, onRetry, onGivenUp } = options;
  const planned = new Map(plan.map((cell) => [cell.id, cell]));
  const unmeasured: { cell: Cell; reason: string }[] = [];
  let inARow = 0;
  for (let claim = await next(queue, signal); claim; claim = await next(queue, signal)) {
    const cell = planned.get(claim.id);
    if (!cell) {
      options.onUnknown(claim.id);
      await queue.settle(claim, { kind: 'done' });
      continue;
    }
    const reason = await measure(queue, { claim, cell, options });
    if (reason === null) {
      inARow = 0;
    } else if ((await queue.settle(claim, { kind: 'fault', reason })) === 'again') {
      onRetry(cell, claim.attempt, reason);
    } else {
      onGivenUp(cell, reason);
      unmeasured.push({ cell, reason });
      inARow += 1;
      if (inARow >= MOST_IN_A_ROW) break;
    }
  }
  return { unmeasured };
}

/** Runs a claimed cell and settles it; the reason of an infrastructure fault is returned for the caller to settle. */
async function measure(
  queue: CellQueue,
  { claim, cell, options }: { readonly claim: Claim; readonly cell: Cell; readonly options: QueueOptions },
): Promise<string | null> {
  try {
    if (!(await options.isDone(cell))) await options.run(cell, claim.attempt);
  } catch (error) {
    if (!options.signal.aborted && error instanceof PredictError && error.kind === 'infrastructure') {
      return messageOf(error);
    }
    // What ended the sweep matters more than a server that is gone too.
    await queue.settle(claim, { kind: 'untried' }).catch(() => undefined);
    throw options.signal.aborted ? interrupted() : error;
  }
  await queue.settle(claim, { kind: 'done' });
  return null;
}

/** The next claim, or the interrupt if that comes first. */
async function next(queue: CellQueue, signal: AbortSignal): Promise<Claim | null> {
  if (signal.aborted) throw interrupted();
  let stop: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(interrupted());
  });
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([aborted, queue.claim()]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function interrupted(): PredictError {
  return new PredictError('Interrupted.', { kind: 'interrupted' });
}

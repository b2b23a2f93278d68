import { setTimeout as delay } from 'node:timers/promises';
import { messageOf, PredictError } from '../../base/errors.ts';
import { likeness } from '../../base/text.ts';
import type { Cell } from '../../experiments/records.ts';
import { HostLost } from '../hosts/lost-hosts.ts';
import { unlessAborted, within } from '../waiting.ts';
import { type Claim, type MeasuringPlace, type MeasuringPlaces, type Queue, Unmendable } from './queue.ts';

/** Tries per cell, one after the other; waits of 1 s, 2 s, ... between them. */
export const ATTEMPTS = 3;
const BACKOFF_MS = 1_000;
/** A cluster that fails so many cells running, two of them in the same way, will fail the others too. */
const MOST_IN_A_ROW = 3;
/** For giving a cell back to the queue at the sweep's end. */
const GIVE_BACK_MS = 1_000;
/** For the cells that run to end after an interrupt. */
const ABORT_MS = 20_000;

export interface WorkOptions<P extends MeasuringPlace> {
  readonly places: MeasuringPlaces<P>;
  /** The cells of the sweep, in the order of their turns. */
  readonly plan: readonly Cell[];
  readonly signal: AbortSignal;
  /** Whether the store has the cell: a queue that is gone on with, or started anew, also holds cells that were measured since. */
  readonly isDone: (cell: Cell) => Promise<boolean>;
  /**
   * Runs one cell. An error of kind `infrastructure` is tried again, a `HostLost` gives the cell up at once or, for the head,
   * ends the sweep like everything else.
   */
  readonly run: (cell: Cell, attempt: number, place: P) => Promise<void>;
  readonly onRetry: (cell: Cell, attempt: number, reason: string) => void;
  readonly onGivenUp: (cell: Cell, reason: string) => void;
  /** A job that names no cell of the plan was dropped. */
  readonly onUnknown: (id: string) => void;
  readonly times?: {
    /** For the running cell to end after an interrupt. */
    readonly abortMs?: number;
    /** Before a second try; twice as long before the third. */
    readonly backoffMs?: number;
  };
}

/** A cell that no try could measure, with the last reason. */
export interface Unmeasured {
  readonly cell: Cell;
  readonly reason: string;
}

/**
 * Measures what a queue has, each cell in the place that it gets, and adds to `unmeasured` what was given up. What ends the work is thrown
 * once the cells that run then have ended.
 */
export async function workOff<P extends MeasuringPlace>(
  queue: Queue,
  options: WorkOptions<P>,
  unmeasured: Map<string, Unmeasured>,
): Promise<void> {
  const { places, plan, signal } = options;
  const planned = new Map(plan.map((cell) => [cell.id, cell]));
  const work: Work<P> = { queue, options, unmeasured, inARow: [], isOver: false };
  const running = new Set<Promise<void>>();
  try {
    for (;;) {
      await places.ready();
      if (work.isOver) break;
      const claim = await next(queue, signal);
      if (claim === null) {
        if (running.size === 0) break;
        // What is given back comes again.
        await Promise.race(running);
        continue;
      }
      const cell = planned.get(claim.id);
      if (!cell) {
        options.onUnknown(claim.id);
        await queue.settle(claim, { kind: 'done' });
        continue;
      }
      const place = await places.enter(cell);
      const turn: Promise<void> = place.inTurn(async () => {
        await takeTurn(work, { claim, cell, place }).catch((error: unknown) => {
          work.isOver = true;
          work.failure ??= { error };
        });
        running.delete(turn);
      });
      running.add(turn);
    }
  } catch (error) {
    work.isOver = true;
    work.failure ??= { error };
  }
  await Promise.all(running);
  if (work.failure !== undefined) throw work.failure.error;
}

interface Work<P extends MeasuringPlace> {
  readonly queue: Queue;
  readonly options: WorkOptions<P>;
  readonly unmeasured: Map<string, Unmeasured>;
  /** Why the cells since the last one that was measured were given up. */
  inARow: string[];
  /** No other cell begins. */
  isOver: boolean;
  failure?: { readonly error: unknown };
}

interface Turn<P extends MeasuringPlace> {
  readonly claim: Claim;
  readonly cell: Cell;
  readonly place: P;
}

async function takeTurn<P extends MeasuringPlace>(work: Work<P>, turn: Turn<P>): Promise<void> {
  const { queue, options, unmeasured } = work;
  const { claim, cell } = turn;
  if (work.isOver) return await giveBack(queue, claim);
  const fault = await measure(work, turn);
  if (fault === null) {
    work.inARow = [];
    return;
  }
  if (fault instanceof HostLost && options.places.hasOthersFor(cell)) {
    await queue.settle(claim, { kind: 'untried' });
    return;
  }
  const reason = messageOf(fault);
  await queue.settle(claim, { kind: 'hopeless', reason });
  options.onGivenUp(cell, reason);
  unmeasured.set(cell.id, { cell, reason });
  // A host that is out of reach says nothing about cells on other hosts.
  if (fault instanceof HostLost) return;
  const kind = likeness(reason);
  work.isOver ||= work.inARow.includes(kind) || work.inARow.length + 1 >= MOST_IN_A_ROW;
  work.inARow.push(kind);
}

/** Tries a claimed cell and settles it; the fault of its last try is returned for the caller to settle. */
async function measure<P extends MeasuringPlace>(
  { queue, options }: Work<P>,
  { claim, cell, place }: Turn<P>,
): Promise<PredictError | null> {
  const { signal, isDone, run, onRetry, times: { abortMs = ABORT_MS, backoffMs = BACKOFF_MS } = {} } = options;
  try {
    for (let attempt = 1; ; attempt += 1) {
      try {
        if (signal.aborted) throw interrupted();
        if (!(await isDone(cell))) await unlessAborted(run(cell, attempt, place), signal, abortMs);
        break;
      } catch (error) {
        const ends = signal.aborted || error instanceof Unmendable || (error instanceof HostLost && error.isHead);
        if (ends || !(error instanceof PredictError && error.kind === 'infrastructure')) throw error;
        // What was measured in vain on a queue that is gone is not tried again there.
        if (queue.lost !== undefined) throw queue.lost;
        if (attempt === ATTEMPTS || error instanceof HostLost) return error;
        onRetry(cell, attempt, messageOf(error));
        await delay(backoffMs * 2 ** (attempt - 1), undefined, { signal });
      }
    }
  } catch (error) {
    // What ended the sweep, and links that wait to be restored, matter more than a server that is gone too.
    await giveBack(queue, claim);
    throw signal.aborted ? interrupted() : error;
  }
  await queue.settle(claim, { kind: 'done' });
  return null;
}

async function giveBack(queue: Queue, claim: Claim): Promise<void> {
  const settled = queue.settle(claim, { kind: 'untried' }).catch(() => undefined);
  await within<unknown>(GIVE_BACK_MS, settled, () => undefined);
}

/** The next claim, or the interrupt if that comes first. */
async function next(queue: Queue, signal: AbortSignal): Promise<Claim | null> {
  if (signal.aborted) throw interrupted();
  return unlessAborted(queue.claim(), signal);
}

function interrupted(): PredictError {
  return new PredictError('Interrupted.', { kind: 'interrupted' });
}

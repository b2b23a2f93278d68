import { PredictError } from '../../base/errors.ts';
import type { Cell } from '../../experiments/records.ts';

/** A cell that is this controller's to measure until it is settled. */
export interface Claim {
  readonly id: string;
}

/** What became of a claim: `hopeless` gives the cell up, `untried` gives it back as it was. */
export type Outcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'hopeless'; readonly reason: string }
  | { readonly kind: 'untried' };

/** The cells of one sweep that wait to be measured. What is done is for the store to say. */
export interface Queue {
  /** Why the queue is gone; undefined while it is there. */
  readonly lost: PredictError | undefined;
  /** Adds the cells of a plan that are neither done nor queued yet; turns come in the plan's order. */
  enqueue(plan: readonly Cell[], done: { has(id: string): boolean }): Promise<void>;
  /** The next cell; waits while all that are left are held by others. Null when none is left. */
  claim(): Promise<Claim | null>;
  /** Ends a claim: the cell is settled, it is given up, or its turn comes again. */
  settle(claim: Claim, outcome: Outcome): Promise<void>;
  close(): Promise<void>;
}

/** Where cells are measured. */
export interface MeasuringPlaces<P extends MeasuringPlace> {
  /** Resolves once there may be room for one more cell. */
  ready(): Promise<void>;
  /** Waits for a place for a cell. */
  enter(cell: Cell): Promise<P>;
  /** Whether a cell of which a host was lost may be measured on others. */
  hasOthersFor(cell: Cell): boolean;
}

export interface MeasuringPlace {
  /** Does a task once those that were given before have ended. */
  inTurn(task: () => Promise<void>): Promise<void>;
}

/** What keeps every run from starting until somebody mends it: the sweep ends with it, and no cell is tried again. */
export class Unmendable extends PredictError {}

/** The cells of one sweep in this process, for a controller that shares them with nobody. */
export class LocalQueue implements Queue {
  readonly lost = undefined;
  /** Ids in the order of their turns. */
  readonly #waiting: string[] = [];
  readonly #held = new Set<string>();

  async enqueue(plan: readonly Cell[], done: { has(id: string): boolean }): Promise<void> {
    const known = new Set([...this.#waiting, ...this.#held]);
    this.#waiting.push(...plan.map(({ id }) => id).filter((id) => !done.has(id) && !known.has(id)));
  }

  async claim(): Promise<Claim | null> {
    const id = this.#waiting.shift();
    if (id === undefined) return null;
    this.#held.add(id);
    return { id };
  }

  async settle({ id }: Claim, { kind }: Outcome): Promise<void> {
    this.#held.delete(id);
    if (kind === 'untried') this.#waiting.unshift(id);
  }

  async close(): Promise<void> {
    this.#waiting.length = 0;
  }
}

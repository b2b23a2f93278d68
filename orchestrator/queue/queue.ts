import type { PredictError } from '../../base/errors.ts';
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
  settle(claim: Claim, outcome: Outcome): Promise<'settled' | 'again' | 'given up'>;
  close(): Promise<void>;
}

import { PredictError } from '../base/errors.ts';
import { likeness } from '../base/text.ts';
import type { CellRecord } from '../experiments/records.ts';

/** A limit that cells of other sizes or bandwidths may keep: such failures are results. */
const LIMITS = /took longer than|OOM killer/;

/**
 * Ends a sweep of which no run ever worked: two different cells that fail in the same way say that the others will too. `hasWorked`:
 * some cell of the campaign did.
 */
export class FailedAlike {
  #hasWorked: boolean;
  readonly #known = new Map<string, string>();

  constructor(hasWorked: boolean) {
    this.#hasWorked = hasWorked;
  }

  /** Errors: `workload` at the second cell that failed like another one; `folder` is where its output is. */
  take({ cell, status, reason }: Pick<CellRecord, 'cell' | 'status' | 'reason'>, folder: string): void {
    this.#hasWorked ||= status === 'ok';
    if (this.#hasWorked || reason === null || LIMITS.test(reason)) return;
    const kind = likeness(reason);
    const before = this.#known.get(kind);
    this.#known.set(kind, cell.id);
    if (before === undefined || before === cell.id) return;
    throw new PredictError(
      `The sweep stops because no run succeeded and two cells failed in the same way: ${reason} Their output is in ${folder}. Rerun the same command to measure the other cells; remove the folders of these two to repeat them.`,
      { kind: 'workload' },
    );
  }
}

import { at } from '../../../base/index.ts';

/**
 * Sums differences of counters. The monitor subtracts unsigned words, so a counter that ran backwards (an interface set up
 * anew, steal time on some hypervisors) shows as one close to 2^bits: what happened is unknown and counts as 0.
 */
export class DeltaSum {
  readonly #limit: number;
  #backwards = 0;

  constructor({ bits }: { readonly bits: 32 | 64 }) {
    this.#limit = 2 ** (bits - 1);
  }

  /** The sum of the values at these places. */
  of(values: readonly number[], places: readonly number[]): number {
    let sum = 0;
    for (const place of places) {
      const value = at(values, place);
      if (value < this.#limit) sum += value;
      else this.#backwards += 1;
    }
    return sum;
  }

  notices(file: string): string[] {
    if (this.#backwards === 0) return [];
    return [`${file} has differences of counters that ran backwards, ${this.#backwards} in all: they count as 0.`];
  }
}

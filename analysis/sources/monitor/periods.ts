import { at } from '../../../base/lists.ts';

/** Rates over touching periods, one column per metric; period i is from bound i to bound i + 1. */
export interface Periods {
  readonly boundsNs: readonly bigint[];
  readonly columns: readonly (readonly number[])[];
}

/**
 * Turns differences of counters into rates. The monitor subtracts unsigned words, so a counter that ran backwards (an interface
 * set up anew, steal time on some hypervisors) shows as one close to 2^bits: what happened is unknown and counts as 0.
 */
export class PeriodsWriter {
  readonly #perSecond: number;
  readonly #limit: number;
  readonly #boundsNs: bigint[] = [];
  readonly #columns: readonly number[][];
  #fromNs: bigint | null = null;
  #backwards = 0;

  /** `scale`: what a count of 1 is, in the rates' unit times seconds: 1/100 for jiffies as cores, 512 for sectors as bytes. */
  constructor({ columns, scale, bits }: { readonly columns: number; readonly scale: number; readonly bits: 32 | 64 }) {
    this.#perSecond = scale * 1e9;
    this.#limit = 2 ** (bits - 1);
    this.#columns = Array.from({ length: columns }, () => []);
  }

  /** A reading whose counts are since boot: only what is counted after it has a known beginning. */
  baseline(timeNs: bigint): void {
    this.#fromNs = timeNs;
    if (this.#boundsNs.length < 2) this.#boundsNs[0] = timeNs;
  }

  /**
   * A reading and its differences to the one before it; per column the places of those that it sums. After a later baseline the
   * period reaches back to close the gap.
   */
  add(timeNs: bigint, values: readonly number[], places: readonly (readonly number[])[]): void {
    const ns = Number(timeNs - (this.#fromNs ?? timeNs));
    this.#boundsNs.push(timeNs);
    for (const [index, column] of this.#columns.entries()) {
      let sum = 0;
      for (const place of at(places, index)) {
        const value = at(values, place);
        if (value < this.#limit) sum += value;
        else this.#backwards += 1;
      }
      column.push((sum * this.#perSecond) / ns);
    }
    this.#fromNs = timeNs;
  }

  /** Null when there is no period. */
  finish(file: string, notices: string[]): Periods | null {
    if (this.#backwards > 0) {
      notices.push(`${file} has ${this.#backwards} counter differences below zero: they count as 0.`);
    }
    return this.#boundsNs.length < 2 ? null : { boundsNs: this.#boundsNs, columns: this.#columns };
  }
}

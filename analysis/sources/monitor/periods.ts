import { at } from '../../../base/index.ts';

/** Rates over touching periods, one column per metric; period i is from bound i to bound i + 1. */
export interface Periods {
  readonly boundsNs: readonly bigint[];
  readonly columns: readonly (readonly number[])[];
}

/** Turns what was counted between readings into rates. */
export class PeriodsWriter {
  readonly #perSecond: number;
  readonly #boundsNs: bigint[] = [];
  readonly #columns: readonly number[][];
  #fromNs: bigint | null = null;

  /** `scale`: what a count of 1 is, in the rates' unit times seconds: 1/100 for jiffies as cores, 512 for sectors as bytes. */
  constructor({ columns, scale }: { readonly columns: number; readonly scale: number }) {
    this.#perSecond = scale * 1e9;
    this.#columns = Array.from({ length: columns }, () => []);
  }

  /** A reading whose counts are since boot: only what is counted after it has a known beginning. */
  baseline(timeNs: bigint): void {
    this.#fromNs = timeNs;
    if (this.#boundsNs.length < 2) this.#boundsNs[0] = timeNs;
  }

  /** A reading and its counts since the one before it. After a later baseline the period reaches back to close the gap. */
  add(timeNs: bigint, counts: readonly number[]): void {
    const ns = Number(timeNs - (this.#fromNs ?? timeNs));
    this.#boundsNs.push(timeNs);
    for (const [place, column] of this.#columns.entries()) column.push((at(counts, place) * this.#perSecond) / ns);
    this.#fromNs = timeNs;
  }

  /** Null when there is no period. */
  finish(): Periods | null {
    return this.#boundsNs.length < 2 ? null : { boundsNs: this.#boundsNs, columns: this.#columns };
  }
}

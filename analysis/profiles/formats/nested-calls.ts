import type { ProfileBuilder } from './profile-builder.ts';

/** Calls of one thread that open and close in the order of time, one within the other: what passes is the innermost one's own. */
export class NestedCalls {
  readonly #builder: ProfileBuilder;
  /** So many units of the times are one of the profile. */
  readonly #divisor: number;
  readonly #names: string[] = [];
  #now = Number.NEGATIVE_INFINITY;

  constructor(builder: ProfileBuilder, divisor: number) {
    this.#builder = builder;
    this.#divisor = divisor;
  }

  open(name: string, time: number): void {
    this.#pass(time);
    this.#names.push(name);
  }

  /** Closes the innermost call. */
  close(time: number): void {
    this.#pass(time);
    this.#names.pop();
  }

  #pass(time: number): void {
    if (this.#names.length > 0 && time > this.#now) this.#builder.add(this.#names, (time - this.#now) / this.#divisor);
    this.#now = time;
  }
}

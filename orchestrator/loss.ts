/** Something that may be gone once, for a reason, and those who want to hear of it. */
export class Loss<Reason> {
  readonly #waiting = new Set<(reason: Reason) => void>();
  #reason: Reason | undefined;

  /** Why it is gone; undefined while it is there. */
  get reason(): Reason | undefined {
    return this.#reason;
  }

  /** The first reason counts. */
  happened(reason: Reason): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    for (const task of this.#waiting) task(reason);
    this.#waiting.clear();
  }

  /** Calls back once it is gone, at once if it is; what is returned takes the call back. */
  when(task: (reason: Reason) => void): () => void {
    if (this.#reason === undefined) this.#waiting.add(task);
    else task(this.#reason);
    return () => void this.#waiting.delete(task);
  }
}

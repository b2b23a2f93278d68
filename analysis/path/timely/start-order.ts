// Operators of a worker in the order in which they were started last: that tells whether every one has run since an instant.

const [NONE, GONE] = [-1, -2];

/** Small numbers in an order; any may leave or go to the end, both in constant time. */
export class StartOrder {
  private before: number[] = [];
  private after: number[] = [];
  private head = NONE;
  private tail = NONE;

  /** The one that is longest in it; -1 where there is none. */
  get first(): number {
    return this.head;
  }

  /** Puts an item at the end, wherever it was. */
  toEnd(item: number): void {
    if (this.tail === item) return;
    this.remove(item);
    this.before[item] = this.tail;
    this.after[item] = NONE;
    if (this.tail === NONE) this.head = item;
    else this.after[this.tail] = item;
    this.tail = item;
  }

  remove(item: number): void {
    const before = this.before[item];
    if (before === undefined || before === GONE) return;
    const after = this.after[item] ?? NONE;
    if (before === NONE) this.head = after;
    else this.after[before] = after;
    if (after === NONE) this.tail = before;
    else this.before[after] = before;
    this.before[item] = GONE;
  }
}

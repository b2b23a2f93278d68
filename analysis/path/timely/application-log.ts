// Activities that a program names itself (Sager 2016, section 4.3.2): nested, and the innermost counts.
import { Floats, Ints } from './growing.ts';

/** Innermost activities of one worker as stretches that do not overlap, in order. */
export class ApplicationLog {
  readonly startNs = new Floats();
  readonly endNs = new Floats();
  readonly id = new Ints();
  private readonly open: number[] = [];
  private since = 0;

  start(id: number, t: number): true {
    this.upTo(t);
    this.open.push(id);
    return true;
  }

  /** False where another activity is the innermost: then all inside the one that stops are over, if it is open at all. */
  stop(id: number, t: number): boolean {
    this.upTo(t);
    const at = this.open.lastIndexOf(id);
    const isInnermost = at >= 0 && at === this.open.length - 1;
    if (at >= 0) this.open.length = at;
    return isInnermost;
  }

  /** What is still open ends at `t`, ns. */
  end(t: number): void {
    this.upTo(t);
    this.open.length = 0;
  }

  /** Writes the innermost activity down to `t`, ns. */
  upTo(t: number): void {
    const innermost = this.open.at(-1);
    if (innermost !== undefined && t > this.since) {
      this.startNs.push(this.since);
      this.endNs.push(t);
      this.id.push(innermost);
    }
    this.since = t;
  }

  /** Forgets what ends at or before `t`, ns. */
  forget(t: number): void {
    let count = 0;
    while (count < this.endNs.length && this.endNs.at(count) <= t) count += 1;
    for (const column of [this.startNs, this.endNs, this.id]) column.dropFirst(count);
  }
}

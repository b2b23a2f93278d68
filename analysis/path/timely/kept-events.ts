// What is kept of one worker after the wait analysis, in columns; times by the clock of its process.
import { Floats, Ints } from './growing.ts';

export const KEPT = { opActive: 0, opIdle: 1, wait: 2, waitInput: 3 } as const;

/** What ended a wait: a message, or useful work that nothing seen explains (then the worker waited for input). */
export const ENDED_BY = {
  data: 0,
  progress: 1,
  activeWithoutCause: 2,
  readWhileItArrived: 3,
  sendOutside: 4,
  progressSentWithoutCause: 5,
  pushWithoutCause: 6,
  readWithoutSend: 7,
} as const;

/** Activities of a worker, one after another; `detail` is the operator, of waits the row of `Waits`. */
export class Kept {
  readonly start = new Floats();
  readonly end = new Floats();
  readonly kind = new Ints();
  readonly detail = new Ints();
  readonly waits = new Waits();

  push(kind: number, start: number, end: number, detail: number): void {
    this.start.push(start);
    this.end.push(end);
    this.kind.push(kind);
    this.detail.push(detail);
  }

  get length(): number {
    return this.start.length;
  }

  /** The end of the last one, ns. */
  get lastEnd(): number {
    return this.length === 0 ? Number.NEGATIVE_INFINITY : this.end.at(this.length - 1);
  }

  /** Forgets activities that end at or before `t`; their waits stay until the last of them is gone. */
  forget(t: number): void {
    let count = 0;
    while (count < this.length && this.end.at(count) <= t) count += 1;
    for (const column of [this.start, this.end, this.kind, this.detail]) column.dropFirst(count);
    let waits = 0;
    while (waits < this.waits.length && this.waits.end.at(waits) <= t) waits += 1;
    this.waits.forget(waits);
    for (let row = 0; row < this.length; row += 1) {
      if (this.kind.at(row) >= KEPT.wait) this.detail.values[row] = this.detail.at(row) - waits;
    }
  }
}

/** Why each wait ended; `source` is a worker, or the operator that became active. */
class Waits {
  readonly start = new Floats();
  readonly end = new Floats();
  readonly endedBy = new Ints();
  readonly source = new Ints();
  readonly sent = new Floats();
  readonly read = new Floats();

  push(wait: { start: number; end: number; endedBy: number; source: number; sent: number; read: number }): number {
    this.start.push(wait.start);
    this.end.push(wait.end);
    this.endedBy.push(wait.endedBy);
    this.source.push(wait.source);
    this.sent.push(wait.sent);
    this.read.push(wait.read);
    return this.start.length - 1;
  }

  get length(): number {
    return this.start.length;
  }

  forget(count: number): void {
    for (const column of [this.start, this.end, this.endedBy, this.source, this.sent, this.read])
      column.dropFirst(count);
  }
}

// Waits of one worker that spins (Sager 2016, sections 5.1.2 and 5.1.3). Every piece of useful work has a direct cause: from the
// cause to the work the worker does not wait. So it waits at an execution's start t if the earliest cause of all that it does
// usefully from there on lies after t, and the wait ends with that cause. One pass backward finds all: the earliest cause of
// what follows is a running minimum.
import { Floats, Ints } from './growing.ts';
import { ENDED_BY, KEPT, type Kept } from './kept.ts';

/** As many executions are held back before a first look which of them are decided. */
const FIRST_LOOK = 1 << 14;

export interface Cause {
  /** When the cause was there: an arrival, a reading, the start of an execution; ns. */
  readonly t: number;
  /** `ENDED_BY`, the worker or operator it came from, when it was sent and read. */
  readonly endedBy: number;
  readonly source: number;
  readonly sent: number;
  readonly read: number;
}

/** Executions in the order of their starts, and the earliest cause of the useful work after each and before the next. */
export class WaitAnalysis {
  private readonly start = new Floats();
  private readonly end = new Floats();
  private readonly operator = new Ints();
  /** 1: did something. */
  private readonly active = new Ints();
  /** The end of the last useful work before each. */
  private readonly useful = new Floats();
  private readonly cause = new Floats();
  private readonly endedBy = new Ints();
  private readonly source = new Ints();
  private readonly sent = new Floats();
  private readonly read = new Floats();
  private readonly kept: Kept;
  /** Waits begin where useful work ended (`gap`), else where the first idle execution found waiting begins. */
  private readonly fromGap: boolean;
  private lastUseful: number;
  private look = FIRST_LOOK;
  /** The wait that was emitted last. */
  private open = { end: Number.NaN, row: -1 };

  constructor(kept: Kept, { fromGap, bornNs }: { fromGap: boolean; bornNs: number }) {
    this.kept = kept;
    this.fromGap = fromGap;
    this.lastUseful = bornNs;
  }

  begin(start: number, operator: number): void {
    this.start.push(start);
    this.end.push(Number.NaN);
    this.operator.push(operator);
    this.active.push(0);
    this.useful.push(this.lastUseful);
    this.cause.push(Number.POSITIVE_INFINITY);
    this.endedBy.push(0);
    this.source.push(0);
    this.sent.push(0);
    this.read.push(0);
  }

  /** The execution that began last ends. */
  finish(end: number, isActive: boolean): void {
    const row = this.start.length - 1;
    if (row < 0) return;
    this.end.values[row] = end;
    this.active.values[row] = isActive ? 1 : 0;
  }

  /** Useful work at `t`, which `cause` explains. Of several causes at one instant the message that was sent last counts. */
  explain(t: number, cause: Cause): void {
    this.lastUseful = t;
    const row = this.start.length - 1;
    if (row < 0) return;
    const known = this.cause.at(row);
    if (cause.t > known || (cause.t === known && !this.isBetter(row, cause))) return;
    this.cause.values[row] = cause.t;
    this.endedBy.values[row] = cause.endedBy;
    this.source.values[row] = cause.source;
    this.sent.values[row] = cause.sent;
    this.read.values[row] = cause.read;
  }

  get isFull(): boolean {
    return this.start.length >= this.look;
  }

  /** Up to here (ns) all is decided. */
  get decidedTo(): number {
    return this.start.length === 0 ? Number.POSITIVE_INFINITY : this.start.at(0);
  }

  /** Executions that are held back. */
  get held(): number {
    return this.start.length;
  }

  /**
   * Hands what is decided to `kept`: all whose earliest cause lies before `horizon`, the earliest cause (ns) that work still to
   * come may have. At the end of a trace it is infinite, and executions after the last useful work stay what they are.
   */
  settle(horizon: number): void {
    const decided = this.decide(horizon);
    for (let row = 0; row < decided; row += 1) this.emit(row);
    for (const column of this.columns()) column.dropFirst(decided);
    this.look = Math.max(FIRST_LOOK, this.start.length * 2);
  }

  /** Carries the running minimum back over all rows; how many of the first are decided. */
  private decide(horizon: number): number {
    const { length } = this.start;
    let decided = 0;
    for (let row = length - 2; row >= 0; row -= 1) {
      const later = this.cause.at(row + 1);
      const own = this.cause.at(row);
      if (later < own || (later === own && this.isBetter(row, this.causeOf(row + 1)))) this.copyCause(row);
    }
    while (decided < length && (this.cause.at(decided) < horizon || horizon === Number.POSITIVE_INFINITY)) decided += 1;
    return decided;
  }

  private emit(row: number): void {
    const [start, end, cause] = [this.start.at(row), this.end.at(row), this.cause.at(row)];
    const detail = this.operator.at(row);
    if (this.active.at(row) === 1) return this.kept.push(KEPT.opActive, { start, end, detail });
    if (cause <= start || cause === Number.POSITIVE_INFINITY)
      return this.kept.push(KEPT.opIdle, { start, end, detail });
    if (this.open.end !== cause) this.wait(row, cause);
    if (end > cause) this.kept.push(KEPT.opIdle, { start: cause, end, detail });
  }

  private wait(row: number, end: number): void {
    const start = this.fromGap ? Math.max(this.useful.at(row), this.lastKeptEnd()) : this.start.at(row);
    const endedBy = this.endedBy.at(row);
    const { waits } = this.kept;
    const [source, sent, read] = [this.source.at(row), this.sent.at(row), this.read.at(row)];
    const detail = waits.push({ start, end, endedBy, source, sent, read });
    this.kept.push(endedBy <= ENDED_BY.progress ? KEPT.wait : KEPT.waitInput, { start, end, detail });
    this.open = { end, row: detail };
  }

  private lastKeptEnd(): number {
    const { end, length } = this.kept;
    return length === 0 ? Number.NEGATIVE_INFINITY : end.at(length - 1);
  }

  /** A message before input, then the one sent last, then that of the lowest worker. */
  private isBetter(row: number, than: Cause): boolean {
    const isMessage = than.endedBy <= ENDED_BY.progress;
    const wasMessage = this.endedBy.at(row) <= ENDED_BY.progress;
    if (isMessage !== wasMessage) return isMessage;
    if (!isMessage) return false;
    const sent = this.sent.at(row);
    return than.sent > sent || (than.sent === sent && than.source < this.source.at(row));
  }

  private causeOf(row: number): Cause {
    return {
      t: this.cause.at(row),
      endedBy: this.endedBy.at(row),
      source: this.source.at(row),
      sent: this.sent.at(row),
      read: this.read.at(row),
    };
  }

  private copyCause(to: number): void {
    for (const column of [this.cause, this.endedBy, this.source, this.sent, this.read]) {
      column.values[to] = column.at(to + 1);
    }
  }

  private columns(): readonly (Floats | Ints)[] {
    const { start, end, operator, active, useful, cause, endedBy, source, sent, read } = this;
    return [start, end, operator, active, useful, cause, endedBy, source, sent, read];
  }
}

// Waits of one worker that spins (Sager 2016, sections 5.1.2 and 5.1.3). Every piece of useful work has a direct cause: from the
// cause to the work the worker does not wait. So it waits at an execution's start t if the earliest cause of all that it does
// usefully from there on lies after t, and the wait ends with that cause. One pass backward finds all: the earliest cause of
// what follows is a running minimum.
import { ENDED_BY, KEPT, type Kept } from './kept-events.ts';

/** As many executions are held back before a first look at which of them are decided. */
const FIRST_LOOK = 1 << 14;
const NEVER = Number.POSITIVE_INFINITY;

/** Where useful work came from. */
interface Cause {
  /** When it was there: an arrival, a reading, the start of an execution; ns. */
  readonly t: number;
  /** `ENDED_BY`, the worker or operator it came from, when it was sent and read. */
  readonly endedBy: number;
  readonly source: number;
  readonly sent: number;
  readonly read: number;
}

/** Executions in the order of their starts, and the earliest cause of the useful work after each and before the next. */
export class WaitAnalysis {
  /** Executions that are held back. */
  held = 0;
  private start: Float64Array;
  private end: Float64Array;
  private operator: Int32Array;
  /** 1: did something. */
  private active: Uint8Array;
  /** The end of the last useful work before each; minus infinity where there was none. */
  private useful: Float64Array;
  private cause: Float64Array;
  private endedBy: Uint8Array;
  private source: Int32Array;
  private sent: Float64Array;
  private read: Float64Array;
  private readonly kept: Kept;
  /** Waits begin where useful work ended (`gap`), else where the first idle execution found waiting begins. */
  private readonly fromGap: boolean;
  private lastUseful = Number.NEGATIVE_INFINITY;
  private readonly bornNs: () => number;
  /** The end of the wait that was emitted last, ns. */
  private lastWaitEnd = Number.NaN;

  constructor(
    kept: Kept,
    {
      fromGap,
      bornNs,
      firstLook = FIRST_LOOK,
    }: { readonly fromGap: boolean; readonly bornNs: () => number; readonly firstLook?: number },
  ) {
    this.start = new Float64Array(firstLook);
    this.end = new Float64Array(firstLook);
    this.operator = new Int32Array(firstLook);
    this.active = new Uint8Array(firstLook);
    this.useful = new Float64Array(firstLook);
    this.cause = new Float64Array(firstLook);
    this.endedBy = new Uint8Array(firstLook);
    this.source = new Int32Array(firstLook);
    this.sent = new Float64Array(firstLook);
    this.read = new Float64Array(firstLook);
    this.kept = kept;
    this.fromGap = fromGap;
    this.bornNs = bornNs;
  }

  begin(start: number, operator: number): void {
    const row = this.held;
    this.start[row] = start;
    this.end[row] = Number.NaN;
    this.operator[row] = operator;
    this.active[row] = 0;
    this.useful[row] = this.lastUseful;
    this.cause[row] = NEVER;
    this.held = row + 1;
  }

  /** The execution that began last ends. */
  finish(end: number, isActive: boolean): void {
    const row = this.held - 1;
    if (row < 0) return;
    this.end[row] = end;
    this.active[row] = isActive ? 1 : 0;
  }

  /** Useful work at `t`, which `cause` explains. Of several causes at one instant the message that was sent last counts. */
  explain(t: number, cause: Cause): void {
    this.lastUseful = t;
    const row = this.held - 1;
    if (row < 0) return;
    const known = this.cause[row] ?? NEVER;
    if (cause.t > known || (cause.t === known && !this.isBetter(row, cause))) return;
    this.cause[row] = cause.t;
    this.endedBy[row] = cause.endedBy;
    this.source[row] = cause.source;
    this.sent[row] = cause.sent;
    this.read[row] = cause.read;
  }

  /** Before the next execution begins, some must be settled. */
  get isFull(): boolean {
    return this.held === this.start.length;
  }

  /** From here on (ns) nothing is decided. */
  get decidedTo(): number {
    return this.held === 0 ? NEVER : (this.start[0] ?? NEVER);
  }

  /**
   * Hands what is decided to `kept`: all whose earliest cause lies before `horizon`, the earliest cause (ns) that work still to
   * come may have. At the end of a trace it is infinite, and executions after the last useful work stay what they are.
   */
  settle(horizon: number): void {
    const decided = this.decide(horizon);
    for (let row = 0; row < decided; row += 1) this.emit(row);
    this.dropFirst(decided);
    if (this.held > this.start.length / 2) this.grow();
  }

  /**
   * Of a spin that is still going on, keeps its first execution and those that end at `horizon` or later, where a message may
   * still cut them; how many are gone.
   */
  shorten(horizon: number): number {
    const { held, cause, end, active, start } = this;
    let first = held;
    while (first > 0 && cause[first - 1] === NEVER && active[first - 1] === 0) first -= 1;
    let last = first + 1;
    while (last < held - 1 && (end[last] ?? NEVER) < horizon && (start[last] ?? NEVER) < horizon) last += 1;
    const gone = last - first - 1;
    if (gone <= 0) return 0;
    for (const column of this.columns()) column.copyWithin(first + 1, last, held);
    this.held = held - gone;
    return gone;
  }

  /** When the spin began that may still be going on (ns): nothing useful has been done since; infinite without one. */
  get spinsSince(): number {
    const isSpin = this.held > 0 && this.cause[0] === NEVER && this.active[0] === 0 && !Number.isNaN(this.end[0]);
    return isSpin ? (this.start[0] ?? NEVER) : NEVER;
  }

  /** Carries the running minimum back over all rows; how many of the first are decided. */
  private decide(horizon: number): number {
    const { held, cause } = this;
    for (let row = held - 2; row >= 0; row -= 1) {
      const [own, later] = [cause[row] ?? NEVER, cause[row + 1] ?? NEVER];
      if (later < own || (later === own && later < NEVER && this.isBetter(row, this.causeOf(row + 1)))) this.copy(row);
    }
    if (horizon === NEVER) return held;
    const ended = Number.isNaN(this.end[held - 1]) ? held - 1 : held;
    let decided = 0;
    while (decided < ended && (cause[decided] ?? NEVER) < horizon) decided += 1;
    return decided;
  }

  private emit(row: number): void {
    const { kept } = this;
    const [start, end, cause] = [this.start[row] ?? 0, this.end[row] ?? 0, this.cause[row] ?? NEVER];
    const detail = this.operator[row] ?? 0;
    if (this.active[row] === 1) kept.push(KEPT.opActive, start, end, detail);
    else if (cause <= start || cause === NEVER) kept.push(KEPT.opIdle, start, end, detail);
    else {
      if (this.lastWaitEnd !== cause) this.emitWait(row, cause);
      if (end > cause) kept.push(KEPT.opIdle, cause, end, detail);
    }
  }

  private emitWait(row: number, end: number): void {
    const { kept } = this;
    const { source, endedBy, sent, read } = this.causeOf(row);
    const begin = this.start[row] ?? 0;
    const start = this.fromGap ? this.gapBefore(row) : begin;
    const detail = kept.waits.push({ start, end, endedBy, source, sent, read });
    kept.push(endedBy <= ENDED_BY.progress ? KEPT.wait : KEPT.waitInput, start, end, detail);
    this.lastWaitEnd = end;
  }

  /** Where the time before an execution begins in which nothing was done. A worker that has done nothing yet runs from the trace's beginning. */
  private gapBefore(row: number): number {
    const before = Math.max(this.useful[row] ?? Number.NEGATIVE_INFINITY, this.kept.lastEnd);
    return before === Number.NEGATIVE_INFINITY ? Math.min(this.bornNs(), this.start[row] ?? 0) : before;
  }

  /** A message before input, then the one sent last, then that of the lowest worker. */
  private isBetter(row: number, than: Cause): boolean {
    const isMessage = than.endedBy <= ENDED_BY.progress;
    const wasMessage = (this.endedBy[row] ?? 0) <= ENDED_BY.progress;
    if (isMessage !== wasMessage) return isMessage;
    if (!isMessage) return false;
    const sent = this.sent[row] ?? 0;
    return than.sent > sent || (than.sent === sent && than.source < (this.source[row] ?? 0));
  }

  private causeOf(row: number): Cause {
    return {
      t: this.cause[row] ?? NEVER,
      endedBy: this.endedBy[row] ?? 0,
      source: this.source[row] ?? 0,
      sent: this.sent[row] ?? 0,
      read: this.read[row] ?? 0,
    };
  }

  /** The cause of what follows the next execution is that of this one too. */
  private copy(row: number): void {
    const { t, endedBy, source, sent, read } = this.causeOf(row + 1);
    this.cause[row] = t;
    this.endedBy[row] = endedBy;
    this.source[row] = source;
    this.sent[row] = sent;
    this.read[row] = read;
  }

  private dropFirst(count: number): void {
    if (count === 0) return;
    for (const column of this.columns()) column.copyWithin(0, count, this.held);
    this.held -= count;
  }

  private columns(): readonly Column[] {
    const { start, end, operator, active, useful, cause, endedBy, source, sent, read } = this;
    return [start, end, operator, active, useful, cause, endedBy, source, sent, read];
  }

  private grow(): void {
    this.start = twice(Float64Array, this.start);
    this.end = twice(Float64Array, this.end);
    this.operator = twice(Int32Array, this.operator);
    this.active = twice(Uint8Array, this.active);
    this.useful = twice(Float64Array, this.useful);
    this.cause = twice(Float64Array, this.cause);
    this.endedBy = twice(Uint8Array, this.endedBy);
    this.source = twice(Int32Array, this.source);
    this.sent = twice(Float64Array, this.sent);
    this.read = twice(Float64Array, this.read);
  }
}

type Column = Float64Array | Int32Array | Uint8Array;

function twice<Kind extends Column>(make: new (length: number) => Kind, column: Column): Kind {
  const longer = new make(column.length * 2);
  longer.set(column);
  return longer;
}

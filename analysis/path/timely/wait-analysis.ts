// Waits of one worker that spins (Sager 2016, sections 5.1.2 and 5.1.3). Every piece of useful work has a direct cause: from the
// cause to the work the worker does not wait. So it waits at an execution's start t if the earliest cause of all that it does
// usefully from there on lies after t, and the wait ends with that cause. One pass backward finds all: the earliest cause of
// what follows is a running minimum.
import { ACTIVITY_KINDS } from '../activities.ts';
import { GrowingColumns } from '../growing-columns.ts';
import { Stretches } from './stretches.ts';

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

/** As many executions are held back before a first look at which of them are decided. */
const FIRST_LOOK = 1 << 14;
const NEVER = Number.POSITIVE_INFINITY;
const [OP, WAIT, WAIT_INPUT] = (['op', 'wait', 'wait-input'] as const).map((kind) => ACTIVITY_KINDS.indexOf(kind)) as [
  number,
  number,
  number,
];

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

const CAUSE = { endedBy: Uint8Array, source: Int32Array, sent: Float64Array, read: Float64Array };

/** Executions in the order of their starts, and the earliest cause of the useful work after each and before the next. */
export class WaitAnalysis {
  /** What is decided, by the clock of the worker's process; `name` is the operator twice, and one more where it did nothing. */
  readonly kept = new Stretches();
  /** Why each wait in `kept` ended. */
  readonly ended = new GrowingColumns({ start: Float64Array, end: Float64Array, ...CAUSE });
  /** `active`: 1 did something; `useful`: the end of the last useful work before, minus infinity where there was none. */
  private readonly rows = new GrowingColumns({
    ...{ start: Float64Array, end: Float64Array, operator: Int32Array, active: Uint8Array, useful: Float64Array },
    ...{ cause: Float64Array, ...CAUSE },
  });
  /** Waits begin where useful work ended (`gap`), else where the first idle execution found waiting begins. */
  private readonly fromGap: boolean;
  private readonly bornNs: () => number;
  private lastUseful = Number.NEGATIVE_INFINITY;
  /** The end of the wait that was emitted last, ns. */
  private lastWaitEnd = Number.NaN;
  /** So many rows are held back before some are settled. */
  private most: number;

  constructor({
    fromGap,
    bornNs,
    firstLook = FIRST_LOOK,
  }: { readonly fromGap: boolean; readonly bornNs: () => number; readonly firstLook?: number }) {
    this.fromGap = fromGap;
    this.bornNs = bornNs;
    this.most = firstLook;
  }

  /** Executions that are held back. */
  get held(): number {
    return this.rows.length;
  }

  begin(start: number, operator: number): void {
    const row = this.rows.add();
    const { of } = this.rows;
    of.start[row] = start;
    of.end[row] = Number.NaN;
    of.operator[row] = operator;
    of.active[row] = 0;
    of.useful[row] = this.lastUseful;
    of.cause[row] = NEVER;
  }

  /** The execution that began last ends. */
  finish(end: number, isActive: boolean): void {
    const { length, of } = this.rows;
    if (length === 0) return;
    of.end[length - 1] = end;
    of.active[length - 1] = isActive ? 1 : 0;
  }

  /** Useful work at `t`, which `cause` explains. Of several causes at one instant the message that was sent last counts. */
  explain(t: number, cause: Cause): void {
    this.lastUseful = t;
    const row = this.rows.length - 1;
    if (row >= 0) this.setIfBetter(row, cause);
  }

  /** Before the next execution begins, some must be settled. */
  get isFull(): boolean {
    return this.held >= this.most;
  }

  /** From here on (ns) nothing is decided. */
  get decidedTo(): number {
    return this.held === 0 ? NEVER : (this.rows.of.start[0] as number);
  }

  /**
   * Hands what is decided to `kept`: all whose earliest cause lies before `horizon`, the earliest cause (ns) that work still to
   * come may have. At the end of a trace it is infinite, and executions after the last useful work stay what they are.
   */
  settle(horizon: number): void {
    const decided = this.decide(horizon);
    for (let row = 0; row < decided; row += 1) this.emit(row);
    this.rows.remove(0, decided);
    if (this.held > this.most / 2) this.most *= 2;
  }

  /**
   * Of a spin that is still going on, keeps its first execution and those that end at `horizon` or later, where a message may
   * still cut them; how many are gone.
   */
  shorten(horizon: number): number {
    const { held } = this;
    const { cause, end, active, start } = this.rows.of;
    let first = held;
    while (first > 0 && cause[first - 1] === NEVER && active[first - 1] === 0) first -= 1;
    let last = first + 1;
    while (last < held - 1 && (end[last] as number) < horizon && (start[last] as number) < horizon) last += 1;
    const gone = last - first - 1;
    if (gone <= 0) return 0;
    this.rows.remove(first + 1, last);
    return gone;
  }

  /** When the spin began that may still be going on (ns): nothing useful has been done since; infinite without one. */
  get spinsSince(): number {
    const { start, end, cause, active } = this.rows.of;
    const isSpin = this.held > 0 && cause[0] === NEVER && active[0] === 0 && !Number.isNaN(end[0]);
    return isSpin ? (start[0] as number) : NEVER;
  }

  /** Forgets what ends at or before `t`, ns. */
  forget(t: number): void {
    this.kept.forget(t);
    let waits = 0;
    while (waits < this.ended.length && (this.ended.of.end[waits] as number) <= t) waits += 1;
    this.ended.remove(0, waits);
  }

  /** Carries the running minimum back over all rows; how many of the first are decided. */
  private decide(horizon: number): number {
    const { held } = this;
    const { cause, end } = this.rows.of;
    for (let row = held - 2; row >= 0; row -= 1) {
      const later = cause[row + 1] as number;
      if (later < NEVER && later <= (cause[row] as number)) this.setIfBetter(row, this.causeOf(row + 1));
    }
    if (horizon === NEVER) return held;
    const ended = Number.isNaN(end[held - 1]) ? held - 1 : held;
    let decided = 0;
    while (decided < ended && (cause[decided] as number) < horizon) decided += 1;
    return decided;
  }

  private emit(row: number): void {
    const { of } = this.rows;
    const [start, end, cause] = [of.start[row] as number, of.end[row] as number, of.cause[row] as number];
    const name = (of.operator[row] as number) * 2;
    if (of.active[row] === 1) this.kept.push(start, end, OP, name);
    else if (cause <= start || cause === NEVER) this.kept.push(start, end, OP, name + 1);
    else {
      if (this.lastWaitEnd !== cause) this.emitWait(row, cause);
      if (end > cause) this.kept.push(cause, end, OP, name + 1);
    }
  }

  private emitWait(row: number, end: number): void {
    const { source, endedBy, sent, read } = this.causeOf(row);
    const start = this.fromGap ? this.gapBefore(row) : (this.rows.of.start[row] as number);
    this.ended.addRow({ start, end, endedBy, source, sent, read });
    this.kept.push(start, end, endedBy <= ENDED_BY.progress ? WAIT : WAIT_INPUT, 0);
    this.lastWaitEnd = end;
  }

  /** Where the time before an execution begins in which nothing was done. A worker that has done nothing yet runs from the trace's beginning. */
  private gapBefore(row: number): number {
    const { useful, start } = this.rows.of;
    const before = Math.max(useful[row] as number, this.kept.lastEndNs);
    return before === Number.NEGATIVE_INFINITY ? Math.min(this.bornNs(), start[row] as number) : before;
  }

  /** An earlier cause; of those at one instant a message before input, then the one sent last, then that of the lowest worker. */
  private setIfBetter(row: number, than: Cause): void {
    const { of } = this.rows;
    const known = of.cause[row] as number;
    if (than.t > known || (than.t === known && !this.isPreferred(row, than))) return;
    of.cause[row] = than.t;
    of.endedBy[row] = than.endedBy;
    of.source[row] = than.source;
    of.sent[row] = than.sent;
    of.read[row] = than.read;
  }

  private isPreferred(row: number, than: Cause): boolean {
    const own = this.causeOf(row);
    const isMessage = than.endedBy <= ENDED_BY.progress;
    if (isMessage !== own.endedBy <= ENDED_BY.progress) return isMessage;
    if (!isMessage) return false;
    return than.sent > own.sent || (than.sent === own.sent && than.source < own.source);
  }

  private causeOf(row: number): Cause {
    const { cause, endedBy, source, sent, read } = this.rows.of;
    return {
      t: cause[row] as number,
      endedBy: endedBy[row] as number,
      source: source[row] as number,
      sent: sent[row] as number,
      read: read[row] as number,
    };
  }
}

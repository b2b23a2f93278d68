import { ACTIVITY_KINDS } from '../activities.ts';
import { GrowingColumns } from '../growing-columns.ts';

const COLUMNS = { startNs: Float64Array, endNs: Float64Array, kind: Uint8Array, name: Int32Array };
const APPLICATION = ACTIVITY_KINDS.indexOf('application');

/** Stretches of time in order that do not overlap, ns, with what they are (`ACTIVITY_KINDS`) and a name. */
export class Stretches extends GrowingColumns<typeof COLUMNS> {
  /** `room`: so many fit before the columns grow. */
  constructor(room?: number) {
    super(COLUMNS, room);
  }

  push(startNs: number, endNs: number, kind: number, name: number): void {
    const row = this.add();
    const { of } = this;
    of.startNs[row] = startNs;
    of.endNs[row] = endNs;
    of.kind[row] = kind;
    of.name[row] = name;
  }

  /** Puts one of others at the end. */
  copy(row: number, { of }: Stretches): void {
    this.push(of.startNs[row] as number, of.endNs[row] as number, of.kind[row] as number, of.name[row] as number);
  }

  get lastEndNs(): number {
    return this.length === 0 ? Number.NEGATIVE_INFINITY : (this.of.endNs[this.length - 1] as number);
  }

  /** Forgets what ends at or before `t`, ns. */
  forget(t: number): void {
    let count = 0;
    while (count < this.length && (this.of.endNs[count] as number) <= t) count += 1;
    this.remove(0, count);
  }
}

/** Puts both at the end of `into`, in order; `above` replaces what it covers of `below`. */
export function layered(below: Stretches, above: Stretches, into = new Stretches()): Stretches {
  let top = 0;
  let coveredTo = Number.NEGATIVE_INFINITY;
  for (let row = 0; row < below.length; row += 1) {
    const end = below.of.endNs[row] as number;
    let from = Math.max(below.of.startNs[row] as number, coveredTo);
    while (from < end) {
      while (top < above.length && (above.of.startNs[top] as number) <= from) {
        into.copy(top, above);
        coveredTo = above.of.endNs[top] as number;
        from = Math.max(from, coveredTo);
        top += 1;
      }
      const to = top < above.length ? Math.min(end, above.of.startNs[top] as number) : end;
      if (to > from) into.push(from, to, below.of.kind[row] as number, below.of.name[row] as number);
      from = Math.max(from, to);
    }
  }
  for (; top < above.length; top += 1) into.copy(top, above);
  return into;
}

/** Activities that a program names itself (Sager 2016, section 4.3.2): nested, and the innermost counts. `name` is the activity's id. */
export class ApplicationLog extends Stretches {
  private readonly open: number[] = [];
  private since = 0;

  start(id: number, t: number): void {
    this.upTo(t);
    this.open.push(id);
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
    if (innermost !== undefined && t > this.since) this.push(this.since, t, APPLICATION, innermost);
    this.since = t;
  }
}

import { Floats, Ints } from './growing.ts';

/** Stretches of time in order that do not overlap, ns, with what they are; none without length. */
export class Stretches {
  readonly startNs: Floats;
  readonly endNs: Floats;
  readonly kind: Ints;
  readonly name: Ints;

  /** `room`: so many fit before the columns grow. */
  constructor(room = 0) {
    this.startNs = new Floats(room);
    this.endNs = new Floats(room);
    this.kind = new Ints(room);
    this.name = new Ints(room);
  }

  get length(): number {
    return this.startNs.length;
  }

  push(startNs: number, endNs: number, kind: number, name: number): void {
    if (endNs <= startNs) return;
    this.startNs.push(startNs);
    this.endNs.push(endNs);
    this.kind.push(kind);
    this.name.push(name);
  }

  copy(row: number, from: Stretches): void {
    this.push(from.startNs.at(row), from.endNs.at(row), from.kind.at(row), from.name.at(row));
  }
}

/** Puts both at the end of `into`, in order; `above` replaces what it covers of `below`. */
export function layered(below: Stretches, above: Stretches, into = new Stretches()): Stretches {
  let top = 0;
  let coveredTo = Number.NEGATIVE_INFINITY;
  for (let row = 0; row < below.length; row += 1) {
    const end = below.endNs.at(row);
    let from = Math.max(below.startNs.at(row), coveredTo);
    while (from < end) {
      while (top < above.length && above.startNs.at(top) <= from) {
        into.copy(top, above);
        coveredTo = above.endNs.at(top);
        from = Math.max(from, coveredTo);
        top += 1;
      }
      const to = top < above.length ? Math.min(end, above.startNs.at(top)) : end;
      into.push(from, to, below.kind.at(row), below.name.at(row));
      from = Math.max(from, to);
    }
  }
  for (; top < above.length; top += 1) into.copy(top, above);
  return into;
}

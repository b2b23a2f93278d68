import { at } from '../../../base/lists.ts';
import type { CellTrace } from '../../../experiments/store/read-traces.ts';
import type { Slice } from '../activities.ts';

type Spans = CellTrace['spans'];
type OnClock = (rank: number, ns: number) => number;

/** Who did what: a rank, or another thread of one (`3.1`: thread 1 of rank 3). */
export interface Workers {
  of(row: number): string;
  /** Who began a call of a rank at an instant of its own clock. */
  callerAt(rank: number, ns: number): string;
  /** From the first to the last span of each, on the clock of all. */
  lives(onClock: OnClock): ReadonlyMap<string, Slice>;
}

export function workersOf({ worker, startNs, endNs, keys }: Spans): Workers {
  const { thread = new Float64Array(0) } = keys;
  const of = (row: number): string => {
    const own = thread[row] ?? Number.NaN;
    return Number.isNaN(own) ? String(at(worker, row)) : `${at(worker, row)}.${own}`;
  };
  const others = new Map<string, string>();
  for (const [row, own] of thread.entries()) {
    if (!Number.isNaN(own)) others.set(`${at(worker, row)} ${at(startNs, row)}`, of(row));
  }
  return {
    of,
    callerAt: (rank, ns) => others.get(`${rank} ${ns}`) ?? String(rank),
    lives: (onClock) => {
      const lives = new Map<string, Slice>();
      for (const [row, rank] of worker.entries()) {
        const [from, to] = [onClock(rank, at(startNs, row)), onClock(rank, at(endNs, row))];
        const known = lives.get(of(row)) ?? { startNs: from, endNs: to };
        lives.set(of(row), { startNs: Math.min(known.startNs, from), endNs: Math.max(known.endNs, to) });
      }
      return lives;
    },
  };
}

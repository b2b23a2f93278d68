// A grid of ranks whose messages travel known times: what each rank waited for is kept on the way, so the critical path is known
// without any of the rules that look for it.

import type { LinkQueues } from '../../../../analysis/path/link-queues.ts';
import { type RankPhases, rankPhases } from '../../../../analysis/path/phases/rank-phases.ts';
import type { CellTrace } from '../../../../experiments/store/read-traces.ts';
import { KINDS } from './simulate.ts';

export interface Message {
  readonly from: number;
  readonly to: number;
  readonly handed: number;
  readonly seen: number;
  readonly waited: number;
  /** How long links took for it. */
  readonly travels?: number;
}

/** Links that take as long for a message as it has bytes, whatever else is on its way. */
export const linksByBytes = (): LinkQueues => ({
  hand: ({ ns, bytes }) => ns + (bytes || 0),
  out: () => 0,
  into: () => 0,
});

export const LINKS = {
  hostOf: (rank: number): number => rank,
  queues: linksByBytes,
  needNs: (bytes: number): number => bytes,
  apartNs: () => 0,
};

interface Stretch {
  readonly rank: number;
  readonly startNs: number;
  readonly endNs: number;
  readonly key: string;
  readonly before: Stretch | null;
}

/** Costs in ns, all above 0; `travel` of a message between two ranks. */
export interface MessageCosts {
  readonly compute: (rank: number, level: number) => number;
  readonly encode: (rank: number, level: number) => number;
  readonly travel: (from: number, to: number, level: number) => number;
  readonly decode: (rank: number, level: number) => number;
}

/** Levels of computing and a fold along the row; what the path must be, oldest step first. */
export function simulateMessages(
  { compute, encode, travel, decode }: MessageCosts,
  { side, levels }: { readonly side: number; readonly levels: number },
) {
  const ranks = side * side;
  const rows: number[][] = [];
  const messages: Message[] = [];
  const ends: (Stretch | null)[] = Array.from({ length: ranks }, () => null);
  const clock = (rank: number): number => ends[rank]?.endNs ?? 0;
  const step = (rank: number, ns: number, key: string, before: Stretch | null): Stretch => {
    const startNs = before?.endNs ?? 0;
    return { rank, startNs, endNs: startNs + ns, key, before };
  };
  for (let level = 0; level < levels; level += 1) {
    for (let rank = 0; rank < ranks; rank += 1) {
      const from = clock(rank);
      const end = step(rank, compute(rank, level), 'compute', ends[rank] ?? null);
      ends[rank] = end;
      rows.push([rank, 0, level, from, end.endNs]);
    }
    const entries = ends.map((_, rank) => clock(rank));
    const handed = ends.map((end, rank) => step(rank, encode(rank, level), 'fold work', end));
    for (let rank = 0; rank < ranks; rank += 1) {
      const others = handed.filter(
        (one) => one.rank !== rank && Math.floor(one.rank / side) === Math.floor(rank / side),
      );
      const own = handed[rank] ?? null;
      let last = own;
      for (const other of others) {
        const travels = travel(other.rank, rank, level);
        const arrives = other.endNs + travels;
        const seen = Math.max(arrives, own?.endNs ?? 0);
        const waited = seen - (own?.endNs ?? 0);
        messages.push({ from: other.rank, to: rank, handed: other.endNs, seen, waited, travels });
        if (waited > 0 && seen > (last?.endNs ?? 0)) {
          last = { rank, startNs: other.endNs, endNs: seen, key: 'fold transfer', before: other };
        }
      }
      const end = step(rank, decode(rank, level), 'fold work', last);
      ends[rank] = end;
      rows.push([rank, 1, level, entries[rank] ?? 0, end.endNs]);
    }
  }
  const column = (index: number): number[] => rows.map((row) => row[index] ?? Number.NaN);
  const [none, unknown] = [rows.map(() => 0), rows.map(() => Number.NaN)];
  const phases: RankPhases = rankPhases(
    {
      ...{ rank: column(0), search: none, kind: column(1), step: column(2), startNs: column(3), endNs: column(4) },
      ...{ asleepNs: unknown, queuedNs: unknown, bytes: unknown },
    },
    { ranks, kinds: KINDS },
  );
  return { phases, messages, path: pathTo(ends) };
}

/** Back from the rank that ends last, the lowest of several. */
function pathTo(ends: readonly (Stretch | null)[]): readonly Omit<Stretch, 'before'>[] {
  let at = ends.reduce((last, one) => ((one?.endNs ?? 0) > (last?.endNs ?? 0) ? one : last), ends[0] ?? null);
  const found: Omit<Stretch, 'before'>[] = [];
  for (; at !== null; at = at.before) {
    const { rank, startNs, endNs, key } = at;
    if (endNs > startNs) found.push({ rank, startNs, endNs, key });
  }
  return found.reverse();
}

/** As a trace holds them: both ends of each, in order of time. */
export function recorded(messages: readonly Message[], more: Partial<Record<Column, readonly number[]>> = {}) {
  const rows = messages.flatMap((one, index) => [
    { time: one.handed, worker: one.from, peer: one.to, kind: 'send', done: one.handed, waited: 0, index: 2 * index },
    {
      time: one.seen,
      worker: one.to,
      peer: one.from,
      kind: 'receive',
      done: Number.NaN,
      waited: one.waited,
      index: 2 * index + 1,
    },
  ]);
  rows.sort((a, b) => a.time - b.time || a.index - b.index);
  const column = (name: Column): Float64Array =>
    Float64Array.from(rows, ({ index }) => more[name]?.[index] ?? Number.NaN);
  const found: CellTrace['messages'] = {
    worker: Int32Array.from(rows, ({ worker }) => worker),
    kind: rows.map(({ kind }) => (kind === 'send' ? 'send' : 'receive')),
    timeNs: Float64Array.from(rows, ({ time }) => time),
    peer: Int32Array.from(rows, ({ peer }) => peer),
    ...{ bytes: column('bytes'), id: column('id'), queuedNs: column('queuedNs') },
    postedNs: Float64Array.from(rows, () => Number.NaN),
    doneNs: Float64Array.from(rows, ({ done }) => done),
    waitedNs: Float64Array.from(rows, ({ waited }) => waited),
  };
  return found;
}

/** Given per message as [of its send, of its receive, of the next one's send, ...]. */
type Column = 'bytes' | 'id' | 'queuedNs';

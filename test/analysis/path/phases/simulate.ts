// A grid of ranks that searches level by level, with known costs: an independent computation of what rules and what-ifs must find.
import { type RankPhases, rankPhases } from '../../../../analysis/path/phases/rank-phases.ts';

export interface Costs {
  /** ns that a rank computes on a level. */
  readonly compute: (rank: number, level: number) => number;
  /** ns that bytes travel after the last of the group has entered. */
  readonly transfer: (rank: number, level: number) => number;
  /** ns of work after they have arrived. */
  readonly work: (rank: number, level: number) => number;
}

export const KINDS = [
  { name: 'compute', group: null },
  { name: 'fold', group: 'row' },
  { name: 'synchronise', group: 'all' },
] as const;

interface Simulated {
  readonly phases: RankPhases;
  readonly lengthNs: number;
}

/** `shift`: ns that a rank's clock is ahead by. */
export function simulate(
  { compute, transfer, work }: Costs,
  {
    side,
    levels,
    shift = () => 0,
  }: { readonly side: number; readonly levels: number; readonly shift?: (rank: number) => number },
): Simulated {
  const ranks = side * side;
  const clock = new Array<number>(ranks).fill(0);
  const rows: number[][] = [];
  const exchange = (kind: number, level: number, groupOf: (rank: number) => number): void => {
    const entries = [...clock];
    for (let rank = 0; rank < ranks; rank += 1) {
      const last = Math.max(...entries.filter((_, other) => groupOf(other) === groupOf(rank)));
      const own = entries[rank] ?? 0;
      // Who is last has all bytes but its own: it sleeps for the transfer alone.
      const arrived = last + transfer(rank, level);
      const end = arrived + work(rank, level);
      rows.push([rank, kind, level, own + shift(rank), end + shift(rank), arrived - own]);
      clock[rank] = end;
    }
  };
  for (let level = 0; level < levels; level += 1) {
    for (let rank = 0; rank < ranks; rank += 1) {
      const start = clock[rank] ?? 0;
      clock[rank] = start + compute(rank, level);
      rows.push([rank, 0, level, start + shift(rank), (clock[rank] ?? 0) + shift(rank), 0]);
    }
    exchange(1, level, (rank) => Math.floor(rank / side));
    exchange(2, level, () => 0);
  }
  const column = (index: number): number[] => rows.map((row) => row[index] ?? Number.NaN);
  const none = rows.map(() => 0);
  const phases = rankPhases(
    {
      ...{ rank: column(0), search: none, kind: column(1), step: column(2), startNs: column(3), endNs: column(4) },
      ...{ asleepNs: column(5), queuedNs: rows.map(() => Number.NaN), bytes: rows.map(() => Number.NaN) },
    },
    { ranks, kinds: KINDS },
  );
  return { phases, lengthNs: Math.max(...clock) };
}

import type { CellTrace } from '../../experiments/index.ts';
import type { PhaseColumns, PhaseTypes } from '../grade10/index.ts';
import { traceTypes } from './graph500.ts';

/** The rows of a model, and of each row the rank that it belongs to (-1: to none). */
export interface PhaseTree {
  readonly columns: PhaseColumns;
  readonly rank: Int32Array;
}

interface Row {
  readonly type: number;
  readonly parent: number;
  readonly id: string;
  readonly rank: number;
  start: number;
  end: number;
}

/** Hangs the phases of a trace into their searches, levels and ranks, which span what lies within them. */
export function phaseTree(
  { phases }: CellTrace,
  types: PhaseTypes,
  correct: (rank: number, ns: number) => number,
): PhaseTree {
  const rows: Row[] = [{ type: 0, parent: -1, id: '', rank: -1, start: Number.POSITIVE_INFINITY, end: 0 }];
  const known = new Map<string, number>();
  const typeOf = (path: string): number => types.indexOf.get(path) ?? 0;
  const within = (parent: number, path: string, id: string, rank: number): number => {
    const key = `${parent} ${path} ${id}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    rows.push({ type: typeOf(path), parent, id, rank, start: Number.POSITIVE_INFINITY, end: 0 });
    known.set(key, rows.length - 1);
    return rows.length - 1;
  };
  for (const [index, name] of phases.phase.entries()) {
    const path = traceTypes[name];
    if (path === undefined) continue;
    const [rank, root, level] = [phases.rank[index] ?? 0, phases.root[index] ?? 0, phases.level[index] ?? 0];
    let parent = 0;
    if (path.startsWith('/Search')) parent = within(0, '/Search', String(root), -1);
    if (path.startsWith('/Search/Bfs')) {
      parent = within(parent, '/Search/Bfs', '', -1);
      parent = within(parent, '/Search/Bfs/Level', String(level), -1);
      parent = within(parent, '/Search/Bfs/Level/RankLevel', String(rank), rank);
    }
    const repeats = types.repeats[typeOf(path)] !== 'none';
    const own = within(parent, path, repeats ? String(rank) : '', rank);
    const start = correct(rank, phases.startNs[index] ?? 0);
    const end = Math.max(start, correct(rank, phases.endNs[index] ?? 0));
    for (let at = own; at >= 0; at = rows[at]?.parent ?? -1) {
      const row = rows[at];
      if (!row) break;
      row.start = Math.min(row.start, start);
      row.end = Math.max(row.end, end);
    }
  }
  return {
    columns: {
      type: Uint32Array.from(rows, ({ type }) => type),
      parent: Int32Array.from(rows, ({ parent }) => parent),
      id: rows.map(({ id }) => id),
      startNs: Float64Array.from(rows, ({ start }) => start),
      endNs: Float64Array.from(rows, ({ end }) => end),
    },
    rank: Int32Array.from(rows, ({ rank }) => rank),
  };
}

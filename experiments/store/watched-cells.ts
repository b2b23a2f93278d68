import { hasDagRun } from '../dag/index.ts';
import type { CellRecord } from '../records.ts';
import { cellFolder } from './layout.ts';

/** A good cell whose job was watched, with the folder of its run. */
export interface WatchedCell {
  readonly cell: CellRecord['cell'];
  readonly folder: string;
}

/** Those of a campaign: by hosts and size, from the most bandwidth down; repeated baselines come last. */
export function watchedCells(dir: string, records: Iterable<Pick<CellRecord, 'cell' | 'status'>>): WatchedCell[] {
  const good = [...records].filter(({ status }) => status === 'ok').map(({ cell }) => cell);
  const isLast = ({ role }: CellRecord['cell']): number => Number(role === 'drift');
  good.sort((a, b) => isLast(a) - isLast(b) || a.nodes - b.nodes || a.scale - b.scale || b.bw - a.bw || a.rep - b.rep);
  return good.map((cell) => ({ cell, folder: cellFolder(dir, cell.id) })).filter(({ folder }) => hasDagRun(folder));
}

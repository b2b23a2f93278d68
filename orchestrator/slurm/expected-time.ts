import type { Cell, CellRecord } from '../../experiments/records.ts';

/**
 * An upper estimate of how long a cell takes, seconds, from cells that were measured: the least of what each says when a
 * smaller cell takes no longer, and time grows at most in proportion to size, searches, hosts that are fewer and link that is
 * slower. Null before anything like it was measured.
 */
export function expectedS(
  cell: Cell,
  records: Iterable<Pick<CellRecord, 'cell' | 'timing' | 'status'>>,
): number | null {
  let least: number | null = null;
  for (const { cell: known, timing, status } of records) {
    if (status !== 'ok' || !sameProgram(cell, known)) continue;
    const growth = [
      2 ** (cell.scale - known.scale),
      cell.roots / known.roots,
      known.nodes / cell.nodes,
      known.bw / cell.bw,
    ].reduce((product, factor) => product * Math.max(factor, 1), 1);
    const seconds = (timing.totalMs / 1000) * growth;
    if (least === null || seconds < least) least = seconds;
  }
  return least;
}

function sameProgram(a: Cell, b: Cell): boolean {
  return a.workload === b.workload && JSON.stringify(a.params ?? {}) === JSON.stringify(b.params ?? {});
}

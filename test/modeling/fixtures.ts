import { fileURLToPath } from 'node:url';
import { readRowsFile } from '../../modeling/exchange/formats.ts';
import { type MeasuredRow, type Rows, rowsFrom } from '../../modeling/rows.ts';

/** Data made from the paper's tables: 18 ranks per node, log-normal noise of the printed size, fixed seeds. */
export function fixture(name: string): Promise<Rows> {
  return readRowsFile(fixturePath(name));
}

export function fixturePath(name: string): string {
  return fileURLToPath(new URL(`../fixtures/modeling/${name}.csv`, import.meta.url));
}

/** Rows over every combination, with completion times from a formula. */
export function grid(
  values: { scale: readonly number[]; nodes: readonly number[]; bw: readonly number[] },
  ct: (at: { scale: number; nodes: number; bw: number }) => number,
): Rows {
  const rows: MeasuredRow[] = values.scale.flatMap((scale) =>
    values.nodes.flatMap((nodes) => values.bw.map((bw) => ({ scale, nodes, bw, ct: ct({ scale, nodes, bw }) }))),
  );
  return rowsFrom(rows);
}

export function objects(rows: Rows): MeasuredRow[] {
  return Array.from({ length: rows.length }, (_, index) => ({
    scale: rows.scale[index] ?? 0,
    nodes: rows.nodes[index] ?? 0,
    bw: rows.bw[index] ?? 0,
    ct: rows.ct[index] ?? 0,
  }));
}

import type { Adjacency } from '../adjacency.ts';

/** The first of equal neighbours in each row, which lie beside each other in ascending rows. Works in place. */
export function dropRepeated({ offsets, targets, weights }: Adjacency): {
  readonly rows: Adjacency;
  readonly repeated: number;
} {
  let kept = 0;
  let start = 0;
  for (let row = 0; row + 1 < offsets.length; row += 1) {
    const end = offsets[row + 1] ?? 0;
    const rowStart = kept;
    for (let edge = start; edge < end; edge += 1) {
      const target = targets[edge] ?? 0;
      if (kept > rowStart && targets[kept - 1] === target) continue;
      targets[kept] = target;
      if (weights !== null) weights[kept] = weights[edge] ?? 0;
      kept += 1;
    }
    start = end;
    offsets[row + 1] = kept;
  }
  return {
    rows: { offsets, targets: targets.subarray(0, kept), weights: weights?.subarray(0, kept) ?? null },
    repeated: targets.length - kept,
  };
}

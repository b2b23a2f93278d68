import { at, mulberry32 } from '../../../base/lists.ts';

/** Draws below the level, for it to be told from the next one. */
const BELOW = 3;
/** The same runs get the same answer. */
const SEED = 13;

/**
 * Whether the largest column of a table is more than chance: its sum is reached by the largest sum of a table whose rows are shuffled,
 * each on its own, in at most a share `level` of draws (a permutation test; it ends as soon as more have reached it: Besag and
 * Clifford, "Sequential Monte Carlo p-values", Biometrika, 1991).
 */
export function isBeyondChance(rows: readonly Float64Array[], level: number): boolean {
  const columns = rows[0]?.length ?? 0;
  const largest = largestSum(rows, columns);
  const draws = Math.ceil(BELOW / level) - 1;
  const random = mulberry32(SEED);
  const shuffled = rows.map((row) => row.slice());
  // Sums in another order differ in their last digits.
  const reached = largest * (1 - 1e-9);
  let count = 0;
  for (let draw = 0; draw < draws; draw += 1) {
    for (const row of shuffled) shuffle(row, random);
    if (largestSum(shuffled, columns) < reached) continue;
    count += 1;
    // The table itself is one of the draws.
    if (count + 1 > BELOW) return false;
  }
  return true;
}

/** Sums of the columns of a table by their names, the largest first. */
export function sumColumns(
  rows: readonly Float64Array[],
  names: readonly string[],
): { readonly name: string; readonly ns: number }[] {
  const sums = names.map((name, column) => ({ name, ns: rows.reduce((sum, row) => sum + at(row, column), 0) }));
  return sums.sort((a, b) => b.ns - a.ns);
}

function largestSum(rows: readonly Float64Array[], columns: number): number {
  let most = 0;
  for (let column = 0; column < columns; column += 1) {
    let sum = 0;
    for (const row of rows) sum += at(row, column);
    most = Math.max(most, sum);
  }
  return most;
}

/** Fisher and Yates. */
function shuffle(row: Float64Array, random: () => number): void {
  for (let last = row.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    const kept = at(row, last);
    row[last] = at(row, other);
    row[other] = kept;
  }
}

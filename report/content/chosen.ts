import { ascending, at } from '../../base/lists.ts';

/** At most `most` values of a long sweep: its ends, round values first. */
export function chosen(values: readonly number[], most = 6): readonly number[] {
  const sorted = ascending(values);
  if (sorted.length <= most) return sorted;
  const ends = [sorted[0], sorted.at(-1)];
  const round = sorted.filter((value) => ends.includes(value) || value % 10 === 0);
  const pool = round.length >= 3 ? round : sorted;
  if (pool.length <= most) return pool;
  return Array.from({ length: most }, (_, index) => at(pool, Math.round((index * (pool.length - 1)) / (most - 1))));
}

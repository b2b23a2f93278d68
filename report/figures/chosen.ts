/** At most `most` values of a long sweep: its ends, round values first. */
export function chosen(values: readonly number[], most = 6): readonly number[] {
  const sorted = [...new Set(values)].sort((a, b) => a - b);
  if (sorted.length <= most) return sorted;
  const ends = [sorted[0], sorted.at(-1)];
  const round = sorted.filter((value) => ends.includes(value) || value % 10 === 0);
  const pool = round.length >= 3 ? round : sorted;
  if (pool.length <= most) return pool;
  const picked = Array.from({ length: most }, (_, index) => pool[Math.round((index * (pool.length - 1)) / (most - 1))]);
  return picked.filter((value) => value !== undefined);
}

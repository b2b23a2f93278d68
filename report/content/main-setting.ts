import { ascending, at } from '../../base/lists.ts';

/** Where most is said about: the largest scale, the most bandwidth that it was measured at, and the most nodes there. */
export interface Setting {
  readonly nodes: number;
  readonly scale: number;
  readonly bw: number;
}

export function mainSetting(points: readonly Setting[]): Setting {
  const scale = Math.max(...points.map((point) => point.scale));
  const own = points.filter((point) => point.scale === scale);
  const bw = Math.max(...own.map((point) => point.bw));
  return { nodes: Math.max(...own.filter((point) => point.bw === bw).map(({ nodes }) => nodes)), scale, bw };
}

export function isAt({ nodes, scale, bw }: Setting): (one: Setting) => boolean {
  return (one) => one.nodes === nodes && one.scale === scale && one.bw === bw;
}

/** At most `most` values of a long sweep: its ends, round values first. */
export function chooseValues(values: readonly number[], most = 6): readonly number[] {
  const sorted = ascending(values);
  if (sorted.length <= most) return sorted;
  const ends = [sorted[0], sorted.at(-1)];
  const round = sorted.filter((value) => ends.includes(value) || value % 10 === 0);
  const pool = round.length >= 3 ? round : sorted;
  if (pool.length <= most) return pool;
  return Array.from({ length: most }, (_, index) => at(pool, Math.round((index * (pool.length - 1)) / (most - 1))));
}

import { compareCodePoints } from '../../../base/text.ts';
import type { SeriesRow } from './path-series.ts';

/**
 * By what code paths are ranked: `score` is the thesis's, deviations; `change` is what a code path takes more without doubt. Of
 * hundreds of rarely seen code paths some always score high, by one or two samples; the change that they make is as small.
 */
export type SeriesRank = 'change' | 'score';

export const SERIES_RANKS: readonly SeriesRank[] = ['change', 'score'];

/** More deviations than sampling usually gives (Lundberg and Rettig 2024, section 6.1). */
export const UNUSUAL_DEVIATIONS = 2;

export interface RankedRow extends SeriesRow {
  /** The change less what is usual, two deviations; 0 where there is no deviation. In the unit of the change. */
  readonly beyond: number;
}

/** Falling, then by name. By score rows keep their order, which is that of `series`. */
export function rankRows(rows: readonly SeriesRow[], rank: SeriesRank): readonly RankedRow[] {
  const ranked = rows.map((row) => ({ ...row, beyond: (row.score - UNUSUAL_DEVIATIONS) * row.std }));
  if (rank === 'score') return ranked;
  return ranked.sort((a, b) => b.beyond - a.beyond || compareCodePoints(a.codePath, b.codePath));
}

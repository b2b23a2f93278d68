import {
  type Comparison,
  compare,
  type Rows,
  type TrafficPoint,
  trafficForm,
  volumeLaw,
} from '../../modeling/index.ts';
import type { ReportData } from '../data.ts';
import { attemptAll, readable } from './fits.ts';

/** All forms on all rows, with measured volumes where there are any; null where the rows determine no form. */
export function comparisonOf(
  rows: Rows,
  { ranksPerNode, points }: { readonly ranksPerNode: number; readonly points: readonly TrafficPoint[] },
): Comparison | null {
  if (rows.length === 0) return null;
  const baseScale = rows.scale.reduce((least, scale) => Math.min(least, scale)) - 1;
  const more = attemptAll([0], () => trafficForm(volumeLaw(points, { ranksPerNode, baseScale }))).made;
  return attemptAll([0], () => compare(rows, { ranksPerNode, more })).made[0] ?? null;
}

/** What the page shows of a comparison. */
export function shownComparison({ chosen, sentence, leftOutNodes, candidates }: Comparison): ReportData['comparison'] {
  return {
    chosen,
    sentence: readable(sentence),
    leftOutNodes,
    candidates: candidates.map(({ name, form, formula, score, bic, warning }) => ({
      title: form.title,
      formula: readable(formula),
      medianErrorPercent: score,
      bic,
      warning: warning === null ? null : readable(warning),
      chosen: name === chosen,
    })),
  };
}

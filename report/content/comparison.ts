import { attempt } from '../../base/index.ts';
import { type Choice, type Comparison, chooseAmong, type Rows, type TrafficPoint } from '../../modeling/index.ts';
import { readable } from './fits.ts';
import { shortTitle } from './miss.ts';

/** All forms on all rows, with measured volumes where there are any; null where the rows determine no form. */
export function choiceOf(
  rows: Rows,
  { ranksPerNode, traffic }: { readonly ranksPerNode: number; readonly traffic: readonly TrafficPoint[] },
): Choice | null {
  return rows.length === 0 ? null : attempt(() => chooseAmong(rows, { ranksPerNode, traffic }));
}

/** What the page shows of a comparison: how the competing forms did on node counts that were left out. */
export function shownComparison({ chosen, fit, leftOutNodes, candidates }: Comparison) {
  return {
    sentence: `${shortTitle(fit.form.title)} explains most. Predictions combine all likely candidate models.`,
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

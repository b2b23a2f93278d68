import type { Comparison } from '../../modeling/index.ts';
import { readable } from './fits.ts';
import { shortTitle } from './miss.ts';

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

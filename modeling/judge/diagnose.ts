import { at, last } from '../../base/lists.ts';
import { joinWords } from '../../base/text.ts';
import { nodesText, sizeText } from '../../base/units.ts';
import type { Solved } from '../fit/fit.ts';
import { variableLabels } from '../forms/predict.ts';
import type { Diagnosis, Trend } from '../model-records.ts';
import { distinct, settingAt, type Variable } from '../rows.ts';
import { estimateNoise, fScore, type Noise, orthonormal } from './noise.ts';

/** A trend must be this sure (one in a thousand by chance) and this large to be worth a warning. */
const SURE = 3.09;
const LARGE = 0.01;
/** Whole cells off the curve by more than this are worth a warning by themselves. */
const SCATTER = 0.1;

/**
 * Asks whether a fit's residuals still follow the nodes, the bandwidth or the scale: then the form is not that of the
 * program, and an extrapolation errs by more than its interval says.
 */
export function diagnose(solved: Solved): Diagnosis {
  const noise = estimateNoise(solved);
  const trends = (['nodes', 'bw', 'scale', 'threads'] as const).flatMap(
    (variable) => trendOver(variable, solved, noise) ?? [],
  );
  const { asked: form, coefficients } = solved;
  const { alphaAtBound } = solved.fit;
  const zeros = form.terms.filter((_, index) => coefficients[index] === 0).map(({ name }) => name);
  return {
    trends,
    warnings: [
      ...leftOutRows(solved),
      ...trends.map((trend) => trendWarning(trend, form.title)),
      ...(trends.length === 0 && noise.between > SCATTER && noise.lackOfFit !== null
        ? [
            `Whole cells lie ${percent(noise.between)} off the curve, more than the noise between repetitions explains: the runs differ in something that ${form.title} does not contain.`,
          ]
        : []),
      ...(alphaAtBound === 'lower'
        ? [`alpha is at its lower bound 1: these rows show no effect of bandwidth that ${form.title} can represent.`]
        : []),
      ...(alphaAtBound === 'upper'
        ? [`alpha is at its upper bound: the effect of bandwidth is steeper than ${form.title} allows.`]
        : []),
      ...zeros.map((name) => `${name} was fitted as 0: these rows show no effect of that term of ${form.title}.`),
    ],
  };
}

/** Rows and cells that are none of what is typical. */
function leftOutRows({ cells, odd }: Solved): string[] {
  const outliers = cells.outliers.reduce((sum, count) => sum + count, 0);
  const rows = outliers + cells.count.reduce((sum, count) => sum + count, 0);
  const names = Array.from({ length: odd.length }, (_, cell) => {
    const { nodes, bw, scale } = settingAt(odd, cell);
    return `${nodesText(nodes)} at ${bw} %${sizeText(scale)}`;
  });
  return [
    ...(names.length > 0
      ? [`Left out: ${joinWords(names)}, which lies far from all its neighbours. Measure it again.`]
      : []),
    ...(outliers > 0 ? [`${outliers} of ${rows} rows lie far from the others of their cell and are left out.`] : []),
  ];
}

/** One-way analysis of variance of the relative residuals, grouped by the levels of a variable. */
function trendOver(variable: Variable, solved: Solved, noise: Noise): Trend | null {
  const { cells, design, u, coefficients } = solved;
  const predicted = design.predict(u, coefficients);
  const levels = distinct(cells, variable);
  const unknowns = orthonormal(solved.directions, design.weights).length;
  if (levels.length < 2 || cells.length <= unknowns) return null;

  // In units of what repetitions explain, or where there are none of the prediction itself.
  const unit = predicted.map((value, cell) => (noise.repetition === null ? value : Math.sqrt(at(noise.within, cell))));
  const rest = predicted.map((value, cell) => (at(cells.mean, cell) - value) / at(unit, cell));
  let [between, all] = [0, 0];
  const means: { level: number; percent: number }[] = [];
  for (const level of levels) {
    let [sum, count, share] = [0, 0, 0];
    for (let cell = 0; cell < rest.length; cell += 1) {
      if (cells[variable][cell] !== level) continue;
      sum += at(rest, cell);
      all += at(rest, cell) ** 2;
      share += at(cells.mean, cell) / at(predicted, cell) - 1;
      count += 1;
    }
    between += sum ** 2 / count;
    means.push({ level, percent: (share / count) * 100 });
  }
  const [above, below] = [
    Math.min(levels.length - 1, cells.length - unknowns),
    cells.length - levels.length - unknowns,
  ];
  const scatter = below > 0 ? (all - between) / below : 1;
  if (below <= 0 && noise.repetition === null) return null;
  // Never less than what repetitions alone explain: few cells may agree by luck.
  const base = noise.repetition === null ? scatter : Math.max(1, scatter);
  const score = fScore(between / above / base, above, below > 0 ? below : noise.withinFreedom);
  const largest = Math.max(...means.map((mean) => Math.abs(mean.percent)));
  return score > SURE && largest > LARGE * 100 ? { variable, score, levels: means } : null;
}

function trendWarning({ variable, levels }: Trend, title: string): string {
  const [first, end] = [at(levels, 0), last(levels)];
  const middle = levels.slice(1, -1).reduce((sum, level) => sum + level.percent / Math.max(1, levels.length - 2), 0);
  const signed = (value: number): string => `${value >= 0 ? '+' : ''}${value.toFixed(1)} %`;
  const between = levels.length > 2 ? `, ${signed(middle)} between` : '';
  const label = variable === 'bw' ? 'bandwidth' : `${variableLabels[variable]}s`;
  return (
    `Misspecified: the residuals of ${title} depend on the ${label} (${signed(first.percent)} at ${first.level}, ` +
    `${signed(end.percent)} at ${end.level}${between}). Its extrapolation errs by more than its interval.`
  );
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}

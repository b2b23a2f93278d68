import { sizeText } from '../../base/index.ts';
import { variableLabels } from '../../modeling/index.ts';
import type { Facts, FitRow } from '../data.ts';
import { list, number, percent, signedPercent } from '../format.ts';
import { missOf, shortTitle } from './miss.ts';

const DRIFT_PERCENT = 5;
/** Median error (percent) beyond which projections are a direction only. */
const LARGE_MISS = 20;

/** What to be careful about: the state of the campaign first, then of the machines, then of the models. */
export function warningsOf(facts: Facts): string[] {
  return [
    ...incomplete(facts),
    ...(facts.marked === null ? [] : [facts.marked]),
    ...drifted(facts),
    ...overRate(facts),
    ...rising(facts),
    ...facts.fits.flatMap((fit) => doubtful(fit)),
    ...missed(facts),
  ];
}

function incomplete({ campaign: { cells } }: Facts): string[] {
  const { planned, done, failed } = cells;
  const open = planned - done - failed;
  return [
    ...(failed > 0 ? [`${number(failed)} of ${number(planned)} cells failed and are in no figure.`] : []),
    ...(open > 0 ? [`The campaign is not complete: ${number(open)} of ${number(planned)} cells have not run.`] : []),
  ];
}

/** A change that repetitions show too is none of the cluster's, and one of a few percent harms no answer. */
function drifted({ drift }: Facts): string[] {
  const bracketed = drift.filter(({ later }) => later === 0);
  const large = bracketed.filter(
    ({ percent: change, isBeyondUsual }) => isBeyondUsual && Math.abs(change) > DRIFT_PERCENT,
  );
  const [worst] = [...large].sort((a, b) => Math.abs(b.percent) - Math.abs(a.percent));
  const open = drift.length - bracketed.length;
  return [
    ...(worst === undefined
      ? []
      : [
          `The baseline drifted by more than ${percent(DRIFT_PERCENT)}, and by more than repetitions differ, in ${number(large.length)} of ${number(bracketed.length)} groups (most: ${signedPercent(worst.percent)} at ${number(worst.nodes)} nodes${sizeText(worst.scale, ', ', number)}; ${signedPercent(worst.usualPercent)} would be usual): smaller differences mean little there.`,
        ]),
    ...(open === 0
      ? []
      : [
          `In ${number(open)} of ${number(drift.length)} groups cells had their turn after the baseline was repeated, because they were tried again: whether the cluster changed meanwhile is not known there.`,
        ]),
  ];
}

function overRate({ throttle }: Facts): string[] {
  return throttle
    .filter((row) => (row.maxAveragePercent ?? 0) > 100)
    .map((row) => `At ${percent(row.bw)} bandwidth a host's mean rate was above the set rate.`);
}

/** The paper's models cannot rise with nodes: a measured rise is beyond them. */
function rising({ points }: Facts): string[] {
  const baseline = points.filter((point) => point.bw === 100).sort((a, b) => b.scale - a.scale || b.nodes - a.nodes);
  for (const point of baseline) {
    const [faster] = baseline
      .filter((other) => other.scale === point.scale && other.nodes < point.nodes && other.meanCt < point.meanCt)
      .sort((a, b) => a.meanCt - b.meanCt);
    if (faster) {
      const where = `${number(point.nodes)} nodes are slower than ${number(faster.nodes)}${sizeText(point.scale, ' at ', number)}`;
      return [
        `At full bandwidth ${where}. In the paper's models time can only fall with nodes: their projections are too hopeful here.`,
      ];
    }
  }
  return [];
}

function doubtful(fit: FitRow): string[] {
  if (!fit.usesBandwidth) return [];
  const name = `${shortTitle(fit.title)}${sizeText(fit.scale ?? 0, ' at ', number)}`;
  return [
    ...(fit.alphaAtBound === 'lower' ? [`${name}: α stopped at 1, so these cells show no effect of bandwidth.`] : []),
    ...(fit.alphaAtBound === 'upper'
      ? [`${name}: α stopped at its upper bound: the effect of bandwidth is steeper than the model can say.`]
      : []),
    ...(fit.coefficients.C1 === 0
      ? [
          `${name}: the computing part (C1) came out as 0, so the model calls all time communication, whatever spent it.`,
        ]
      : []),
    ...(fit.misspecified.length > 0
      ? [
          `${name} is misspecified: what it leaves over still follows the ${list(fit.misspecified.map((one) => variableLabels[one]))}, so its projections err by more than their intervals say.`,
        ]
      : []),
  ];
}

function missed(facts: Facts): string[] {
  const miss = missOf(facts);
  if (!miss || miss.medianPercent <= LARGE_MISS) return [];
  return [
    `Trained on ${list(miss.trainedOn)} nodes only, ${miss.model} missed larger ones by ${percent(Math.round(miss.medianPercent))}: take projections as a direction, not as a number.`,
  ];
}

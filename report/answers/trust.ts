import { median } from 'simple-statistics';
import { roughly } from '../../base/units.ts';
import { describeDoubt } from '../../modeling/judge/abstain.ts';
import { describeSkill } from '../../modeling/judge/baselines.ts';
import type { Extrapolation } from '../../modeling/model-records.ts';
import { isAt } from '../content/main-setting.ts';
import type { PointRow } from '../content/statistics.ts';
import { joinSentences, sizesText } from './answer-causes.ts';
import type { Answers } from './answers-schema.ts';
import type { AnswerBasis } from './basis.ts';

/** How far off a model was on node counts without which it was chosen and fitted, beside the noise of what it was compared with. */
export function answerTrust({ blind, points }: AnswerBasis): Answers['trust'] {
  const question = 'How far can predictions be trusted?';
  if (blind === null) {
    return {
      ...{ question, verdict: 'untested', short: 'not tested', detail: null },
      sentence: 'Not tested: that needs a third cluster size, which is left out and predicted.',
      ...{ medianErrorPercent: null, worstErrorPercent: null, insidePercent: null, noisePercent: null, skill: null },
      ...{ trainedOn: [], predicted: [] },
    };
  }
  const { cells, medianErrorPercent, maxErrorPercent, heldOutNodes, fit, insidePercent: inside, skill } = blind;
  const noise = noiseOf(cells, points);
  const verdict = describeDoubt(blind) === null ? 'believed' : 'disbelieved';
  const silent = cells.filter(({ abstains }) => abstains !== null).length;
  return {
    ...{ question, verdict, short: `${roughly(medianErrorPercent)} off` },
    sentence: `Predictions made from ${sizesText(fit.trainedOn.nodes)} alone had a median error of ${roughly(medianErrorPercent)} on ${sizesText(heldOutNodes)}.`,
    detail: joinSentences(
      inside === null
        ? null
        : `${Math.round((inside / 100) * cells.length)} of ${cells.length} measured times lay inside their 90 % prediction intervals.`,
      `The worst was ${roughly(maxErrorPercent)} off.`,
      skill && describeSkill(skill, medianErrorPercent),
      noise === null ? null : `A perfect model would be ${roughly(noise)} off, because repetitions differ.`,
      silent === 0 ? null : `For ${silent} of them the model made no prediction.`,
      verdict === 'disbelieved' ? 'Nothing is recommended on such predictions.' : null,
    ),
    medianErrorPercent,
    worstErrorPercent: maxErrorPercent,
    insidePercent: inside,
    noisePercent: noise,
    skill,
    trainedOn: [...fit.trainedOn.nodes],
    predicted: [...heldOutNodes],
  };
}

/** Half of what is normally distributed lies within so many standard deviations. */
const HALF = 0.6745;

/**
 * The median error, percent, of a model that predicts the true times: by the scatter of the visits that it is compared with. Null where
 * none is known.
 */
function noiseOf(cells: Extrapolation['cells'], points: readonly PointRow[]): number | null {
  const errors = cells.flatMap((cell) => points.find(isAt(cell))?.noise ?? []);
  return errors.length === 0 ? null : HALF * median(errors) * 100;
}

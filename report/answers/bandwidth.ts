import { formatRate, nodesText, roughly } from '../../base/units.ts';
import { findNeededBandwidth, neededBandwidthText } from '../../modeling/answers/needed-bandwidth.ts';
import { joinSentences } from './answer-causes.ts';
import type { Answers } from './answers-schema.ts';
import type { AnswerBasis } from './basis.ts';

/** Increase of the time (percent) for which the needed bandwidth is said. */
export const ACCEPTED = 10;

/** The smallest share of the link that keeps the largest measured cluster within 10 % of its time, as one number with its interval. */
export function answerBandwidthNeeded(basis: AnswerBasis): Answers['bandwidthNeeded'] {
  const { model, ensemble, points, rows, setting, noun } = basis;
  const line = { question: 'How much bandwidth is needed?', increasePercent: ACCEPTED } as const;
  const levels = points.filter(({ nodes, scale }) => nodes === setting?.nodes && scale === setting.scale);
  // A model of one node count tells that one.
  const isOfOneCount = ensemble?.fit.form.fixed.includes('nodes') === true;
  const asked = isOfOneCount ? ensemble : model.ensemble;
  const needed =
    setting === null || setting.bw !== 100 || levels.length < 2
      ? null
      : findNeededBandwidth(asked, rows, { nodes: setting.nodes, scale: setting.scale, ctiPercent: ACCEPTED });
  if (setting === null || needed?.bw.value == null) {
    return {
      ...line,
      ...{ verdict: 'unknown', short: 'cannot tell', detail: null, percent: null, bitsPerSecond: null },
      ...{ atMost: false, basis: null, measuredPercent: null },
      sentence: 'We cannot tell: that takes full bandwidth and a lower one on the same cluster.',
    };
  }
  const { bw, atMost, measured, lowest } = needed;
  const rateOf = (percent: number): number => (basis.planned.inventory.lineRateBps * percent) / 100;
  const rateText = (percent: number): string => formatRate(rateOf(percent));
  const value = bw.value ?? lowest;
  const rates =
    bw.high === null
      ? 'This is measured between two bandwidths, without a model, and has no interval.'
      : `In rates the 90 % interval is ${bw.low === null ? `up to ${rateText(bw.high)}` : `${rateText(bw.low)} to ${rateText(bw.high)}`}.`;
  const alone =
    measured && bw.high !== null
      ? `Without the model the measured times give ${roughly(measured.bw)}${measured.atMost ? ' or less' : ''}.`
      : null;
  return {
    ...line,
    verdict: 'known',
    short: `${roughly(value)}${atMost ? ' or less' : ''}`,
    sentence: `${neededBandwidthText(needed)} of the link keeps a ${noun} on ${nodesText(setting.nodes)} within ${ACCEPTED} % of its time on the full link. That is ${rateText(value)} per host${atMost ? ', the lowest level measured' : ''}.`,
    detail: joinSentences(rates, alone),
    percent: bw,
    bitsPerSecond: { value: rateOf(value), low: bw.low && rateOf(bw.low), high: bw.high && rateOf(bw.high) },
    atMost,
    basis: bw.high === null ? 'measured' : 'model',
    measuredPercent: measured?.bw ?? null,
  };
}

import { insidePercent } from '../../../modeling/index.ts';
import type { Facts } from '../../data.ts';
import { missOf } from '../miss.ts';
import type { StoryLine } from './line.ts';
import { roughly, sizesText } from './words.ts';

/** How far off the first model was on node counts without which it was chosen and fitted. */
export function blindLine(facts: Pick<Facts, 'check'>): StoryLine {
  const line = { id: 'blind', question: 'How far off is a prediction?', unit: '%', interval: null } as const;
  const miss = missOf(facts);
  if (miss === undefined) {
    const answer = 'That was not tested: it takes a third cluster size, which is left out and predicted.';
    return { ...line, short: 'not tested', answer, detail: null, value: null };
  }
  const { rows, medianPercent, trainedOn, heldOut } = miss;
  const worst = Math.max(...rows.map(({ errorPercent }) => Math.abs(errorPercent)));
  const inside = insidePercent(rows);
  const open = rows.filter(({ abstains }) => abstains !== null).length;
  const within =
    inside === null ? [] : [`Inside their 90 % intervals: ${Math.round(inside)} % of ${rows.length} times.`];
  const silent = open === 0 ? [] : [`For ${open} of them the model said that it had no answer.`];
  return {
    ...line,
    short: roughly(medianPercent),
    answer: `A model chosen and fitted on ${sizesText(trainedOn)} alone was ${roughly(medianPercent)} off in the median on ${sizesText(heldOut)}.`,
    detail: [...within, `The worst was ${roughly(worst)} off.`, ...silent].join(' '),
    value: medianPercent,
  };
}

import { attempt } from '../../base/errors.ts';
import { formatRate, intervalText, nodesText } from '../../base/units.ts';
import { type Parts, savingPercent } from '../../modeling/answers/savings.ts';
import type { Estimate } from '../../modeling/model-records.ts';
import { mayText, wholePercentText } from './answer-causes.ts';
import type { Answers } from './answers-schema.ts';
import type { AnswerBasis } from './basis.ts';
import { WORTH } from './more-nodes.ts';

type FasterLink = Answers['fasterLink'];

/** What the other answers say of the link. */
interface Beside {
  /** By the model in use, at the main configuration; null where it does not tell. */
  readonly parts: Parts | null;
  readonly limit: Answers['limit']['verdict'];
  readonly needed: Pick<Answers['bandwidthNeeded'], 'bitsPerSecond' | 'percent'>;
}

/** What is known, before it is judged. */
export interface LinkKnown extends Omit<Beside, 'parts'> {
  /** Why no model has a part in this; null where one has. */
  readonly why: string | null;
  /** Percent of the time that a link twice as fast saves, and one without limits. */
  readonly twice: Estimate | null;
  readonly unlimited: Estimate | null;
  readonly nodes: number;
}

/** Whether a link twice as fast saves 10 % of the time on the largest measured cluster, by the whole 90 % prediction interval. */
export function answerFasterLink({ model, setting }: AnswerBasis, { parts, ...beside }: Beside): FasterLink {
  if (setting === null) throw new Error('answers need a measured cell');
  const { ensemble } = model;
  const to = { ...setting, bw: 2 * setting.bw };
  const twice = ensemble && parts && attempt(() => savingPercent(ensemble, { from: setting, to }));
  const unlimited = parts?.percent.link ?? null;
  const why = model.why ?? (parts === null ? 'only one bandwidth was measured' : null);
  return judgeLink({ ...beside, why, twice, unlimited, nodes: setting.nodes });
}

export function judgeLink({ why, twice, unlimited, limit, needed, nodes }: LinkKnown): FasterLink {
  const question = 'Does a faster link help?';
  const told = (words: Omit<FasterLink, 'question' | 'twice' | 'unlimited'>): FasterLink => ({
    ...{ question, ...words, twice, unlimited },
  });
  const unknown = (reason: string): FasterLink => {
    const sentence = `We cannot tell whether a faster link helps: ${reason}.`;
    return told({ verdict: 'unknown', short: 'cannot tell', sentence, detail: null, reason });
  };
  if (why !== null) return unknown(why);
  if (twice?.value == null || unlimited === null) return unknown('the model does not tell what it would save');
  const high = unlimited.high ?? 100;
  if (high < WORTH) {
    const rate = (needed.percent?.high ?? 100) < 100 ? (needed.bitsPerSecond?.high ?? null) : null;
    return told({
      ...{ verdict: 'no', short: 'no', reason: null },
      sentence: `A faster link does not help: even one without limits would save at most ${wholePercentText(Math.max(0, high))} of the time (90 % interval).`,
      detail: rate === null ? null : `${nodesText(nodes)} need at most ${formatRate(rate)} per host.`,
    });
  }
  if (limit === 'disputed') return unknown('the model and Grade10 disagree on what it would save');
  if ((twice.low ?? 0) < WORTH) {
    return unknown(`one twice as fast ${mayText(twice)} (90 % interval), and less than ${WORTH} % counts as none`);
  }
  return told({
    ...{ verdict: 'yes', short: `yes, ${wholePercentText(twice.value)} less time`, reason: null, detail: null },
    sentence: `A faster link helps: one twice as fast saves ${wholePercentText(twice.value)} of the time on ${nodesText(nodes)} (${intervalText(twice, wholePercentText)}).`,
  });
}

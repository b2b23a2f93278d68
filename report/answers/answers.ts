import { resolve } from 'node:path';
import { attempt } from '../../base/errors.ts';
import { computeTimeParts, type Parts } from '../../modeling/answers/time-parts.ts';
import { isAt, type Setting } from '../content/main-setting.ts';
import type { ReportInput } from '../content/page-facts.ts';
import { heldUp, pathShares } from './answer-causes.ts';
import type { Answers } from './answers-schema.ts';
import { answerBandwidthNeeded } from './bandwidth.ts';
import type { AnswerBasis } from './basis.ts';
import { findDoubts, seenAt } from './doubts.ts';
import { answerFasterLink } from './faster-link.ts';
import { answerLimit } from './limit.ts';
import { answerMoreNodes } from './more-nodes.ts';
import { answerNext } from './next.ts';
import { answerTrust } from './trust.ts';

/** The campaign, the program that is asked about, and what analyses say of its runs. */
type AnswersInput = Pick<
  ReportInput,
  'campaign' | 'planned' | 'records' | 'noun' | 'dir' | 'program' | 'why' | 'path' | 'callStacks'
>;

/**
 * All answers about one program of a campaign: decided here and nowhere else. A model that is not believed, or that has no prediction
 * for what was measured, has no part in any of them. Null where nothing was measured.
 */
export function answerAll(basis: AnswerBasis, input: AnswersInput): Answers | null {
  const { setting } = basis;
  if (setting === null) return null;
  const { noun, campaign, dir, program = null, why = null, path = null, callStacks = null } = input;
  const parts = partsAt(basis, setting);
  // Time on processors alone says nothing of waiting.
  const seen = callStacks?.isAllTime ? callStacks.shares : [];
  const held = why === null ? [] : heldUp(why, setting);
  const limit = answerLimit({
    ...{ parts, setting, held, noun: why?.noun ?? noun },
    doubts: findDoubts({ ...input, setting, held, seen: seenAt(why, setting) }),
    cause: path?.causes[0] ?? null,
    path: path === null ? null : pathShares(path, setting),
    stacks: seen.find(isAt(setting)) ?? null,
  });
  const needed = answerBandwidthNeeded(basis, { lineRateBps: campaign.lineRateBps, noun });
  return {
    ...{ program, level: 90, setting },
    moreNodes: answerMoreNodes(basis, noun),
    fasterLink: answerFasterLink(basis, { parts, limit: limit.verdict, needed }),
    bandwidthNeeded: needed,
    limit,
    trust: answerTrust(basis),
    next: answerNext(basis, { ...input, program, dir: dir === undefined ? null : resolve(dir) }),
  };
}

function partsAt({ model }: AnswerBasis, setting: Setting): Parts | null {
  if (model.ensemble === null || model.ensemble.fit.trainedOn.bw.length < 2) return null;
  const { ensemble } = model;
  return attempt(() => computeTimeParts(ensemble, setting));
}

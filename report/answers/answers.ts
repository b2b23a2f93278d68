import { attempt } from '../../base/errors.ts';
import { computeTimeParts, type Parts } from '../../modeling/answers/savings.ts';
import type { CallStacks } from '../content/call-stacks.ts';
import { isAt, type Setting } from '../content/main-setting.ts';
import type { PathData } from '../content/path-content.ts';
import type { Why } from '../content/why-content.ts';
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

/** What analyses say of the runs of a program; each null where its kind of trace was not recorded. */
export interface Witnesses {
  /** Where the time of searches went. */
  readonly why: Why | null;
  /** On which chains of work and messages searches hung. */
  readonly path: PathData | null;
  /** Which call paths stop scaling, by profiled runs. */
  readonly callStacks: CallStacks | null;
}

/**
 * All answers about one program of a campaign: decided here and nowhere else. A model that is not believed, or that has no prediction
 * for what was measured, has no part in any of them. Null where nothing was measured.
 */
export function answerAll(
  basis: AnswerBasis,
  { why = null, path = null, callStacks = null }: Partial<Witnesses>,
): Answers | null {
  const { setting, program, noun } = basis;
  if (setting === null) return null;
  const parts = partsAt(basis, setting);
  // Time on processors alone says nothing of waiting.
  const seen = callStacks?.isAllTime ? callStacks.shares : [];
  const held = why === null ? [] : heldUp(why, setting);
  const limit = answerLimit({
    ...{ parts, setting, held, noun: why?.noun ?? noun },
    doubts: findDoubts(basis, { setting, held, seen: seenAt(why, setting) }),
    cause: path?.causes[0] ?? null,
    path: path === null ? null : pathShares(path, setting),
    stacks: seen.find(isAt(setting)) ?? null,
  });
  const needed = answerBandwidthNeeded(basis);
  return {
    ...{ program, level: 90, setting },
    moreNodes: answerMoreNodes(basis),
    fasterLink: answerFasterLink(basis, { parts, limit: limit.verdict, needed }),
    bandwidthNeeded: needed,
    limit,
    trust: answerTrust(basis),
    next: answerNext(basis),
  };
}

function partsAt({ model }: AnswerBasis, setting: Setting): Parts | null {
  if (model.ensemble === null || model.ensemble.fit.trainedOn.bw.length < 2) return null;
  const { ensemble } = model;
  return attempt(() => computeTimeParts(ensemble, setting));
}

import { resolve } from 'node:path';
import type { StackShares } from '../../analysis/index.ts';
import { attempt } from '../../base/index.ts';
import { type Parts, partsOf } from '../../modeling/index.ts';
import type { Setting } from '../content/main-setting.ts';
import { bandwidthNeededOf } from './bandwidth.ts';
import type { Basis } from './basis.ts';
import type { PathShares } from './causes.ts';
import { fasterLinkOf } from './faster-link.ts';
import type { Held } from './held-up.ts';
import { limitOf } from './limit.ts';
import { moreNodesOf } from './more-nodes.ts';
import { type Asked, nextOf } from './next.ts';
import type { Answers } from './schema.ts';
import { trustOf } from './trust.ts';

/** What analyses of the runs at the main configuration say, beside the model. */
export interface Witnesses {
  readonly held: readonly Held[];
  readonly path: PathShares | null;
  readonly stacks: StackShares | null;
  /** What they call one timed run. */
  readonly noun: string | null;
}

interface AskedProgram extends Asked {
  readonly noun: string;
  /** Bits per second of 100 %. */
  readonly lineRateBps: number;
}

/**
 * All answers about one program of a campaign: decided here and nowhere else. A model that is not believed, or that has no prediction
 * for what was measured, has no part in any of them. Null where nothing was measured.
 */
export function answersOf(basis: Basis, witnesses: Witnesses, asked: AskedProgram): Answers | null {
  const { setting } = basis;
  if (setting === null) return null;
  const { noun, lineRateBps, dir } = asked;
  const parts = partsAt(basis, setting);
  const { held, path, stacks } = witnesses;
  const limit = limitOf({ parts, held, path, stacks, setting, noun: witnesses.noun ?? noun });
  const needed = bandwidthNeededOf(basis, { lineRateBps, noun });
  return {
    program: asked.program,
    level: 90,
    setting,
    moreNodes: moreNodesOf(basis, noun),
    fasterLink: fasterLinkOf(basis, { parts, limit: limit.verdict, needed }),
    bandwidthNeeded: needed,
    limit,
    trust: trustOf(basis),
    next: nextOf(basis, { ...asked, dir: dir === null ? null : resolve(dir) }),
  };
}

function partsAt({ model }: Basis, setting: Setting): Parts | null {
  if (model.ensemble === null || model.ensemble.fit.trainedOn.bw.length < 2) return null;
  const { ensemble } = model;
  return attempt(() => partsOf(ensemble, setting));
}

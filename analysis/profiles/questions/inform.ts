import { ascending } from '../../../base/lists.ts';
import type { BranchStep, FoundStep } from './expand.ts';
import type { RunHistory, RunProfiles } from './history.ts';

/** A step with what else may make it interesting (informed selection, Lundberg and Rettig 2024, section 6.3.2): beside the score, not in it. */
export interface InformedStep extends BranchStep {
  /** Depths of u in this context that no run before had. */
  readonly newDepths: readonly number[];
  /** Compile modes of the step's code path that no run before had. */
  readonly newModes: readonly string[];
}

/** What a step found by `seriesJudge` of these runs has that the runs before the candidate had not. */
export function inform({ candidate, history }: RunHistory, { name, contexts, ...step }: FoundStep): InformedStep {
  const before = history.flatMap(({ profiles }) => profiles);
  const depthsOf = (from: number, to: number): Set<number> => {
    const depths = new Set<number>();
    for (const [index, profile] of [...before, ...candidate.profiles].entries()) {
      if (index < from || index >= to) continue;
      for (const node of contexts[index]?.judged ?? []) depths.add(profile.tree.depth[node] ?? 0);
    }
    return depths;
  };
  const modesOf = (profiles: RunProfiles['profiles']): Set<string> => {
    return new Set(profiles.flatMap(({ modes }) => modes.filter((mode) => mode.name === name).map(({ mode }) => mode)));
  };
  const [oldDepths, oldModes] = [depthsOf(0, before.length), modesOf(before)];
  return {
    ...step,
    newDepths: ascending(depthsOf(before.length, contexts.length)).filter((depth) => !oldDepths.has(depth)),
    newModes: [...modesOf(candidate.profiles)].filter((mode) => oldModes.size > 0 && !oldModes.has(mode)).sort(),
  };
}

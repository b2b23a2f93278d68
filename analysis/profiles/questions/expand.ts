import { ascending, at } from '../../../base/lists.ts';
import { compareCodePoints } from '../../../base/text.ts';
import type { NameTable } from '../tree/call-tree.ts';
import type { RunHistory, RunProfiles } from './history.ts';
import type { BranchJudge, BranchJudgement } from './judges.ts';
import type { Context, Direction } from './scanned-tree.ts';

interface ExpandQuestion {
  /** Number of the code path u. */
  readonly path: number;
  readonly direction: Direction;
  /** A branch that is not more prospective than this ends nothing: it is left out. */
  readonly threshold: number;
  /** Steps beyond u, at most. */
  readonly maxDepth: number;
  /** So many extensions of a branch are followed. */
  readonly maxBreadth: number;
}

/** One step of a branch. The first is u itself; each says how prospective u is in the context up to here. */
export interface BranchStep extends BranchJudgement {
  readonly codePath: string;
}

/** A step with the nodes that fulfil the context up to it, by tree. */
export interface FoundStep extends BranchStep {
  readonly name: number;
  readonly contexts: readonly (Context | null)[];
}

/** A branch as it grows: its last step, and what is before it. */
interface Branch {
  readonly step: FoundStep;
  readonly before: Branch | null;
  readonly length: number;
}

/**
 * The contexts in which a code path is prospective: algorithm 1 of Lundberg and Rettig (2024, section 6.3), depth first, the best
 * extensions first. Greedy selection: negative scores are dropped (6.3.1). The same threshold selects and stops, so that a branch
 * is never lost to extensions that the stop rule then refuses.
 */
export function expand(
  judge: BranchJudge,
  {
    path,
    direction,
    threshold,
    maxDepth,
    maxBreadth,
    names,
    negatives,
  }: ExpandQuestion & { readonly names: NameTable; readonly negatives: boolean },
): readonly (readonly FoundStep[])[] {
  const { trees } = judge;
  const stepOf = (name: number, contexts: readonly (Context | null)[]): FoundStep => {
    return { codePath: names.text(name), ...judge.judge(contexts), name, contexts };
  };
  const isGood = ({ score }: FoundStep): boolean => score > threshold && (negatives || score >= 0);
  const first = stepOf(
    path,
    trees.map((tree) => tree.nodesOf(path)),
  );
  const branches: (readonly FoundStep[])[] = [];
  const open: Branch[] = first.score > threshold ? [{ step: first, before: null, length: 0 }] : [];
  for (let branch = open.pop(); branch !== undefined; branch = open.pop()) {
    const chosen = branch.length >= maxDepth ? [] : best(extensions(branch.step), maxBreadth);
    if (chosen.length === 0) branches.push(stepsOf(branch));
    for (const step of chosen.reverse()) open.push({ step, before: branch, length: branch.length + 1 });
  }
  return branches;

  function extensions({ contexts }: FoundStep): FoundStep[] {
    const byName = new Map<number, (Context | null)[]>();
    for (const [index, tree] of trees.entries()) {
      const context = contexts[index] ?? null;
      for (const [name, longer] of context === null ? [] : tree.extended(context, direction)) {
        const all = byName.get(name) ?? trees.map(() => null);
        byName.set(name, all);
        all[index] = longer;
      }
    }
    return [...byName].map(([name, all]) => stepOf(name, all)).filter(isGood);
  }
}

function best(steps: FoundStep[], most: number): FoundStep[] {
  return steps.sort((a, b) => b.score - a.score || compareCodePoints(a.codePath, b.codePath)).slice(0, most);
}

function stepsOf(last: Branch): readonly FoundStep[] {
  const steps: FoundStep[] = [];
  for (let branch: Branch | null = last; branch !== null; branch = branch.before) steps.push(branch.step);
  return steps.reverse();
}

/** A step with what else may make it interesting (informed selection, Lundberg and Rettig 2024, section 6.3.2): beside the score, not in it. */
interface InformedStep extends BranchStep {
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
      for (const node of contexts[index]?.judged ?? []) depths.add(at(profile.tree.depth, node));
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

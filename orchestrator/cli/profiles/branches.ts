import { type BranchStep, expand, type FoundStep } from '../../../analysis/profiles/questions/expand.ts';
import type { BranchJudge } from '../../../analysis/profiles/questions/judges.ts';
import type { Direction } from '../../../analysis/profiles/questions/scanned-tree.ts';
import type { ProfileSelection } from '../../../analysis/profiles/tree/call-profile.ts';
import { parseCount, parseNumber, parseWord } from '../../../base/bounds.ts';
import { trimNumber } from '../../../base/units.ts';
import type { Flags } from '../flags.ts';
import { left, print, printTable, right } from '../print.ts';

/** So many code paths are expanded. */
export const MOST_EXPANDED = 5;

export type ExpandFlags = Flags<'threshold' | 'maxDepth' | 'maxBreadth', 'expand'>;

/** The contexts of a code path in one direction. */
interface Branches<Step extends BranchStep> {
  readonly codePath: string;
  readonly direction: Direction;
  readonly steps: readonly (readonly Step[])[];
}

/** What the flags ask for; null without --expand. */
export function parseExpand({ expand: text, ...flags }: ExpandFlags) {
  const limits = {
    threshold: parseNumber(flags.threshold, '--threshold'),
    maxDepth: parseCount(flags.maxDepth, '--max-depth'),
    maxBreadth: parseCount(flags.maxBreadth, '--max-breadth'),
  };
  if (text === undefined) return null;
  const word = parseWord(text, '--expand', ['children', 'parents', 'both'] as const);
  const directions: readonly Direction[] = word === 'both' ? ['children', 'parents'] : [word];
  return { ...limits, directions };
}

/** The contexts of code paths, each step said by `describe`. */
export function branchesOf<Step extends BranchStep>(
  { names }: ProfileSelection,
  codePaths: readonly string[],
  {
    judge,
    asked,
    negatives,
    describe,
  }: {
    readonly judge: BranchJudge;
    readonly asked: NonNullable<ReturnType<typeof parseExpand>>;
    readonly negatives: boolean;
    readonly describe: (step: FoundStep) => Step;
  },
): readonly Branches<Step>[] {
  return codePaths.flatMap((codePath) =>
    asked.directions.map((direction) => {
      const found = expand(judge, { ...asked, direction, names, negatives, path: names.id(codePath) });
      return { codePath, direction, steps: found.map((steps) => steps.map(describe)) };
    }),
  );
}

/** A table for each branch: u first, then what it calls or what calls it. */
export function printBranches<Step extends BranchStep>(
  branches: readonly Branches<Step>[],
  extra: (step: Step) => string,
): void {
  for (const { codePath, direction, steps } of branches) {
    for (const branch of steps.filter(({ length }) => length > 1)) {
      print(`\n${codePath}, where it ${direction === 'children' ? 'calls' : 'is called by'}:`);
      printTable(branch, [
        right('score', ({ score }) => trimNumber(score)),
        ...(branch[0]?.candidateDiff === undefined
          ? []
          : [
              right<Step>('change in context', ({ candidateDiff }) => trimNumber(candidateDiff ?? 0)),
              right<Step>('change of step', ({ diff }) => trimNumber(diff ?? 0)),
            ]),
        left('step', (step) => step.codePath),
        left('', extra),
      ]);
    }
  }
}
